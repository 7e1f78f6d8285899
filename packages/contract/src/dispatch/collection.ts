import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { closed, isoTime, nullable, pageQuery, wholeNumber } from '../shapes.ts';
import { namedFiles, newFile, storedFile } from './file.ts';

const tags = ['Collections'];

export const collectionLimits = { perUser: 1_000, files: 10_000, name: 120 } as const;

export const collection = Type.Object({
  id: Type.String(),
  name: Type.String(),
  count: Type.Integer({ description: 'Its files.' }),
  coverFileId: nullable(
    Type.String({ description: 'The file that was chosen. Null: the first one is shown.' }),
  ),
  cover: nullable(newFile),
  sharedBy: nullable(
    Type.String({ description: 'The e-mail address of its owner. Null for your own collections.' }),
  ),
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type Collection = Static<typeof collection>;

const name = Type.String({
  minLength: 1,
  maxLength: collectionLimits.name,
  pattern: '\\S',
  description: 'With something that can be seen. Unique among yours.',
});
const collectionParams = Type.Object({ collectionId: Type.String({ minLength: 1, maxLength: 64 }) });
const fileId = Type.String({ minLength: 1, maxLength: 64 });

export const createCollection = {
  method: 'POST',
  url: '/api/collections',
  config: { access: 'dispatch:write' },
  schema: {
    summary: 'Make a collection',
    description: `You have at most ${collectionLimits.perUser.toLocaleString('en')} of them.`,
    tags,
    body: Type.Object({ name }, closed),
    response: { 200: envelope(collection) },
  },
} as const satisfies Endpoint;

export const collectionQuery = Type.Object(
  {
    ...pageQuery,
    limit: Type.Optional(wholeNumber({ minimum: 1, maximum: collectionLimits.perUser, default: 50 })),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: collectionLimits.name, description: 'Only this one.' }),
    ),
    fileId: Type.Optional({ ...fileId, description: 'Only those that have this file.' }),
  },
  closed,
);
export type CollectionQuery = Static<typeof collectionQuery>;

export const listCollections = {
  method: 'GET',
  url: '/api/collections',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'Your collections, by name',
    tags,
    querystring: collectionQuery,
    response: { 200: envelope(Type.Object({ total: Type.Integer(), items: Type.Array(collection) })) },
  },
} as const satisfies Endpoint;

export const getCollection = {
  method: 'GET',
  url: '/api/collections/:collectionId',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'One collection, of yours or shared with you',
    tags,
    params: collectionParams,
    response: { 200: envelope(collection) },
  },
} as const satisfies Endpoint;

export const updateCollection = {
  method: 'PUT',
  url: '/api/collections/:collectionId',
  config: { access: 'dispatch:write' },
  schema: {
    summary: 'Rename a collection, or choose its cover',
    tags,
    params: collectionParams,
    body: Type.Object(
      {
        name: Type.Optional(name),
        coverFileId: Type.Optional(
          nullable({ ...fileId, description: 'One of its files. Null: the first one is shown.' }),
        ),
      },
      closed,
    ),
    response: { 200: envelope(collection) },
  },
} as const satisfies Endpoint;

export const deleteCollection = {
  method: 'DELETE',
  url: '/api/collections/:collectionId',
  config: { access: 'dispatch:write' },
  schema: {
    summary: 'Delete a collection',
    description:
      'Its files stay, and `files.retention` counts for them again unless something else keeps them.',
    tags,
    params: collectionParams,
    response: { 200: envelope(Type.Object({ id: Type.String() })) },
  },
} as const satisfies Endpoint;

export const listCollectionFiles = {
  method: 'GET',
  url: '/api/collections/:collectionId/files',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'The files of a collection, in its order',
    tags,
    params: collectionParams,
    querystring: Type.Object(
      {
        limit: pageQuery.limit,
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
    ),
    response: {
      200: envelope(
        Type.Object({
          total: Type.Integer(),
          items: Type.Array(storedFile),
          nextCursor: nullable(
            Type.String({ description: 'The `cursor` of the next page. Null on the last one.' }),
          ),
        }),
      ),
    },
  },
} as const satisfies Endpoint;

const bodyLimit = 512 * 1024;

export const addToCollection = {
  method: 'POST',
  url: '/api/collections/:collectionId/files',
  config: { access: 'dispatch:write', bodyLimit },
  schema: {
    summary: 'Add your files to the end of a collection',
    description: `In the order of the ids; those that it has already stay where they are. It has at most ${collectionLimits.files.toLocaleString('en')} files. An id that is not among your files is 404, and nothing changes.`,
    tags,
    params: collectionParams,
    body: namedFiles,
    response: { 200: envelope(collection) },
  },
} as const satisfies Endpoint;

export const removeFromCollection = {
  method: 'POST',
  url: '/api/collections/:collectionId/files/remove',
  config: { access: 'dispatch:write', bodyLimit },
  schema: {
    summary: 'Take files out of a collection',
    description: 'The files stay. An id that it does not have changes nothing.',
    tags,
    params: collectionParams,
    body: namedFiles,
    response: { 200: envelope(collection) },
  },
} as const satisfies Endpoint;

export const moveInCollection = {
  method: 'POST',
  url: '/api/collections/:collectionId/files/move',
  config: { access: 'dispatch:write', bodyLimit },
  schema: {
    summary: 'Put files of a collection before another one',
    description:
      'In the order of the ids. The place is named by the file that follows, so changes of others do not shift it; 409 when that file is not in the collection any more. Files that have been taken out stay out.',
    tags,
    params: collectionParams,
    body: Type.Object(
      {
        ...namedFiles.properties,
        before: nullable({ ...fileId, description: 'The file that follows them. Null: the end.' }),
      },
      closed,
    ),
    response: { 200: envelope(collection) },
  },
} as const satisfies Endpoint;
