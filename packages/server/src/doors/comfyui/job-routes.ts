import {
  comfyuiCancelJob,
  comfyuiCancelJobs,
  comfyuiJob,
  comfyuiJobs,
} from '@switchyard/contract/doors/comfyui';
import { isRecord } from '@switchyard/contract/is-record';
import type { FastifyRequest } from 'fastify';
import { type Guard, identityOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import { comfyuiRoute, malformed } from './comfyui-endpoint-routes.ts';
import { comfyuiJobError } from './comfyui-errors.ts';
import type { PromptJobs } from './prompt-jobs.ts';
import type { PromptStops } from './prompt-stops.ts';
import { canonicalId } from './prompts.ts';

interface JobRoutesOptions {
  jobs: PromptJobs;
  stops: Pick<PromptStops, 'stop'>;
  guard: Pick<Guard, 'originOf'>;
}

/** The number of ids that the page sends at once. */
const maxIds = 100;
const words = { errorAnswer: comfyuiJobError };

/** Queue and history as the page of ComfyUI reads them. */
export function jobRoutes({ jobs, stops, guard }: JobRoutesOptions): Routes {
  const byOf = (request: FastifyRequest) => ({
    userId: identityOf(request).userId,
    origin: guard.originOf(request),
  });
  return (app) => {
    app.route(
      comfyuiRoute(
        comfyuiJobs,
        (request) => jobs.list(identityOf(request).userId, request.query as Record<string, unknown>),
        words,
      ),
    );

    app.route(
      comfyuiRoute(
        comfyuiJob,
        async (request, reply) => {
          const { jobId } = request.params as { jobId: string };
          const job = await jobs.one(identityOf(request).userId, jobId);
          return job ?? reply.code(404).send({ error: 'Job not found' });
        },
        words,
      ),
    );

    app.route(
      comfyuiRoute(
        comfyuiCancelJob,
        async (request) => {
          const { jobId } = request.params as { jobId: string };
          return { cancelled: (await stops.stop([jobId], byOf(request))).length > 0 };
        },
        words,
      ),
    );

    app.route(
      comfyuiRoute(
        comfyuiCancelJobs,
        async (request, reply) => {
          const ids = isRecord(request.body) ? request.body.job_ids : undefined;
          if (!Array.isArray(ids) || ids.length === 0 || ids.length > maxIds)
            throw malformed(`job_ids must be a list of 1 to ${maxIds} ids`);
          const invalid = ids.filter((id) => typeof id !== 'string' || !canonicalId.test(id));
          if (invalid.length > 0)
            return reply.code(400).send({ error: 'job_ids must be UUIDs', invalid_ids: invalid });
          return { cancelled: await stops.stop(ids, byOf(request)) };
        },
        words,
      ),
    );
  };
}
