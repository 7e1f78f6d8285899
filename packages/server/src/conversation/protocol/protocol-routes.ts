import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import { eventFilter, sendCommand, streamThreadEvents } from '@switchyard/contract/conversation/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { eventText, type ProtocolEvent } from '../../agents/run-events/protocol-event.ts';
import { identityOf, ownerOf } from '../../http/access/guard.ts';
import type { App, Routes } from '../../http/app.ts';
import { arrivalOf } from '../../http/exchange/arrivals.ts';
import { traceOf } from '../../http/exchange/request-traces.ts';
import type { OpenStreams } from '../../http/streams/open-streams.ts';
import { sendEvents } from '../../http/streams/sse.ts';
import { encodeEvents } from '../../platform/stream-log/stream-frame.ts';
import { runCallerOf } from '../runs/run-caller.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import type { ThreadCommands } from './commands.ts';
import { failureOf, protocolErrorOf } from './protocol-error.ts';
import { checked } from './protocol-values.ts';
import type { ThreadEvents } from './thread-events.ts';

/** LangGraph's second protocol: commands, and the events of a thread. */
export function protocolRoutes(
  mount: Mount,
  {
    commands,
    events,
    access,
    openStreams,
  }: {
    commands: ThreadCommands;
    events: ThreadEvents;
    access: Pick<ThreadAccess, 'require'>;
    openStreams: Pick<OpenStreams, 'open'>;
  },
): Routes {
  return (app) => {
    const errorHandler = inProtocol(app);

    app.route({
      ...at(mount, sendCommand),
      errorHandler,
      handler: async (request) => {
        const caller = runCallerOf(identityOf(request), {
          mount,
          arrival: arrivalOf(request),
          trace: traceOf(request),
        });
        return commands.execute(caller, request.params.thread_id, request.body);
      },
    });

    app.route({
      ...at(mount, streamThreadEvents),
      errorHandler,
      handler: async (request, reply) => {
        const { thread_id: threadId } = request.params;
        const owner = ownerOf(request);
        const filter = checked(eventFilter, request.body, '');
        await access.require(owner, threadId, { mustExist: false });
        await events.requirePosition(owner, threadId, filter.since);
        const source = (signal: AbortSignal) => encoded(events.read(owner, threadId, filter, signal));
        await sendEvents(request, reply, { openStreams, source });
        return reply;
      },
    });
  };
}

/** A body that cannot be read is refused in the words of the protocol; any other error as everywhere. */
function inProtocol(app: App) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    const told = protocolErrorOf(error);
    if (told) reply.code(422).send(failureOf(null, told));
    else app.errorHandler(error as Parameters<App['errorHandler']>[0], request, reply);
  };
}

async function* encoded(source: AsyncIterable<ProtocolEvent[]>): AsyncGenerator<Uint8Array> {
  for await (const events of source) {
    if (events.length === 0) continue;
    yield encodeEvents(
      events.map((event) => ({ event: event.method, id: event.eventId, data: eventText(event) })),
    );
  }
}
