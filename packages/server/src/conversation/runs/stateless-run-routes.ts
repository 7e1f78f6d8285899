import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import { runCreate } from '@switchyard/contract/conversation/run';
import {
  cancelRuns,
  createRunBatch,
  createStatelessRun,
  streamRunById,
  streamStatelessRun,
  waitStatelessRun,
} from '@switchyard/contract/conversation/runs';
import type { Routes } from '../../http/app.ts';
import { ownerOf } from '../../http/guard.ts';
import { isOn, RunAnswers, type RunAnswersOptions } from './run-answers.ts';
import { runHeaders } from './run-replies.ts';
import { viewRun } from './run-view.ts';

/** Runs that get a thread of their own, and runs by their id alone. */
export function statelessRunRoutes(mount: Mount, options: RunAnswersOptions): Routes {
  const { runs } = options;
  const answers = new RunAnswers(mount, options);
  return (app) => {
    app.route({
      ...at(mount, createStatelessRun),
      handler: async (request, reply) => {
        const { run, kwargs } = await runs.start(answers.caller(request), null, request.body);
        reply.headers(runHeaders(mount, run));
        return viewRun(run, kwargs);
      },
    });

    app.route({
      ...at(mount, streamStatelessRun),
      handler: async (request, reply) => {
        await answers.stream(request, reply, null);
        return reply;
      },
    });

    app.route({
      ...at(mount, waitStatelessRun),
      handler: async (request, reply) => {
        await answers.wait(request, reply, null);
        return reply;
      },
    });

    app.route({
      ...at(mount, createRunBatch),
      handler: async (request, reply) => {
        const ignored = unknownFields(request.body);
        if (ignored.length > 0) reply.header('x-ignored-fields', ignored.join(', '));
        return runs.startBatch(answers.caller(request), request.body);
      },
    });

    app.route({
      ...at(mount, cancelRuns),
      handler: async (request, reply) => {
        const { thread_id: threadId, run_ids: runIds, status } = request.body;
        const { action = 'interrupt', wait } = request.query;
        const stopping = await runs.cancelMany(ownerOf(request), { threadId, runIds, status }, action);
        if (!isOn(wait)) return reply.code(202).send(null);
        await answers.afterEnd(request, reply, stopping);
        return reply;
      },
    });

    app.route({
      ...at(mount, streamRunById),
      handler: async (request, reply) => {
        await answers.watch(request, reply, { threadId: null, runId: request.params.run_id });
        return reply;
      },
    });
  };
}

/** The shell looks into objects for them, not into lists. */
function unknownFields(bodies: readonly object[]): string[] {
  const names = bodies.flatMap((body) =>
    Object.keys(body).filter((key) => !Object.hasOwn(runCreate.properties, key)),
  );
  return [...new Set(names)].slice(0, 20).map((name) => encodeURIComponent(name).slice(0, 100));
}
