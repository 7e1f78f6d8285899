import type { Migration } from '../platform/database/migrate.ts';
import * as first from './migrations/001-dispatch.ts';
import * as usage from './migrations/002-task-usage.ts';
import * as ofInstances from './migrations/003-tasks-of-instances.ts';
import * as fileNames from './migrations/004-file-names.ts';
import * as patience from './migrations/005-task-patience.ts';
import * as instanceEvents from './migrations/006-instance-events.ts';
import * as nodeRecord from './migrations/007-node-record.ts';
import * as queueControl from './migrations/008-queue-control.ts';
import * as fileRecipes from './migrations/009-file-recipes.ts';
import * as oldDeliveries from './migrations/010-old-deliveries.ts';
import * as attemptEnds from './migrations/012-attempt-ends.ts';
import * as pictureSizes from './migrations/013-picture-sizes.ts';
import * as oneDispatcher from './migrations/014-one-dispatcher.ts';
import * as knownPrompts from './migrations/015-known-prompts.ts';
import * as sentences from './migrations/016-sentences.ts';
import * as comfyuiDoor from './migrations/017-comfyui-door.ts';
import * as taskNotes from './migrations/018-task-notes.ts';
import * as workerSystems from './migrations/019-worker-systems.ts';
import * as clientsOfComfyui from './migrations/020-clients-of-comfyui.ts';
import * as contentHashes from './migrations/021-content-hashes.ts';
import * as embeddings from './migrations/022-embeddings.ts';
import * as traces from './migrations/023-traces.ts';
import * as workflowVersions from './migrations/024-workflow-versions.ts';
import * as sweeps from './migrations/025-sweeps.ts';
import * as fileSearch from './migrations/026-file-search.ts';
import * as keptFiles from './migrations/027-kept-files.ts';
import * as shares from './migrations/028-shares.ts';
import * as spreadCounters from './migrations/029-spread-counters.ts';
import * as fileTextsInOrder from './migrations/030-file-texts-in-order.ts';
import * as notesInOrder from './migrations/031-notes-in-order.ts';
import * as fileModels from './migrations/032-file-models.ts';

export const dispatchMigrations: readonly Migration[] = [
  first,
  usage,
  ofInstances,
  fileNames,
  patience,
  instanceEvents,
  nodeRecord,
  queueControl,
  fileRecipes,
  oldDeliveries,
  attemptEnds,
  pictureSizes,
  oneDispatcher,
  knownPrompts,
  sentences,
  comfyuiDoor,
  taskNotes,
  workerSystems,
  clientsOfComfyui,
  contentHashes,
  embeddings,
  traces,
  sweeps,
  fileSearch,
  workflowVersions,
  keptFiles,
  shares,
  spreadCounters,
  fileTextsInOrder,
  notesInOrder,
  fileModels,
];
