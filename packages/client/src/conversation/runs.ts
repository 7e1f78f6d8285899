import type { RunCreate } from '@switchyard/contract/conversation/run';
import { streamRun, streamStatelessRun } from '@switchyard/contract/conversation/runs';
import { ConnectionError } from '../errors.ts';
import type { ReconnectPolicy } from '../push/push-connection.ts';
import { buildRequest } from '../request.ts';
import { systemTimer } from '../timer.ts';
import type { Transport } from '../transport.ts';
import { openEvents, RunStream, type RunStreamOptions } from './run-stream.ts';

export interface ReadOptions {
  /** Ends the reading with its reason. The run continues, unless it was started with `on_disconnect: 'cancel'`. */
  signal?: AbortSignal | undefined;
  reconnect?: Partial<ReconnectPolicy>;
  timer?: RunStreamOptions['timer'];
  random?: RunStreamOptions['random'];
}

export interface FollowOptions extends ReadOptions {
  threadId: string;
  runId: string;
  /** The id to continue after. When absent, reading begins with the oldest frame that is kept. */
  lastEventId?: string | undefined;
}

/** The client gives up after about eight minutes, as for live messages. */
const defaultReconnect: ReconnectPolicy = { firstMs: 500, maxMs: 30_000, maxFailures: 20 };

/** Runs as streams. Everything else about runs is a call of an endpoint. */
export class Runs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Starts a run, in a thread of its own where `threadId` is null, and resolves as soon as it is stored. The request is
   * never sent twice: without an answer, the run may exist all the same.
   */
  async start(threadId: string | null, body: RunCreate, options: ReadOptions = {}): Promise<RunStream> {
    const request =
      threadId === null
        ? buildRequest(streamStatelessRun, { body })
        : buildRequest(streamRun, { params: { thread_id: threadId }, body });
    const reading = withDefaults(options);
    const { events, headers } = await openEvents(this.#transport, request, reading);
    const started = runOf(headers.get('content-location'));
    if (!started) {
      events.deadline.abandon(new Error('Not understood.'));
      throw new ConnectionError('not_understood', 'The gateway did not say which run it has started.');
    }
    return new RunStream({
      ...reading,
      ...started,
      transport: this.#transport,
      lastEventId: undefined,
      first: events,
    });
  }

  /** The frames of an existing run. The connection is opened when the first frame is read. */
  follow({ threadId, runId, lastEventId, ...options }: FollowOptions): RunStream {
    return new RunStream({
      ...withDefaults(options),
      transport: this.#transport,
      threadId,
      runId,
      lastEventId,
    });
  }
}

function withDefaults({ signal, reconnect, timer, random }: ReadOptions): RunStreamOptions {
  return {
    signal,
    reconnect: { ...defaultReconnect, ...reconnect },
    timer: timer ?? systemTimer,
    random: random ?? Math.random,
  };
}

/** Taken from the path of a run: `/api/threads/{thread}/runs/{run}`. */
function runOf(location: string | null): { threadId: string; runId: string } | undefined {
  const [, threadId, runId] = /\/threads\/([^/?]+)\/runs\/([^/?]+)/.exec(location ?? '') ?? [];
  if (threadId === undefined || runId === undefined) return undefined;
  return { threadId: decodeURIComponent(threadId), runId: decodeURIComponent(runId) };
}
