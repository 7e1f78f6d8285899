import { type TSchema, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';

/**
 * The calls that clients of one ComfyUI make. Bodies and answers are ComfyUI's, which has no schema of them, so each
 * route reads its input by itself and answers mistakes in ComfyUI's words.
 */

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

export const comfyuiChangeHistory = {
  method: 'POST',
  url: '/comfy/history',
  config: writes,
  schema: {
    summary: 'Take own prompts out of the history',
    description:
      '`{"clear": true}` takes all that have ended, `{"delete": [ids]}` these. They stay in the record of the pool and are no more shown to clients of ComfyUI.',
    tags,
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiJobs = {
  method: 'GET',
  url: '/comfy/jobs',
  config: reads,
  schema: {
    summary: 'Own prompts of every state',
    description: 'The newest first. `pagination` says how many there are.',
    tags,
    querystring: query({
      status: 'Some of `pending`, `in_progress`, `completed`, `failed`, `cancelled`, with commas between.',
      workflow_id: 'Those of one workflow, as the page of ComfyUI names it.',
      sort_by: '`created_at` or `execution_duration`; the latter among the newest 1,000.',
      sort_order: '`asc` or `desc`.',
      limit: 'At most 200, which is the default.',
      offset: 'Prompts to skip.',
    }),
    response: anything,
  },
} as const satisfies Endpoint;

const ofJob = Type.Object({ jobId: Type.String() });

export const comfyuiJob = {
  method: 'GET',
  url: '/comfy/jobs/:jobId',
  config: reads,
  schema: {
    summary: 'One prompt with its graph and its outputs',
    tags,
    params: ofJob,
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiCancelJob = {
  method: 'POST',
  url: '/comfy/jobs/:jobId/cancel',
  config: writes,
  schema: {
    summary: 'Stop one own prompt that waits or runs',
    description: '`cancelled` is false when there was nothing to stop.',
    tags,
    params: ofJob,
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiCancelJobs = {
  method: 'POST',
  url: '/comfy/jobs/cancel',
  config: writes,
  schema: {
    summary: 'Stop own prompts that wait or run',
    description: '`{"job_ids": [ids]}` with 100 at most; the answer names those that were stopped.',
    tags,
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

export const comfyuiEmbeddings = {
  method: 'GET',
  url: '/comfy/embeddings',
  config: reads,
  schema: { summary: 'The embeddings that any worker of the pool has', tags, response: anything },
} as const satisfies Endpoint;

export const comfyuiExtensions = {
  method: 'GET',
  url: '/comfy/extensions',
  config: reads,
  schema: {
    summary: 'The scripts that the page of ComfyUI loads',
    description:
      'Those of the worker whose page is shown, on the origin of that page; an empty list elsewhere, where no script of a worker runs.',
    tags,
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

const ofFile = Type.Object({
  file: Type.String({ description: 'The path, whose slashes are encoded: `workflows%2Fa.json`.' }),
});
const ofSetting = Type.Object({ id: Type.String() });
const onWrite = {
  overwrite: '`false`: 409 when the file is there. By default it is replaced.',
  full_info: '`true`: the answer has size and times.',
};
/** A page sends texts under any of these types, or none. */
const storesText = { ...changes, untypedJson: true, bodyLimit: 4 * 1024 * 1024 } as const;
const textTypes = [
  'application/json',
  'text/css',
  'text/javascript',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
];

export const comfyuiUsers = {
  method: 'GET',
  url: '/comfy/users',
  config: reads,
  schema: {
    summary: 'How user data is stored',
    description: 'As a ComfyUI with one user says it: the account is the user.',
    tags,
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiSettings = {
  method: 'GET',
  url: '/comfy/settings',
  config: reads,
  schema: { summary: 'The settings that a page has stored for the account', tags, response: anything },
} as const satisfies Endpoint;

export const comfyuiSetting = {
  method: 'GET',
  url: '/comfy/settings/:id',
  config: reads,
  schema: {
    summary: 'One of these settings',
    description: '`null` where there is none.',
    tags,
    params: ofSetting,
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiChangeSettings = {
  method: 'POST',
  url: '/comfy/settings',
  config: storesText,
  schema: { summary: 'Store several settings', tags, consumes: textTypes, response: anything },
} as const satisfies Endpoint;

export const comfyuiSetSetting = {
  method: 'POST',
  url: '/comfy/settings/:id',
  config: storesText,
  schema: {
    summary: 'Store one setting',
    tags,
    params: ofSetting,
    consumes: textTypes,
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiListUserData = {
  method: 'GET',
  url: '/comfy/userdata',
  config: reads,
  schema: {
    summary: 'The files of a folder that a page has stored for the account',
    description: '404 for a folder without files.',
    tags,
    querystring: query({
      dir: 'The folder.',
      recurse: '`true`: the folders below it as well.',
      full_info: '`true`: each file with size and times.',
      split: '`true`: each path with its parts.',
    }),
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiListUserFolders = {
  method: 'GET',
  url: '/comfy/v2/userdata',
  config: reads,
  schema: {
    summary: 'The same with the folders themselves',
    tags,
    querystring: query({ path: 'The folder; everything without one.' }),
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiReadUserData = {
  method: 'GET',
  url: '/comfy/userdata/:file',
  config: reads,
  schema: {
    summary: 'One of these files',
    tags,
    params: ofFile,
    produces: ['application/octet-stream'],
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiWriteUserData = {
  method: 'POST',
  url: '/comfy/userdata/:file',
  config: storesText,
  schema: {
    summary: 'Store a file for the account',
    description: 'A text of 4 MB at most. An account has 2,000 of them, with 64 MB together.',
    tags,
    params: ofFile,
    querystring: query(onWrite),
    consumes: textTypes,
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiMoveUserData = {
  method: 'POST',
  url: '/comfy/userdata/:file/move/:dest',
  config: storesText,
  schema: {
    summary: 'Give such a file another path',
    tags,
    params: Type.Object({ ...ofFile.properties, dest: Type.String() }),
    querystring: query(onWrite),
    consumes: textTypes,
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiDeleteUserData = {
  method: 'DELETE',
  url: '/comfy/userdata/:file',
  config: changes,
  schema: { summary: 'Delete such a file', tags, params: ofFile, response: { 204: Type.Unknown() } },
} as const satisfies Endpoint;

/** A call that a page makes when it starts, and whose answer is always the same. */
function constant<Url extends string>(url: Url, summary: string) {
  return {
    method: 'GET',
    url,
    config: reads,
    schema: { summary, tags, response: anything },
  } as const satisfies Endpoint;
}

export const comfyuiTranslations = constant('/comfy/i18n', 'No translations of custom nodes');
export const comfyuiTemplates = constant('/comfy/workflow_templates', 'No templates of custom nodes');
export const comfyuiSubgraphs = constant('/comfy/global_subgraphs', 'No subgraphs of the workers');
export const comfyuiReplacements = constant('/comfy/node_replacements', 'No nodes that replace others');
export const comfyuiFolderPaths = constant(
  '/comfy/internal/folder_paths',
  'No folders: those of the workers are no concern of an account',
);
export const comfyuiLogs = constant('/comfy/internal/logs', 'No lines: a log names what all users do');
export const comfyuiRawLogs = constant('/comfy/internal/logs/raw', 'The same with the size of a terminal');

export const comfyuiFolderFiles = {
  method: 'GET',
  url: '/comfy/internal/files/:folder',
  config: reads,
  schema: {
    summary: 'The names of own files, the newest first',
    description: '200 at most; `input` has uploads, `output` what prompts have made.',
    tags,
    params: Type.Object({ folder: Type.String() }),
    response: anything,
  },
} as const satisfies Endpoint;

export const comfyuiDownloadMissing = {
  method: 'POST',
  url: '/comfy/experiment/models/download_missing',
  config: writes,
  schema: {
    summary: 'Refused',
    description: 'The administrator puts models on the workers.',
    tags,
    response: anything,
  },
} as const satisfies Endpoint;
