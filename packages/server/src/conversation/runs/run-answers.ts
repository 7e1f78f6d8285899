import type { Mount } from '@switchyard/contract/conversation/mounts';
import { type CancelAction, type RunCreate, streamModes } from '@switchyard/contract/conversation/run';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { identityOf, ownerOf } from '../../http/guard.ts';
import type { OpenStreams } from '../../http/open-streams.ts';
import { AppError } from '../../lib/app-error.ts';
import { lastEventId } from './run-frames.ts';
import type { RunCaller } from './run-intake.ts';
import { holding, onClientGone, replyWithEvents, replyWithResult } from './run-replies.ts';
import type { RunName, Runs } from './runs.ts';

export interface RunAnswersOptions {
  runs: Runs;
  openStreams: Pick<OpenStreams, 'open'>;
}

interface WatchQuery {
  cancel_on_disconnect?: string;
  stream_mode?: string[];
}

/** Answers that last, as both kinds of run routes give them. */
export class RunAnswers {
  readonly #mount: Mount;
  readonly #runs: Runs;
  readonly #openStreams: Pick<OpenStreams, 'open'>;

  constructor(mount: Mount, { runs, openStreams }: RunAnswersOptions) {
    this.#mount = mount;
    this.#runs = runs;
    this.#openStreams = openStreams;
  }

  caller(request: FastifyRequest): RunCaller {
    return { userId: identityOf(request).userId, mount: this.#mount };
  }

  /** Starts a run and streams it. Its end by the client's doing is the run's, where the request says so. */
  async stream(request: FastifyRequest, reply: FastifyReply, threadId: string | null): Promise<void> {
    return this.#holding('events', request, async (open) => {
      const { run, onDisconnect } = await this.#runs.startNow(
        this.caller(request),
        threadId,
        request.body as RunCreate,
      );
      const source = this.#runs.framesOf(run);
      const end = await replyWithEvents(request, reply, { mount: this.#mount, run, open, source });
      if (end === 'client_gone' && onDisconnect === 'cancel') await this.#cancelQuietly(request, run.run_id);
    });
  }

  async wait(request: FastifyRequest, reply: FastifyReply, threadId: string | null): Promise<void> {
    return this.#holding('held_request', request, async (open) => {
      const body = request.body as RunCreate;
      const { run, result, onDisconnect } = await this.#runs.startExpecting(
        this.caller(request),
        threadId,
        body,
      );
      if (onDisconnect === 'cancel')
        onClientGone(open.signal, () => void this.#cancelQuietly(request, run.run_id));
      await replyWithResult(request, reply, { mount: this.#mount, run, open, result });
    });
  }

  async join(
    request: FastifyRequest,
    reply: FastifyReply,
    { name, cancelOnDisconnect }: { name: RunName; cancelOnDisconnect: boolean },
  ): Promise<void> {
    return this.#holding('held_request', request, async (open) => {
      const run = await this.#runs.find(ownerOf(request), name);
      if (cancelOnDisconnect) onClientGone(open.signal, () => void this.#cancelQuietly(request, run.run_id));
      const result = (signal: AbortSignal) => this.#runs.result(run, signal);
      await replyWithResult(request, reply, { mount: this.#mount, run, open, result });
    });
  }

  /** Streams a run that exists. Whoever only looks on cancels nothing, unless they ask for it. */
  async watch(request: FastifyRequest, reply: FastifyReply, name: RunName): Promise<void> {
    const { cancel_on_disconnect: cancels, stream_mode: wanted } = request.query as WatchQuery;
    return this.#holding('events', request, async (open) => {
      const { run, source } = await this.#runs.frames(ownerOf(request), name, {
        after: lastEventId(textOf(request.headers['last-event-id'])),
        modes: wanted ? streamModes.filter((mode) => wanted.includes(mode)) : null,
      });
      const end = await replyWithEvents(request, reply, { mount: this.#mount, run, open, source });
      if (end === 'client_gone' && isOn(cancels)) await this.#cancelQuietly(request, run.run_id);
    });
  }

  async cancel(
    request: FastifyRequest,
    reply: FastifyReply,
    { name, action, wait }: { name: RunName; action: CancelAction; wait: boolean },
  ): Promise<void> {
    const run = await this.#runs.cancel(ownerOf(request), name, action);
    if (wait) await this.afterEnd(request, reply, [run]);
    else reply.code(202).send();
  }

  /** 204 when all of them have ended. */
  async afterEnd(
    request: FastifyRequest,
    reply: FastifyReply,
    runs: Parameters<Runs['allEnded']>[0],
  ): Promise<void> {
    return this.#holding('held_request', request, async (open) => {
      await this.#runs.allEnded(runs, open.signal);
      open.close();
      reply.code(204).send();
    });
  }

  /** A run that cannot be cancelled any more is simply streamed. */
  async tryCancel(request: FastifyRequest, name: RunName, action: CancelAction): Promise<void> {
    try {
      await this.#runs.cancel(ownerOf(request), name, action);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'run_not_cancellable')) throw error;
    }
  }

  /** After the client has gone there is nobody to tell. */
  async #cancelQuietly(request: FastifyRequest, runId: string): Promise<void> {
    try {
      await this.tryCancel(request, { threadId: null, runId }, 'interrupt');
    } catch (error) {
      request.log.warn({ err: error, runId }, 'A run could not be cancelled for a client that has gone');
    }
  }

  /** Opened before anything is started for it, so that a gateway that is full starts nothing. */
  #holding(
    kind: 'events' | 'held_request',
    request: FastifyRequest,
    act: Parameters<typeof holding<void>>[2],
  ): Promise<void> {
    return holding({ openStreams: this.#openStreams, request }, kind, act);
  }
}

export function isOn(flag: string | undefined): boolean {
  return flag === '1' || flag === 'true';
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
