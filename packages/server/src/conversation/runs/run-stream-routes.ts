import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import { type CancelAction, type RunCreate, streamModes } from '@switchyard/contract/conversation/run';
import {
  cancelAndStreamRun,
  streamExistingRun,
  streamRun,
  streamRunById,
  streamStatelessRun,
  streamThread,
  threadStreamModes,
} from '@switchyard/contract/conversation/runs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { identityOf, ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import { arrivalOf } from '../../http/exchange/arrivals.ts';
import { traceOf } from '../../http/exchange/request-traces.ts';
import { whileOpen } from '../../http/streams/held-answer.ts';
import type { OpenStream, OpenStreams } from '../../http/streams/open-streams.ts';
import { type EventStreamEnd, sendEvents } from '../../http/streams/sse.ts';
import type { RunRow } from '../tables.ts';
import { lastEventId } from './records/run-frames.ts';
import { isOn, nameOf, streamHeaders } from './run-addresses.ts';
import { runCallerOf } from './run-caller.ts';
import { cancelFor, cancelOn, replyAfterEnd } from './run-wait-routes.ts';
import type { FrameSource, RunName, Runs } from './runs.ts';
import { threadPosition } from './thread-frames.ts';

interface WatchQuery {
  cancel_on_disconnect?: string;
  stream_mode?: string[];
}

/** Streams of runs. */
export function runStreamRoutes(
  mount: Mount,
  { runs, openStreams }: { runs: Runs; openStreams: Pick<OpenStreams, 'open'> },
): Routes {
  /** When the client ends the stream, the run ends too if the request asked for that. */
  const start = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { threadId, body }: { threadId: string | null; body: RunCreate },
  ): Promise<void> =>
    whileOpen({ openStreams, request }, 'events', async (open) => {
      const caller = runCallerOf(identityOf(request), {
        mount,
        arrival: arrivalOf(request),
        trace: traceOf(request),
      });
      const { run, onDisconnect } = await runs.start(caller, threadId, body, { claim: true });
      const source = runs.framesOf(run);
      const end = await replyWithEvents(request, reply, { mount, run, open, source });
      if (end === 'client_gone' && onDisconnect === 'cancel') await cancelFor(runs, request, run);
    });

  /** A reader that disconnects cancels nothing, unless it asked for that. */
  const watch = async (request: FastifyRequest, reply: FastifyReply, name: RunName): Promise<void> =>
    whileOpen({ openStreams, request }, 'events', async (open) => {
      const { cancel_on_disconnect: cancels, stream_mode: wanted } = request.query as WatchQuery;
      const { run, source } = await runs.frames(ownerOf(request), name, {
        after: lastEventId(request.headers['last-event-id']),
        modes: wanted ? streamModes.filter((mode) => wanted.includes(mode)) : null,
      });
      const end = await replyWithEvents(request, reply, { mount, run, open, source });
      if (end === 'client_gone' && isOn(cancels)) await cancelFor(runs, request, run);
    });

  const cancel = async (request: FastifyRequest, name: RunName, action: CancelAction): Promise<void> => {
    await runs.cancelIfOpen(ownerOf(request), name, action);
  };

  return (app) => {
    app.route({
      ...at(mount, streamRun),
      handler: async (request, reply) => {
        await start(request, reply, { threadId: request.params.thread_id, body: request.body });
        return reply;
      },
    });

    app.route({
      ...at(mount, streamStatelessRun),
      handler: async (request, reply) => {
        await start(request, reply, { threadId: null, body: request.body });
        return reply;
      },
    });

    app.route({
      ...at(mount, streamExistingRun),
      handler: async (request, reply) => {
        await watch(request, reply, nameOf(request.params));
        return reply;
      },
    });

    app.route({
      ...at(mount, streamThread),
      handler: async (request, reply) => {
        const { stream_mode: wanted = [] } = request.query;
        const modes = threadStreamModes.filter((mode) => wanted.includes(mode));
        const source = await runs.threadFrames(ownerOf(request), request.params.thread_id, {
          position: threadPosition(request.headers['last-event-id']),
          modes: modes.length > 0 ? modes : ['run_modes'],
        });
        const location = `/threads/${request.params.thread_id}/stream`;
        await sendEvents(request, reply, { openStreams, source, headers: { location } });
        return reply;
      },
    });

    app.route({
      ...at(mount, streamRunById),
      handler: async (request, reply) => {
        await watch(request, reply, { threadId: null, runId: request.params.run_id });
        return reply;
      },
    });

    app.route({
      ...at(mount, cancelAndStreamRun),
      handler: async (request, reply) => {
        const name = nameOf(request.params);
        const { action, wait } = request.query;
        if (action && isOn(wait)) {
          const run = await runs[cancelOn(mount)](ownerOf(request), name, action);
          await replyAfterEnd({ runs, openStreams }, { request, reply, ended: [run] });
          return reply;
        }
        // A run that can no longer be cancelled is simply streamed.
        if (action) await cancel(request, name, action);
        await watch(request, reply, name);
        return reply;
      },
    });
  };
}

/** The stream is opened before the run is started, so a gateway that is full refuses the run and not only its stream. */
function replyWithEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  { mount, run, open, source }: { mount: Mount; run: RunRow; open: OpenStream; source: FrameSource },
): Promise<EventStreamEnd> {
  return sendEvents(request, reply, {
    openStreams: { open: () => open },
    source,
    headers: streamHeaders(mount, run),
  });
}
