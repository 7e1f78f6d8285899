import { type TSchema, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';

/**
 * What clients of one ComfyUI call. Bodies and answers are ComfyUI's, which has no schema of them, so each route reads what it
 * gets by itself and answers mistakes in ComfyUI's words.
 */

/** Each address is also below the second base, since clients of ComfyUI use both. */
export const comfyuiBases = ['/comfy', '/comfy/api'] as const;

const tags = ['ComfyUI door'];
const anything = { 200: Type.Unknown() };
const reads = { access: 'dispatch:read', door: 'comfyui', headerOnly: true } as const;
const changes = { access: 'dispatch:write', door: 'comfyui', headerOnly: true } as const;
const writes = { ...changes, untypedJson: true } as const;

function query(names: Record<string, string>): TSchema {
  const fields = Object.entries(names).map(([name, description]) => [
    name,
    Type.Optional(Type.Unknown({ description })),
  ]);
  return Type.Object(Object.fromEntries(fields));
}

export const comfyuiSocket = {
  method: 'GET',
  url: '/comfy/ws',
  config: reads,
  schema: {
    summary: 'Messages about own prompts over a WebSocket',
    description:
      'The first message is `status` with the `sid` of the client. The messages of a prompt go to the client whose id it was sent with. Previews are binary: type 4 for a client whose first message announces `supports_preview_metadata`, type 1 for others.',
    tags,
    querystring: query({ clientId: 'The id of the client; made when absent.' }),
    response: { 101: Type.Unknown({ description: 'The protocol is switched.' }) },
  },
} as const satisfies Endpoint;

export const comfyuiQueueInfo = {
  method: 'GET',
  url: '/comfy/prompt',
  config: reads,
  schema: { summary: 'How many own prompts wait or run', tags, response: anything },
} as const satisfies Endpoint;

export const comfyuiSubmit = {
  method: 'POST',
  url: '/comfy/prompt',
  config: { ...writes, bodyLimit: 'large' },
  schema: {
    summary: 'Queue a prompt',
    description:
      'Becomes a task of the pool. `prompt_id` is kept when it is a UUID in lower case; the same one with the same body is the same task for 24 hours. The body is JSON, whichever of these types it names, or none.',
    tags,
    consumes: ['application/json', 'application/x-www-form-urlencoded'],
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiQueue = {
  method: 'GET',
  url: '/comfy/queue',
  config: reads,
  schema: {
    summary: 'Own prompts that run and wait',
    description: 'All of them with their ids; the graph of the first hundred of each list.',
    tags,
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiChangeQueue = {
  method: 'POST',
  url: '/comfy/queue',
  config: writes,
  schema: {
    summary: 'Take own prompts out of the queue',
    description:
      '`{"clear": true}` takes all that wait, `{"delete": [ids]}` these. A prompt that runs goes on, and an id that no own prompt has is no error.',
    tags,
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiInterrupt = {
  method: 'POST',
  url: '/comfy/interrupt',
  config: writes,
  schema: {
    summary: 'Stop own prompts that run',
    description: 'The one whose `prompt_id` the body has, or all without one.',
    tags,
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiHistory = {
  method: 'GET',
  url: '/comfy/history',
  config: reads,
  schema: {
    summary: 'Own prompts that have ended, with their outputs',
    description: 'The newest 200 at most, the oldest of them first.',
    tags,
    querystring: query({
      max_items: 'At most so many.',
      offset: 'Prompts to skip, counted from the oldest; by default the newest are listed.',
    }),
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiHistoryOfOne = {
  method: 'GET',
  url: '/comfy/history/:promptId',
  config: reads,
  schema: {
    summary: 'One prompt that has ended',
    description: '`{}` while it runs, and for an id that no own prompt has.',
    tags,
    params: Type.Object({ promptId: Type.String() }),
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiView = {
  method: 'GET',
  url: '/comfy/view',
  config: reads,
  schema: {
    summary: 'A file that was uploaded or made',
    tags,
    querystring: query({
      filename: 'As an upload or an output names it, also with `[input]`, `[output]` or `[temp]` behind it.',
      subfolder: 'As it was named.',
      type: '`input`, `output` or `temp`; `output` when absent.',
      preview: '`webp` or `jpeg` with a quality behind it, as `webp;75`: the picture in that form.',
      channel: '`rgb` or `a`: a PNG of the colours or of the transparency alone.',
    }),
    produces: ['application/octet-stream'],
    response: { 200: Type.Unknown(), 206: Type.Unknown(), 304: Type.Unknown() },
  },
} as const satisfies Endpoint;

export const comfyuiUpload = {
  method: 'POST',
  url: '/comfy/upload/image',
  config: changes,
  schema: {
    summary: 'Upload a picture for later prompts',
    description:
      'One part named `image`, and `overwrite`, `subfolder` and `type` in any order. The same bytes under the same name are the same file; other bytes get a new name unless `overwrite` is set.',
    tags,
    consumes: ['multipart/form-data'],
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiUploadMask = {
  method: 'POST',
  url: '/comfy/upload/mask',
  config: changes,
  schema: {
    summary: 'Upload a mask for a picture',
    description:
      'As `/comfy/upload/image`, with `original_ref`: the picture as JSON with `filename`, `subfolder` and `type`. The file that is kept is the picture with the transparency of the mask.',
    tags,
    consumes: ['multipart/form-data'],
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiObjectInfo = {
  method: 'GET',
  url: '/comfy/object_info',
  config: reads,
  schema: {
    summary: 'The nodes of all workers of the pool',
    description: 'As the workers describe them. A list of choices has what any of the workers has.',
    tags,
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiObjectInfoOfOne = {
  method: 'GET',
  url: '/comfy/object_info/:nodeClass',
  config: reads,
  schema: {
    summary: 'One node of the pool',
    description: '`{}` for a class that no worker has.',
    tags,
    params: Type.Object({ nodeClass: Type.String() }),
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiModelFolders = {
  method: 'GET',
  url: '/comfy/models',
  config: reads,
  schema: {
    summary: 'The folders of models that the pool loads from',
    description: 'Those that the own nodes of ComfyUI list, when a worker has the node.',
    tags,
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiModels = {
  method: 'GET',
  url: '/comfy/models/:folder',
  config: reads,
  schema: {
    summary: 'The models in one folder, of all workers of the pool',
    description: 'What the node that loads from the folder offers; 404 for a folder that is not listed.',
    tags,
    params: Type.Object({ folder: Type.String() }),
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiShownFolders = {
  method: 'GET',
  url: '/comfy/experiment/models',
  config: reads,
  schema: { summary: 'The same folders for the page of ComfyUI', tags, response: anything },
} as const satisfies Endpoint;

export const comfyuiShownModels = {
  method: 'GET',
  url: '/comfy/experiment/models/:folder',
  config: reads,
  schema: {
    summary: 'The models in one folder for the page of ComfyUI',
    tags,
    params: Type.Object({ folder: Type.String() }),
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiSystemStats = {
  method: 'GET',
  url: '/comfy/system_stats',
  config: reads,
  schema: { summary: 'Version and devices of the pool', tags, response: anything },
} as const satisfies Endpoint;

export const comfyuiFeatures = {
  method: 'GET',
  url: '/comfy/features',
  config: reads,
  schema: { summary: 'What a client may count on', tags, response: anything },
} as const satisfies Endpoint;

export const comfyuiFree = {
  method: 'POST',
  url: '/comfy/free',
  config: writes,
  schema: {
    summary: 'Accepted and without effect',
    description: 'The workers are shared, so no account unloads the models of all.',
    tags,
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiLogsSubscribe = {
  method: 'PATCH',
  url: '/comfy/internal/logs/subscribe',
  config: { ...reads, untypedJson: true },
  schema: {
    summary: 'Accepted and without effect',
    description: 'The log of a worker names what all users do, so no user gets it.',
    tags,
    response: anything,
  },
} as const satisfies Endpoint;
