import { Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { threadId, threadParams } from './ids.ts';
import { listedUpload, uploadedFile, uploadLimits } from './upload.ts';

const tags = ['Uploads'];
const base = '/api/threads/:thread_id/uploads';

export const uploadFiles = {
  method: 'POST',
  url: base,
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Upload files into a thread',
    description:
      'One part named `files` for each file. A name that is there already is overwritten; one that comes twice in a request is numbered. Unsafe names are skipped and told. Beyond a limit nothing of the request is kept.',
    tags,
    consumes: ['multipart/form-data'],
    params: threadParams,
    response: {
      200: Type.Object({
        success: Type.Boolean({ description: 'False when something was skipped.' }),
        files: Type.Array(uploadedFile),
        message: Type.String(),
        skipped_files: Type.Array(Type.String()),
      }),
    },
  },
} as const satisfies Endpoint;

export const listUploads = {
  method: 'GET',
  url: `${base}/list`,
  config: { access: 'conversation:read' },
  schema: {
    summary: "The caller's uploads in a thread, by name",
    tags,
    params: threadParams,
    response: { 200: Type.Object({ files: Type.Array(listedUpload), count: Type.Integer() }) },
  },
} as const satisfies Endpoint;

export const getUploadLimits = {
  method: 'GET',
  url: `${base}/limits`,
  config: { access: 'conversation:read' },
  schema: {
    summary: 'What one request may upload',
    tags,
    params: threadParams,
    response: { 200: uploadLimits },
  },
} as const satisfies Endpoint;

export const deleteUpload = {
  method: 'DELETE',
  url: `${base}/:filename`,
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Delete an upload',
    tags,
    params: Type.Object({ thread_id: threadId, filename: Type.String({ minLength: 1, maxLength: 512 }) }),
    response: { 200: Type.Object({ success: Type.Boolean(), message: Type.String() }) },
  },
} as const satisfies Endpoint;
