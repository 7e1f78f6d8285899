import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import {
  cancelAndStreamRun,
  cancelRun,
  createRun,
  deleteRun,
  getRun,
  joinRun,
  listRuns,
  streamExistingRun,
  streamRun,
  waitRun,
} from '@switchyard/contract/conversation/runs';
import type { Routes } from '../../http/app.ts';
import { ownerOf } from '../../http/guard.ts';
import { isOn, RunAnswers, type RunAnswersOptions } from './run-answers.ts';
import { runHeaders } from './run-replies.ts';
import { viewRun } from './run-view.ts';

/** Runs of a thread. */
export function runRoutes(mount: Mount, options: RunAnswersOptions): Routes {
  const { runs } = options;
  const answers = new RunAnswers(mount, options);
  return (app) => {
    app.route({
      ...at(mount, createRun),
      handler: async (request, reply) => {
        const { run, kwargs } = await runs.start(
          answers.caller(request),
          request.params.thread_id,
          request.body,
        );
        reply.headers(runHeaders(mount, run));
        return viewRun(run, kwargs);
      },
    });

    app.route({
      ...at(mount, streamRun),
      handler: async (request, reply) => {
        await answers.stream(request, reply, request.params.thread_id);
        return reply;
      },
    });

    app.route({
      ...at(mount, waitRun),
      handler: async (request, reply) => {
        await answers.wait(request, reply, request.params.thread_id);
        return reply;
      },
    });

    app.route({
      ...at(mount, listRuns),
      handler: async (request) => runs.list(ownerOf(request), request.params.thread_id, request.query),
    });

    app.route({
      ...at(mount, getRun),
      handler: async (request) => runs.get(ownerOf(request), nameOf(request.params)),
    });

    app.route({
      ...at(mount, cancelRun),
      handler: async (request, reply) => {
        const { action = 'interrupt', wait } = request.query;
        await answers.cancel(request, reply, { name: nameOf(request.params), action, wait: isOn(wait) });
        return reply;
      },
    });

    app.route({
      ...at(mount, joinRun),
      handler: async (request, reply) => {
        await answers.join(request, reply, {
          name: nameOf(request.params),
          cancelOnDisconnect: isOn(request.query.cancel_on_disconnect),
        });
        return reply;
      },
    });

    app.route({
      ...at(mount, streamExistingRun),
      handler: async (request, reply) => {
        await answers.watch(request, reply, nameOf(request.params));
        return reply;
      },
    });

    app.route({
      ...at(mount, cancelAndStreamRun),
      handler: async (request, reply) => {
        const name = nameOf(request.params);
        const { action, wait } = request.query;
        if (action && isOn(wait)) {
          await answers.cancel(request, reply, { name, action, wait: true });
          return reply;
        }
        if (action) await answers.tryCancel(request, name, action);
        await answers.watch(request, reply, name);
        return reply;
      },
    });

    app.route({
      ...at(mount, deleteRun),
      handler: async (request, reply) => {
        await runs.delete(ownerOf(request), nameOf(request.params));
        return reply.code(204).send(null);
      },
    });
  };
}

function nameOf({ thread_id, run_id }: { thread_id: string; run_id: string }): {
  threadId: string;
  runId: string;
} {
  return { threadId: thread_id, runId: run_id };
}
