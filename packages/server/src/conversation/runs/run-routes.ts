import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import { runCreate } from '@switchyard/contract/conversation/run';
import {
  cancelRun,
  cancelRuns,
  createRun,
  createRunBatch,
  createStatelessRun,
  deleteRun,
  getRun,
  listRuns,
} from '@switchyard/contract/conversation/runs';
import type { FastifyReply } from 'fastify';
import { identityOf, ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import { arrivalOf } from '../../http/exchange/arrivals.ts';
import { traceOf } from '../../http/exchange/request-traces.ts';
import type { OpenStreams } from '../../http/streams/open-streams.ts';
import { viewRun } from './records/run-view.ts';
import { isOn, nameOf, runHeaders } from './run-addresses.ts';
import { runCallerOf } from './run-caller.ts';
import { runStreamRoutes } from './run-stream-routes.ts';
import { cancelOn, replyAfterEnd, runWaitRoutes } from './run-wait-routes.ts';
import type { Runs } from './runs.ts';

interface RunRoutesOptions {
  runs: Runs;
  openStreams: Pick<OpenStreams, 'open'>;
}

/** Runs of a thread. */
export function runRoutes(mount: Mount, { runs, openStreams }: RunRoutesOptions): Routes {
  const cancel = cancelOn(mount);
  return (app) => {
    app.route({
      ...at(mount, createRun),
      handler: async (request, reply) => {
        const { thread_id } = request.params;
        const { run, kwargs } = await runs.start(
          runCallerOf(identityOf(request), { mount, arrival: arrivalOf(request), trace: traceOf(request) }),
          thread_id,
          request.body,
        );
        reply.headers(runHeaders(mount, run));
        return viewRun(run, kwargs);
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
        const run = await runs[cancel](ownerOf(request), nameOf(request.params), action);
        if (!isOn(wait)) replyAccepted(reply);
        else await replyAfterEnd({ runs, openStreams }, { request, reply, ended: [run] });
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

    runStreamRoutes(mount, { runs, openStreams })(app);
    runWaitRoutes(mount, { runs, openStreams })(app);
  };
}

/** Runs that get a thread of their own, and runs by their id alone. */
export function statelessRunRoutes(mount: Mount, { runs, openStreams }: RunRoutesOptions): Routes {
  return (app) => {
    app.route({
      ...at(mount, createStatelessRun),
      handler: async (request, reply) => {
        const { run, kwargs } = await runs.start(
          runCallerOf(identityOf(request), { mount, arrival: arrivalOf(request), trace: traceOf(request) }),
          null,
          request.body,
        );
        reply.headers(runHeaders(mount, run));
        return viewRun(run, kwargs);
      },
    });

    app.route({
      ...at(mount, createRunBatch),
      handler: async (request, reply) => {
        const ignored = unknownFields(request.body);
        if (ignored.length > 0) reply.header('x-ignored-fields', ignored.join(', '));
        return runs.startBatch(
          runCallerOf(identityOf(request), { mount, arrival: arrivalOf(request), trace: traceOf(request) }),
          request.body,
        );
      },
    });

    app.route({
      ...at(mount, cancelRuns),
      handler: async (request, reply) => {
        const { thread_id: threadId, run_ids: runIds, status } = request.body;
        const { action = 'interrupt', wait } = request.query;
        const ended = await runs.cancelMany(ownerOf(request), { threadId, runIds, status }, action);
        if (!isOn(wait)) replyAccepted(reply);
        else await replyAfterEnd({ runs, openStreams }, { request, reply, ended });
        return reply;
      },
    });
  };
}

/** Answers without a body, because clients do not read it. */
function replyAccepted(reply: FastifyReply): void {
  reply.code(202).send();
}

/** The HTTP layer reports unknown fields of objects, but not those of lists. */
function unknownFields(bodies: readonly object[]): string[] {
  const names = bodies.flatMap((body) =>
    Object.keys(body).filter((key) => !Object.hasOwn(runCreate.properties, key)),
  );
  return [...new Set(names)].slice(0, 20).map((name) => encodeURIComponent(name).slice(0, 100));
}
