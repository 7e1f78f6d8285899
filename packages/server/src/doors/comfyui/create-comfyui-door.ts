import { comfyuiBase } from '@switchyard/contract/doors/comfyui-address';
import type { Sessions } from '../../accounts/sessions.ts';
import type { DispatchArea } from '../../dispatch/create-dispatch.ts';
import type { Guard } from '../../http/access/guard.ts';
import type { Identity } from '../../http/access/identity.ts';
import type { Routes } from '../../http/app.ts';
import type { Admission } from '../../http/body/admission.ts';
import type { OpenStreams } from '../../http/streams/open-streams.ts';
import { systemTimer } from '../../lib/async/timer.ts';
import { type Clock, steadyClock } from '../../lib/clock.ts';
import { guardedLookup } from '../../platform/outbound/host-rules.ts';
import type { ProxySettings } from '../../platform/outbound/proxy-rules.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { ComfyuiFiles } from './comfyui-files.ts';
import { comfyuiRest, comfyuiRoutes } from './comfyui-routes.ts';
import { comfyuiSocketRoutes } from './comfyui-socket-routes.ts';
import { jobRoutes } from './job-routes.ts';
import { PageFiles } from './page-files.ts';
import { pageRoutes } from './page-routes.ts';
import { pageTicketRoutes } from './page-ticket-routes.ts';
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
  /** Null when the page of ComfyUI has no origin. */
  page: PageDoorOptions | null;
  /** The origin of the page for a browser that reached the gateway under this one; null when the page has none. */
  pageOrigin: (gateway: string | undefined) => string | null;
  sessions: Pick<Sessions, 'ticketFor' | 'redeem'>;
}

export interface PageDoorOptions {
  /** The guard of the page's own origin. */
  guard: Guard;
  /** The server whose page is shown; null means that of any worker. */
  server: string | null;
  listed: readonly string[];
  /** The proxies through which the worker is called. */
  proxies: ProxySettings;
}

export interface ComfyuiDoor {
  routes: Routes[];
  /** The routes of the listener of the page; null when it has none. */
  pageRoutes: Routes[] | null;
  close(): void;
}

/** The pool as one ComfyUI. It keeps nothing of its own: prompts are tasks, and what clients see is read from their rows. */
export function createComfyuiDoor(options: ComfyuiDoorOptions): ComfyuiDoor {
  const { dispatch, guard, clock, log, page } = options;
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
  const shared = { ...options, ...options.limits, prompts, records, stops, feed, nodes, files };
  const { files: storedFiles, pictures, instances } = dispatch;
  const calls = { ...shared, storedFiles, pictures, instances };
  const jobs = new PromptJobs({ lists: dispatch.promptLists, records });
  const userData = userDataRoutes({ ...options, documents: dispatch.documents });
  const pageFiles = page && newPageFiles(page, dispatch);
  return {
    routes: [
      comfyuiRoutes({ ...calls, extensions: async () => [], rest: comfyuiRest }),
      jobRoutes({ jobs, stops, guard }),
      userData,
      comfyuiSocketRoutes(shared),
      pageTicketRoutes({ ...options, savedWorkflows: dispatch.savedWorkflows, guard }),
    ],
    pageRoutes: page &&
      pageFiles && [
        comfyuiRoutes({
          ...calls,
          guard: page.guard,
          extensions: () => pageFiles.extensions(),
          rest: pageRoutes({
            ...options,
            ...page,
            files: pageFiles,
            nodes,
            savedWorkflows: dispatch.savedWorkflows,
          }),
        }),
        jobRoutes({ jobs, stops, guard: page.guard }),
        userData,
        comfyuiSocketRoutes({ ...shared, base: comfyuiBase }),
      ],
    close: () => {
      feed.close();
      pageFiles?.close();
    },
  };
}

function newPageFiles({ server, proxies }: PageDoorOptions, dispatch: DispatchArea): PageFiles {
  return new PageFiles({
    instances: dispatch.instances,
    settings: () => dispatch.configuration.current,
    server,
    proxies,
    lookup: guardedLookup({ allowPrivate: true }),
    steadyClock,
    timer: systemTimer,
  });
}
