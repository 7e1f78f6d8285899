import type { DispatchArea } from '../../dispatch/create-dispatch.ts';
import type { Guard } from '../../http/access/guard.ts';
import type { Identity } from '../../http/access/identity.ts';
import type { Routes } from '../../http/app.ts';
import type { Admission } from '../../http/body/admission.ts';
import type { OpenStreams } from '../../http/streams/open-streams.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { ComfyuiFiles } from './comfyui-files.ts';
import { comfyuiRoutes } from './comfyui-routes.ts';
import { comfyuiSocketRoutes } from './comfyui-socket-routes.ts';
import { jobRoutes } from './job-routes.ts';
import { PromptFeed } from './prompt-feed.ts';
import { PromptJobs } from './prompt-jobs.ts';
import { PromptRecords } from './prompt-records.ts';
import { PromptStops } from './prompt-stops.ts';
import { Prompts } from './prompts.ts';
import { userDataRoutes } from './user-data-routes.ts';

export interface ComfyuiDoorOptions {
  dispatch: DispatchArea;
  guard: Guard;
  openStreams: OpenStreams;
  admission: Admission;
  endOf: (identity: Identity) => { signal: AbortSignal; release: () => void };
  clock: Clock;
  log: Logger;
  limits: { uploadBytes: number; socketsPerUser: number };
}

export interface ComfyuiDoor {
  routes: Routes[];
  close(): void;
}

/** The pool as one ComfyUI. It keeps nothing of its own: prompts are tasks, and what clients see is read from their rows. */
export function createComfyuiDoor(options: ComfyuiDoorOptions): ComfyuiDoor {
  const { dispatch, guard, openStreams, admission, endOf, clock, log, limits } = options;
  const feed = new PromptFeed({
    events: dispatch.events,
    prompts: dispatch.prompts,
    tasks: dispatch.taskStore,
    running: dispatch.runningNodes,
    lookAtReports: () => dispatch.lookAtReports(),
    clock,
    onFault: (err) => log.warn({ err }, 'A client of ComfyUI could not be told of its prompt'),
  });
  const nodes = dispatch.poolNodes;
  const files = new ComfyuiFiles(dispatch.files);
  const prompts = new Prompts({ ...dispatch, feed, nodes, files });
  const records = new PromptRecords({
    tasks: dispatch.taskStore,
    lists: dispatch.taskLists,
    promptLists: dispatch.promptLists,
    prompts: dispatch.prompts,
  });
  const stops = new PromptStops({ ...dispatch, records, clock });
  const { uploadBytes, socketsPerUser } = limits;
  return {
    routes: [
      comfyuiRoutes({
        prompts,
        records,
        stops,
        feed,
        nodes,
        files,
        storedFiles: dispatch.files,
        pictures: dispatch.pictures,
        instances: dispatch.instances,
        guard,
        admission,
        uploadBytes,
      }),
      jobRoutes({ jobs: new PromptJobs({ lists: dispatch.promptLists, records }), stops, guard }),
      userDataRoutes({ documents: dispatch.documents, admission }),
      comfyuiSocketRoutes({ feed, openStreams, admission, endOf, socketsPerUser, uploadBytes }),
    ],
    close: () => feed.close(),
  };
}
