import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { closed, isoTime, maxInteger, nullable, oneOf, pageQuery, wholeNumber } from '../shapes.ts';

const tags = ['Files'];

export const fileSources = ['upload', 'output'] as const;
export type FileSource = (typeof fileSources)[number];

/** What keeps a file beyond `files.retention`. */
export const fileKeepers = ['starred', 'collection', 'shared', 'cover', 'sweep'] as const;
export type FileKeeper = (typeof fileKeepers)[number];

export const newFile = Type.Object({
  fileId: Type.String(),
  filename: Type.String(),
  url: Type.String({ description: 'Loadable without credentials for 24 hours.' }),
  size: Type.Integer(),
  contentType: Type.String(),
  sha256: Type.String(),
  source: oneOf(fileSources),
  taskId: nullable(Type.String()),
  width: nullable(
    Type.Integer({
      description:
        'The width in pixels of an upright picture. Null for other files, and where the first bytes do not say it.',
    }),
  ),
  height: nullable(Type.Integer()),
  createdAt: isoTime,
});
export type NewStoredFile = Static<typeof newFile>;

/** What its owner notes about a file, and what that means for its time. */
export const fileMarks = Type.Object({
  starred: Type.Boolean(),
  caption: Type.String(),
  tags: Type.Array(Type.String(), { description: 'In alphabetical order.' }),
  keptBy: Type.Array(oneOf(fileKeepers), {
    description: 'What keeps it beyond `files.retention`; empty when nothing does.',
  }),
  expiresAt: nullable(
    Type.String({ description: 'When `files.retention` deletes it. Null for a file that is kept.' }),
  ),
});
export type FileMarks = Static<typeof fileMarks>;

export const markedFile = Type.Object({ fileId: Type.String(), ...fileMarks.properties });
export type MarkedFile = Static<typeof markedFile>;

export const storedFile = Type.Object({ ...newFile.properties, ...fileMarks.properties });
export type StoredFile = Static<typeof storedFile>;

export const markLimits = { caption: 500, tags: 20, tag: 50, files: 1_000, listedTags: 1_000 } as const;

export const fileKinds = ['image', 'video', 'audio', 'text', 'other'] as const;
export type FileKind = (typeof fileKinds)[number];

const time = Type.String({ maxLength: 40, format: 'date-time', description: 'ISO 8601.' });

export const fileTag = Type.String({
  minLength: 1,
  maxLength: markLimits.tag,
  pattern: '\\S',
  description: 'With something that can be seen. Stored in lower case, with single spaces.',
});
const pixels = Type.Optional(wholeNumber({ minimum: 0, maximum: maxInteger }));
const bytes = Type.Optional(wholeNumber({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));

/** Bounds that count themselves. Files whose size in pixels is not known have none of the first six. `minPixels` is of width × height. */
const ranges = {
  minWidth: pixels,
  maxWidth: pixels,
  minHeight: pixels,
  maxHeight: pixels,
  minPixels: pixels,
  maxPixels: pixels,
  minBytes: bytes,
  maxBytes: bytes,
};

const fileFilter = {
  source: Type.Optional(oneOf(fileSources)),
  kind: Type.Optional(oneOf(fileKinds, { description: 'By the type of the content.' })),
  taskId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  workflowId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Made from this saved workflow.' }),
  ),
  owner: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'For administrators.' })),
  since: Type.Optional(time),
  until: Type.Optional(time),
  starred: Type.Optional(Type.Boolean()),
  tag: Type.Optional(fileTag),
  collectionId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'In this collection. They keep the order of the list.',
    }),
  ),
  expiresBefore: Type.Optional({
    ...time,
    description: 'ISO 8601. Those that `files.retention` deletes before this time.',
  }),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description:
        'Words that all stand in the texts of the graph (with its params in it) or in the name of the file, whole and in any case. Characters of scripts without spaces, such as Chinese, are found anywhere.',
    }),
  ),
  param: Type.Optional(
    Type.Array(Type.String({ minLength: 2, maxLength: 300 }), {
      maxItems: 10,
      description:
        '`name=value`: an input of the graph with this name has this value. All of them, when there are several.',
    }),
  ),
  model: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'Made with this model: the name of its file, with or without folders and ending.',
    }),
  ),
  workflow: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Made from this saved workflow: its name or its id.',
    }),
  ),
  ...ranges,
};
export type FileFilterQuery = Static<ReturnType<typeof Type.Object<typeof fileFilter>>>;

export const fileListQuery = Type.Object(
  {
    ...pageQuery,
    ...fileFilter,
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '^[A-Za-z0-9_-]+$',
        description: '`nextCursor` of the page before.',
      }),
    ),
  },
  closed,
);
export type FileListQuery = Static<typeof fileListQuery>;

export const fileList = Type.Object({
  total: Type.Integer(),
  totalIsMinimum: Type.Optional(Type.Boolean({ description: 'There are more than were counted.' })),
  items: Type.Array(storedFile),
  nextCursor: nullable(
    Type.String({ description: 'The `cursor` of the next, older page. Null on the last one.' }),
  ),
});
export type FileList = Static<typeof fileList>;

export const thumbnailSizes = [64, 128, 256, 512, 1024] as const;
export type ThumbnailSize = (typeof thumbnailSizes)[number];

const thumbnailSize = Type.Unsafe<ThumbnailSize>({
  type: 'integer',
  enum: [...thumbnailSizes],
  minimum: Math.min(...thumbnailSizes),
  maximum: Math.max(...thumbnailSizes),
  description: 'The longer side of a thumbnail, in pixels. A smaller picture keeps its size.',
});

/** `alpha`: the picture, transparent where the mask is. `channel`: the mask as a picture, which is the same in each channel. */
export const maskPlaces = ['alpha', 'channel'] as const;
export type MaskPlace = (typeof maskPlaces)[number];

/** The signature of a link to a file. */
const signature = {
  expires: Type.Optional(Type.String({ maxLength: 12 })),
  sig: Type.Optional(Type.String({ maxLength: 64 })),
};

export const uploadFile = {
  method: 'POST',
  url: '/api/files/upload',
  config: { access: 'dispatch:write' },
  schema: {
    summary: 'Upload a file',
    description:
      'Exactly one part, named `file`. An empty file is allowed. With `maskOf` the part is a mask that was painted over that picture, white where it masks, and what is stored is a PNG of the two. A mask that is smaller and has the same shape is enlarged. 404 without that picture, 415 and 422 as for a thumbnail.',
    tags,
    querystring: Type.Object(
      {
        maskOf: Type.Optional(
          Type.String({ minLength: 1, maxLength: 64, description: 'The id of the picture below the mask.' }),
        ),
        maskPlace: Type.Optional(
          oneOf(maskPlaces, {
            description:
              '`alpha`, which is the default: the picture with its colours, transparent where it is masked, for LoadImage. `channel`: the mask as a picture, the same in each channel, for LoadImageMask.',
          }),
        ),
      },
      closed,
    ),
    consumes: ['multipart/form-data'],
    response: {
      200: envelope(
        Type.Object({
          fileId: Type.String(),
          filename: Type.String(),
          url: Type.String(),
          size: Type.Integer(),
          contentType: Type.String(),
          sha256: Type.String(),
        }),
      ),
    },
  },
} as const satisfies Endpoint;

export const listFiles = {
  method: 'GET',
  url: '/api/files',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'List files, the newest first',
    description: 'The next page by `cursor` stays right while files come and go; `offset` counts rows.',
    tags,
    querystring: fileListQuery,
    response: { 200: envelope(fileList) },
  },
} as const satisfies Endpoint;

const fileIds = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  minItems: 1,
  maxItems: markLimits.files,
  uniqueItems: true,
});
/** Files that a request names. */
export const namedFiles = Type.Object({ fileIds }, closed);

const someTags = Type.Optional(Type.Array(fileTag, { maxItems: markLimits.tags }));

export const markedFiles = Type.Object(
  {
    fileIds,
    starred: Type.Optional(Type.Boolean()),
    caption: Type.Optional(Type.String({ maxLength: markLimits.caption })),
    tags: Type.Optional(
      Type.Array(fileTag, { maxItems: markLimits.tags, description: 'Takes the place of the tags.' }),
    ),
    addTags: someTags,
    removeTags: someTags,
  },
  closed,
);
export type MarkedFiles = Static<typeof markedFiles>;

export const markFiles = {
  method: 'PUT',
  url: '/api/files/marks',
  config: { access: 'dispatch:write', bodyLimit: 512 * 1024 },
  schema: {
    summary: 'Star your files, give them a caption or tags',
    description:
      'The same for all of them; what is left out stays as it is. An id that is not among your files is 404, and nothing changes.',
    tags,
    body: markedFiles,
    response: {
      200: envelope(Type.Object({ items: Type.Array(markedFile) })),
    },
  },
} as const satisfies Endpoint;

/** The models of a list; the others are found by their name. */
export const listedModels = 100;

export const listFileModels = {
  method: 'GET',
  url: '/api/files/models',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'The models that your files were made with, the most used first',
    description: `At most ${listedModels}. Each is a value of \`model\` for a list of files.`,
    tags,
    querystring: Type.Object({}, closed),
    response: {
      200: envelope(
        Type.Object({
          items: Type.Array(
            Type.Object({
              model: Type.String({ description: 'The name of its file, without folders.' }),
              count: Type.Integer({ description: 'Your files that were made with it.' }),
            }),
          ),
        }),
      ),
    },
  },
} as const satisfies Endpoint;

export const listFileTags = {
  method: 'GET',
  url: '/api/files/tags',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'The tags of your files, the most used first',
    description: `At most ${markLimits.listedTags.toLocaleString('en')}.`,
    tags,
    querystring: Type.Object({}, closed),
    response: {
      200: envelope(
        Type.Object({ items: Type.Array(Type.Object({ tag: Type.String(), count: Type.Integer() })) }),
      ),
    },
  },
} as const satisfies Endpoint;

export const deleteFile = {
  method: 'DELETE',
  url: '/api/files/:fileId',
  config: { access: 'dispatch:write' },
  schema: {
    summary: 'Delete a file',
    tags,
    params: Type.Object({ fileId: Type.String({ minLength: 1, maxLength: 64 }) }),
    response: { 200: envelope(Type.Object({ fileId: Type.String() })) },
  },
} as const satisfies Endpoint;

export const deletedFile = Type.Object({
  fileId: Type.String(),
  error: nullable(
    Type.Object(
      { code: Type.String(), message: Type.String() },
      { description: 'Why it was not deleted. Null for a file that was.' },
    ),
  ),
});

export const deleteFiles = {
  method: 'POST',
  url: '/api/files/delete',
  config: { access: 'dispatch:write', bodyLimit: 512 * 1024 },
  schema: {
    summary: 'Delete many files',
    description:
      'Each is deleted or stays by itself, in the order of the ids: `file_in_use` while a task needs it, `file_not_found` for an id that is not among your files, `share_allows_less` for a file that is shared with you.',
    tags,
    body: namedFiles,
    response: { 200: envelope(Type.Object({ items: Type.Array(deletedFile) })) },
  },
} as const satisfies Endpoint;

export const copyFile = {
  method: 'POST',
  url: '/api/files/:fileId/copy',
  config: { access: 'dispatch:write' },
  schema: {
    summary: 'Save a shared file as your own',
    description:
      'The copy is an upload of yours and counts towards your quota. The same content under the same name is one file.',
    tags,
    params: Type.Object({ fileId: Type.String({ minLength: 1, maxLength: 64 }) }),
    response: { 200: envelope(Type.Object({ fileId: Type.String() })) },
  },
} as const satisfies Endpoint;

const stripping = Type.Optional(
  oneOf(['metadata'], {
    description:
      'Leaves out the texts and EXIF of PNG, JPEG and WebP, in which workers write the graph. The pixels stay, and so does the way a JPEG is turned. Other types and damaged files are sent as they are.',
  }),
);

/** Outside `/api`, so that the link can stand in an `img` of any page. Signed, or with the owner's credentials. */
export const downloadFile = {
  method: 'GET',
  url: '/uploads/:fileId/:filename',
  config: { access: 'public', recognises: true },
  schema: {
    summary: 'Load a file',
    description:
      'With a signed link, or with the credentials of its owner. `Range` and `If-None-Match` are honoured; what a browser could run is sent as an attachment. With `files.s3.redirect` it answers 302 with an address of the store that is good for five minutes, except to pages of the gateway. With `size` it answers a thumbnail, as `/api/files/{fileId}/thumbnail` does; `strip` is for the file itself, which is then sent whole and by the gateway.',
    tags,
    params: Type.Object({
      fileId: Type.String({ minLength: 1, maxLength: 64 }),
      filename: Type.String({ minLength: 1, maxLength: 1024 }),
    }),
    querystring: Type.Object({ ...signature, size: Type.Optional(thumbnailSize), strip: stripping }),
    response: {
      200: Type.Unknown({ description: 'The bytes of the file.' }),
      302: Type.Null({ description: 'The file is in the store, at `Location`.' }),
    },
  },
} as const satisfies Endpoint;

/** With a signed link as well, so that it can stand in an `img`. */
export const getThumbnail = {
  method: 'GET',
  url: '/api/files/:fileId/thumbnail',
  config: { access: 'public', recognises: true },
  schema: {
    summary: 'A small picture of a stored one',
    description:
      'WebP, upright; of an animation the first frame. Made once. 415 for what is not a PNG, JPEG, GIF, WebP, AVIF or TIFF, 422 for a damaged picture and for one above 67 megapixels, which is judged by its head. With the signature of a link, or with the credentials of the owner.',
    tags,
    params: Type.Object({ fileId: Type.String({ minLength: 1, maxLength: 64 }) }),
    querystring: Type.Object(
      { ...signature, size: Type.Optional({ ...thumbnailSize, default: 256 }) },
      { additionalProperties: false },
    ),
    produces: ['image/webp'],
    response: { 200: Type.Unknown({ description: 'The bytes of the thumbnail.' }) },
  },
} as const satisfies Endpoint;

/** What a pattern for the names in an archive can hold, each between braces. */
export const nameTokens = ['name', 'workflow', 'date', 'time', 'seed', 'n', 'id', 'task'] as const;
export type NameToken = (typeof nameTokens)[number];
export const maxNamePattern = 200;

/** The expression for the parts of a pattern. One that is not closed was mistyped, and is not among the known ones. */
export const namePart = '\\{[^{}]*\\}?|\\}';

const archiveForm = {
  names: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxNamePattern,
      description: `A pattern for the names in the archive, such as \`{workflow}-{date}-{seed}-{n}\`. It may hold ${nameTokens.map((token) => `\`{${token}}\``).join(', ')}; what a file does not have is \`none\`. The extension stays, and names are made unique.`,
    }),
  ),
  recipes: Type.Optional(
    Type.Boolean({
      description:
        'Beside each output stands `<name>.json` with its recipe, as `/api/files/{fileId}/recipe` answers it.',
    }),
  ),
  strip: stripping,
};
export type ArchiveForm = Static<ReturnType<typeof Type.Object<typeof archiveForm>>>;

/** An archive has no more files. */
export const maxZippedFiles = 5_000;

const zipResponse = { 200: Type.Unknown({ description: 'The bytes of the archive.' }) };

export const zipFiles = {
  method: 'GET',
  url: '/api/files/zip',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'Load the files that fit a filter as one zip',
    description: `The newest first, at most ${maxZippedFiles.toLocaleString('en')} (413 beyond). Names are made unique. It is sent while it is read, without compression. With \`strip\`, \`not-stripped.txt\` names the damaged pictures in it.`,
    tags,
    querystring: Type.Object({ ...fileFilter, ...archiveForm }, { additionalProperties: false }),
    produces: ['application/zip'],
    response: zipResponse,
  },
} as const satisfies Endpoint;

export const zipSelectedFiles = {
  method: 'POST',
  url: '/api/files/zip',
  config: { access: 'dispatch:read', bodyLimit: 512 * 1024 },
  schema: {
    summary: 'Load these files as one zip',
    description: 'In the order of the ids. An id that does not exist is 404, and nothing is sent.',
    tags,
    body: Type.Object(
      {
        fileIds: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
          minItems: 1,
          maxItems: maxZippedFiles,
          uniqueItems: true,
        }),
        ...archiveForm,
      },
      { additionalProperties: false },
    ),
    produces: ['application/zip'],
    response: zipResponse,
  },
} as const satisfies Endpoint;
