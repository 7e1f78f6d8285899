import type { DispatchArea } from '../../dispatch/create-dispatch.ts';
import type { DispatchOptions } from '../../dispatch/dispatch-parts.ts';
import type { Guard } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { OpenStreams } from '../../http/streams/open-streams.ts';
import type { Clock } from '../../lib/clock.ts';
import { comfyApiRoutes } from './comfy-api-routes.ts';
import { JobSubmissions } from './job-submissions.ts';

interface ComfyApiDoorOptions {
  dispatch: DispatchArea;
  guard: Pick<Guard, 'originOf'>;
  openStreams: OpenStreams;
  clock: Clock;
  options: Pick<DispatchOptions, 'limits' | 'retentionMs'>;
}

/** The pool behind the official Comfy API. It keeps nothing of its own: jobs are tasks, and assets are stored files. */
export function createComfyApiDoor({ dispatch, options, ...parts }: ComfyApiDoorOptions): Routes {
  const submissions = new JobSubmissions({ ...dispatch, nodes: dispatch.poolNodes });
  return comfyApiRoutes({ ...dispatch, ...parts, ...options, submissions });
}
