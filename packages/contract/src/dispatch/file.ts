import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { isoTime, nullable, oneOf, pageQuery } from '../shapes.ts';

const tags = ['Files'];

export const fileSources = ['upload', 'output'] as const;
export type FileSource = (typeof fileSources)[number];

export const storedFile = Type.Object({
  fileId: Type.String(),
  filename: Type.String(),
  url: Type.String({ description: 'Loadable without credentials for 24 hours.' }),
  size: Type.Integer(),
  contentType: Type.String(),
  sha256: Type.String(),
  source: oneOf(fileSources),
  taskId: nullable(Type.String()),
  createdAt: isoTime,
});
export type StoredFile = Static<typeof storedFile>;

export const fileListQuery = Type.Object({
  ...pageQuery,
  source: Type.Optional(oneOf(fileSources)),
  taskId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  owner: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'For administrators.' })),
});
export type FileListQuery = Static<typeof fileListQuery>;

export const uploadFile = {
  method: 'POST',
  url: '/api/files/upload',
  config: { access: 'dispatch:write' },
  schema: {
    summary: 'Upload a file',
    description: 'Exactly one part, named `file`. An empty file is allowed.',
    tags,
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
    tags,
    querystring: fileListQuery,
    response: {
      200: envelope(
        Type.Object({
          total: Type.Integer(),
          totalIsMinimum: Type.Optional(Type.Boolean({ description: 'There are more than were counted.' })),
          items: Type.Array(storedFile),
        }),
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

/** Outside `/api`, so that the link can stand in an `img` of any page. Signed, or with the owner's credentials. */
export const downloadFile = {
  method: 'GET',
  url: '/uploads/:fileId/:filename',
  config: { access: 'public' },
  schema: {
    summary: 'Load a file',
    description:
      'With a signed link, or with the credentials of its owner. `Range` and `If-None-Match` are honoured; what a browser could run is sent as an attachment.',
    tags,
    params: Type.Object({
      fileId: Type.String({ minLength: 1, maxLength: 64 }),
      filename: Type.String({ minLength: 1, maxLength: 1024 }),
    }),
    querystring: Type.Object({
      expires: Type.Optional(Type.String({ maxLength: 12 })),
      sig: Type.Optional(Type.String({ maxLength: 64 })),
    }),
    response: { 200: Type.Unknown({ description: 'The bytes of the file.' }) },
  },
} as const satisfies Endpoint;
