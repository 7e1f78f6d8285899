import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import type { RunCreate } from '@switchyard/contract/conversation/run';
import { joinRun, waitRun, waitStatelessRun } from '@switchyard/contract/conversation/runs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { identityOf, ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import { arrivalOf } from '../../http/exchange/arrivals.ts';
import { traceOf } from '../../http/exchange/request-traces.ts';
import { type HeldText, onClientGone, replyWhenKnown, whileOpen } from '../../http/streams/held-answer.ts';
import type { OpenStreams } from '../../http/streams/open-streams.ts';
import { AppError } from '../../lib/app-error.ts';
import { mountRules } from '../mount-rules.ts';
import type { RunRow } from '../tables.ts';
import { isOn, nameOf, runHeaders } from './run-addresses.ts';
import { runCallerOf } from './run-caller.ts';
import type { RunResult, Runs } from './runs.ts';

interface RunWaitRoutesOptions {
  runs: Runs;
  openStreams: Pick<OpenStreams, 'open'>;
}

/** Routes that wait for the end of runs. */
export function runWaitRoutes(mount: Mount, { runs, openStreams }: RunWaitRoutesOptions): Routes {
  const wait = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { threadId, body }: { threadId: string | null; body: RunCreate },
  ): Promise<void> =>
    whileOpen({ openStreams, request }, 'held_request', async (open) => {
      const caller = runCallerOf(identityOf(request), {
        mount,
        arrival: arrivalOf(request),
        trace: traceOf(request),
      });
      const { run, result, onDisconnect } = await runs.start(caller, threadId, body, {
        claim: true,
        expect: true,
      });
      if (onDisconnect === 'cancel') onClientGone(open.signal, () => void cancelFor(runs, request, run));
      reply.headers(runHeaders(mount, run));
      const answer = textOf(result(open.signal), { mount, run, signal: open.signal });
      await replyWhenKnown(request, reply, { answer, open });
    });

  return (app) => {
    app.route({
      ...at(mount, waitRun),
      handler: async (request, reply) => {
        await wait(request, reply, { threadId: request.params.thread_id, body: request.body });
        return reply;
      },
    });

    app.route({
      ...at(mount, waitStatelessRun),
      handler: async (request, reply) => {
        await wait(request, reply, { threadId: null, body: request.body });
        return reply;
      },
    });

    app.route({
      ...at(mount, joinRun),
      handler: async (request, reply) => {
        await whileOpen({ openStreams, request }, 'held_request', async (open) => {
          const run = await runs.find(ownerOf(request), nameOf(request.params));
          if (isOn(request.query.cancel_on_disconnect))
            onClientGone(open.signal, () => void cancelFor(runs, request, run));
          reply.headers(runHeaders(mount, run));
          const answer = textOf(runs.result(run, open.signal), { mount, run, signal: open.signal });
          await replyWhenKnown(request, reply, { answer, open });
        });
        return reply;
      },
    });
  };
}

/** Returns how the mount cancels a run: a run that has ended is refused, or nothing happens to it. */
export function cancelOn(mount: Mount): 'cancel' | 'cancelIfOpen' {
  return mountRules[mount].cancelOfEnded === 'accept' ? 'cancelIfOpen' : 'cancel';
}

/** Answers 204 when all of them have ended. */
export async function replyAfterEnd(
  { runs, openStreams }: RunWaitRoutesOptions,
  { request, reply, ended }: { request: FastifyRequest; reply: FastifyReply; ended: readonly RunRow[] },
): Promise<void> {
  await whileOpen({ openStreams, request }, 'held_request', async (open) => {
    await runs.allEnded(ended, open.signal);
    open.close();
    reply.code(204).send();
  });
}

/** For a client that has disconnected: no one reads the answer. */
export async function cancelFor(
  runs: Runs,
  request: FastifyRequest,
  { run_id: runId }: RunRow,
): Promise<void> {
  try {
    await runs.cancelIfOpen(ownerOf(request), { threadId: null, runId }, 'interrupt');
  } catch (error) {
    request.log.warn({ err: error, runId }, 'A run could not be cancelled for a client that has gone');
  }
}

/**
 * The final values. When the gateway stops while the run continues, the answer has an error in its body: clients repeat a request
 * that failed, and would start the run twice.
 */
async function textOf(
  result: Promise<RunResult>,
  { mount, run, signal }: { mount: Mount; run: RunRow; signal: AbortSignal },
): Promise<HeldText> {
  try {
    const { run: ended, values } = await result;
    return { text: JSON.stringify(values), headers: { 'x-run-status': ended.status } };
  } catch (error) {
    const { reason } = signal;
    if (!(reason instanceof AppError && reason.code === 'shutting_down')) throw error;
    const path = `${runHeaders(mount, run)['content-location']}/join`;
    const message = `The gateway is shutting down; the run goes on. Wait for it with GET ${path}.`;
    const values = { __error__: { error: 'ShuttingDown', message } };
    return { text: JSON.stringify(values), headers: { 'x-run-status': 'running' } };
  }
}
