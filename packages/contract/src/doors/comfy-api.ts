import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { closed, isoTime, nullable, oneOf } from '../shapes.ts';

/** The official Comfy API v2, as its SDKs call it. Names and shapes are those of its published description. */

export const comfyApiBase = '/comfy/api/v2';

const tags = ['Comfy API v2'];
const signedLink = Type.String({ description: 'Absolute, and loadable without credentials.' });
const hash = nullable(
  Type.String({ description: '`blake3:<hex>`; null for content that was never uploaded through this API.' }),
);

export const jobStatuses = [
  'queued',
  'running',
  'succeeded',
  'canceling',
  'canceled',
  'failed',
  'expired',
] as const;
const outputTypes = ['image', 'video', 'audio', 'text', 'file', 'latent'] as const;

export const comfyApiProgress = Type.Object({
  value: Type.Number({ minimum: 0, maximum: 1 }),
  nodes_done: Type.Integer({ description: 'As many as `value` covers.' }),
  nodes_total: Type.Integer(),
  current_node: nullable(Type.String({ description: 'Its id; only in events.' })),
  current_node_class: nullable(Type.String()),
  step: nullable(Type.Integer()),
  steps: nullable(Type.Integer()),
  message: nullable(Type.String({ description: 'The title of the node that runs.' })),
});
export type ComfyApiProgress = Static<typeof comfyApiProgress>;

export const comfyApiOutput = Type.Object({
  node_id: Type.String(),
  name: Type.String(),
  type: oneOf(outputTypes),
  content_type: Type.String(),
  size_bytes: Type.Integer(),
  id: Type.String({ description: 'An asset.' }),
  hash,
  url: signedLink,
  url_expires_at: isoTime,
  job_id: Type.String(),
});
export type ComfyApiOutput = Static<typeof comfyApiOutput>;

const jobError = Type.Object({
  code: Type.String(),
  message: Type.String(),
  node_id: nullable(Type.String()),
  class_type: nullable(Type.String()),
  traceback: Type.Null(),
});

export const comfyApiJob = Type.Object({
  id: Type.String({ description: 'The id of the task.' }),
  status: oneOf(jobStatuses),
  created_at: isoTime,
  started_at: nullable(isoTime),
  completed_at: nullable(isoTime),
  expires_at: Type.String({
    description: 'When its outputs are deleted; a hundred years ahead in a gateway that keeps all files.',
  }),
  queue_position: nullable(Type.Integer()),
  progress: nullable({ ...comfyApiProgress, description: 'Null before the start, and in lists.' }),
  outputs: Type.Array(comfyApiOutput),
  error: nullable(jobError),
  metrics: Type.Object({ queue_ms: nullable(Type.Integer()), execution_ms: nullable(Type.Integer()) }),
  urls: Type.Object(
    { self: Type.String(), events: Type.String(), cancel: Type.String() },
    { description: 'Paths on this host.' },
  ),
});
export type ComfyApiJob = Static<typeof comfyApiJob>;

export const comfyApiAsset = Type.Object({
  id: Type.String(),
  hash,
  size_bytes: Type.Integer(),
  content_type: Type.String({ description: 'What the content is, whatever the client says of it.' }),
  file_path: Type.String({ description: 'The name of the file, without folders.' }),
  created_new: Type.Optional(Type.Boolean({ description: 'False for content that the account had before.' })),
  created_at: isoTime,
  url: signedLink,
  url_expires_at: isoTime,
  expires_at: nullable(isoTime),
  job_id: nullable(Type.String({ description: 'The job that made it; null for an upload.' })),
});
export type ComfyApiAsset = Static<typeof comfyApiAsset>;

export const comfyApiError = Type.Object({
  error: Type.Object({
    code: Type.String({ description: 'For programs, such as `invalid_workflow` or `queue_full`.' }),
    message: Type.String(),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
});
export type ComfyApiError = Static<typeof comfyApiError>;

const errorBody = comfyApiError;
const reads = { access: 'dispatch:read', door: 'comfyui', headerOnly: true } as const;
const writes = { access: 'dispatch:write', door: 'comfyui', headerOnly: true } as const;
const id = Type.String({ minLength: 1, maxLength: 200 });
const ofJob = Type.Object({ jobId: id });
const ofAsset = Type.Object({ assetId: id });
const keyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Works once in 24 hours: the same key again is 422 `idempotency_key_reuse`.',
    }),
  ),
});
const assetLabels = {
  file_path: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 })),
  tags: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), { maxItems: 50, description: 'Without effect.' }),
  ),
  expires_in: Type.Optional(
    Type.Integer({
      minimum: 60,
      maximum: 604_800,
      description: 'Without effect: the gateway keeps files as long as its configuration says.',
    }),
  ),
};

export const comfyApiHealth = {
  method: 'GET',
  url: '/comfy/api/v2/health',
  config: { access: 'public' },
  schema: {
    summary: 'Whether the API is there',
    tags,
    errorBody,
    response: { 200: Type.Object({ status: oneOf(['ok']) }) },
  },
} as const satisfies Endpoint;

export const comfyApiSubmit = {
  method: 'POST',
  url: '/comfy/api/v2/jobs',
  config: { ...writes, bodyLimit: 'large' },
  schema: {
    summary: 'Submit a workflow',
    description:
      'Becomes a task of the pool. An input of the workflow may be an asset: `{"__type": "core/ASSET", "info": {"id": …}}`.',
    tags,
    errorBody,
    headers: keyHeader,
    body: Type.Object(
      {
        workflow: Type.Record(Type.String(), Type.Unknown(), { description: 'In API format.' }),
        extra_data: Type.Optional(
          Type.Object(
            {
              api_key_comfy_org: Type.Optional(
                Type.String({
                  maxLength: 4_096,
                  description: 'For nodes that call Comfy; handed to the worker and never returned.',
                }),
              ),
            },
            closed,
          ),
        ),
      },
      closed,
    ),
    response: { 201: comfyApiJob },
  },
} as const satisfies Endpoint;

export const comfyApiJobs = {
  method: 'GET',
  url: '/comfy/api/v2/jobs',
  config: reads,
  schema: {
    summary: 'Own jobs, the newest first',
    description: 'All tasks of the account, also those that came by another way. Progress is null here.',
    tags,
    errorBody,
    querystring: Type.Object(
      {
        status: Type.Optional(oneOf(['queued', 'running', 'succeeded', 'canceled', 'failed'])),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
      },
      closed,
    ),
    response: {
      200: Type.Object({
        jobs: Type.Array(comfyApiJob),
        truncated: Type.Boolean({ description: 'There are more.' }),
      }),
    },
  },
} as const satisfies Endpoint;

export const comfyApiJobOfId = {
  method: 'GET',
  url: '/comfy/api/v2/jobs/:jobId',
  config: reads,
  schema: { summary: 'One job', tags, errorBody, params: ofJob, response: { 200: comfyApiJob } },
} as const satisfies Endpoint;

export const comfyApiJobWorkflow = {
  method: 'GET',
  url: '/comfy/api/v2/jobs/:jobId/workflow',
  config: reads,
  schema: {
    summary: 'The workflow of a job',
    tags,
    errorBody,
    params: ofJob,
    response: {
      200: Type.Object({
        workflow: Type.Record(Type.String(), Type.Unknown()),
        format: oneOf(['save', 'api'], { description: 'Always `api` here.' }),
      }),
    },
  },
} as const satisfies Endpoint;

export const comfyApiJobEvents = {
  method: 'GET',
  url: '/comfy/api/v2/jobs/:jobId/events',
  config: reads,
  schema: {
    summary: 'What happens to a job, as it happens',
    description:
      'Events `status`, `progress`, `preview` and `output`. The first ones say how the job stands, so a client that comes back misses nothing; the stream ends after a final status. A comment comes every 15 seconds.',
    tags,
    errorBody,
    params: ofJob,
    produces: ['text/event-stream'],
    response: { 200: Type.Unknown() },
  },
} as const satisfies Endpoint;

export const comfyApiCancel = {
  method: 'POST',
  url: '/comfy/api/v2/jobs/:jobId/cancel',
  config: writes,
  schema: {
    summary: 'Cancel a job',
    description: 'Answers how the job stands then. One that has ended stays as it is.',
    tags,
    errorBody,
    params: ofJob,
    response: { 200: comfyApiJob },
  },
} as const satisfies Endpoint;

export const comfyApiUpload = {
  method: 'POST',
  url: '/comfy/api/v2/assets',
  config: writes,
  schema: {
    summary: 'Upload an asset',
    description:
      'The fields `content_type`, `file_path`, `expected_hash`, `tags` and `expires_in` come before the part `file`. 200 instead of 201 for content that the account had before.',
    tags,
    errorBody,
    headers: keyHeader,
    consumes: ['multipart/form-data'],
    response: { 200: comfyApiAsset, 201: comfyApiAsset },
  },
} as const satisfies Endpoint;

export const comfyApiFromHash = {
  method: 'POST',
  url: '/comfy/api/v2/assets/from-hash',
  config: writes,
  schema: {
    summary: 'Make an asset of content that the account has',
    description: '200 with the asset that has this content and this name already, 201 with a new one.',
    tags,
    errorBody,
    body: Type.Object({ hash: Type.String({ maxLength: 200 }), ...assetLabels }, closed),
    response: { 200: comfyApiAsset, 201: comfyApiAsset },
  },
} as const satisfies Endpoint;

export const comfyApiByHash = {
  method: 'GET',
  url: '/comfy/api/v2/assets/by-hash/:hash',
  config: reads,
  schema: {
    summary: 'Whether the account has content with this hash',
    description: 'Clients ask with HEAD. `blake3:<hex>`; 404 for content of another account alone.',
    tags,
    errorBody,
    params: Type.Object({ hash: Type.String() }),
    response: { 200: Type.Object({ hash: Type.String() }) },
  },
} as const satisfies Endpoint;

export const comfyApiAssetOfId = {
  method: 'GET',
  url: '/comfy/api/v2/assets/:assetId',
  config: reads,
  schema: { summary: 'One asset', tags, errorBody, params: ofAsset, response: { 200: comfyApiAsset } },
} as const satisfies Endpoint;

export const comfyApiDeleteAsset = {
  method: 'DELETE',
  url: '/comfy/api/v2/assets/:assetId',
  config: writes,
  schema: {
    summary: 'Delete an asset',
    description: '409 `asset_in_use` while a job that has not ended needs it.',
    tags,
    errorBody,
    params: ofAsset,
    response: { 204: Type.Null() },
  },
} as const satisfies Endpoint;

export const comfyApiContent = {
  method: 'GET',
  url: '/comfy/api/v2/assets/:assetId/content',
  config: reads,
  schema: {
    summary: 'The content of an asset, or a range of it',
    tags,
    errorBody,
    params: ofAsset,
    produces: ['application/octet-stream'],
    response: { 200: Type.Unknown(), 206: Type.Unknown(), 304: Type.Unknown() },
  },
} as const satisfies Endpoint;
