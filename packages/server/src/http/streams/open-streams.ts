import type { FastifyRequest } from 'fastify';
import { AppError } from '../../lib/app-error.ts';
import { Shares } from '../../lib/shares.ts';

export const streamKinds = ['events', 'socket', 'held_request'] as const;
export type StreamKind = (typeof streamKinds)[number];

/** A stream while it is open. */
export interface OpenStream {
  /**
   * Aborts when the client has disconnected, with an AppError `shutting_down` when the gateway shuts down, and with
   * `token_invalid` or `token_expired` when the session or token has ended.
   */
  readonly signal: AbortSignal;
  /** Call it when the stream has ended by itself. Calling it twice does no harm. */
  close(): void;
}

/** A caller whose session or token has ended while it waited gets no answer but this. */
export function requireSession({ reason }: AbortSignal): void {
  if (reason instanceof AppError && reason.status === 401) throw reason;
}

/** Aborts when the session or token of a request has ended. */
type EndOf = (request: FastifyRequest) => { signal: AbortSignal; release: () => void };

/** Maximum number of event streams and held requests of one user, so that no user takes all places. */
interface PerUser {
  limit: number;
  userOf: (request: FastifyRequest) => string;
}

interface Entry {
  controller: AbortController;
}

/**
 * Every response that lasts: event streams, sockets, requests that are held until something happens. When the server
 * closes it waits for open responses, so each of them must be found and told.
 */
export class OpenStreams {
  readonly #limit: number;
  readonly #perUser: PerUser | undefined;
  readonly #endOf: EndOf | undefined;
  readonly #byUser: Shares;
  readonly #byKind: Record<StreamKind, number> = { events: 0, socket: 0, held_request: 0 };
  readonly #entries = new Set<Entry>();
  readonly #goodbye = new AppError('shutting_down');
  #isClosing = false;
  #onEmpty: (() => void) | undefined;

  constructor({
    limit,
    perUser,
    endOf,
  }: {
    limit: number;
    /** Sockets have a limit of their own. */
    perUser?: PerUser;
    endOf?: EndOf;
  }) {
    this.#limit = limit;
    this.#perUser = perUser;
    this.#endOf = endOf;
    this.#byUser = new Shares({ each: perUser?.limit ?? limit, together: limit });
  }

  /**
   * Called before the first byte of the response. Throws when the gateway is full. A request that was accepted before the listener
   * closed may open its stream after `closeAll`: it is answered, and told to end right after.
   */
  open(kind: StreamKind, request: FastifyRequest): OpenStream {
    if (this.#entries.size >= this.#limit) throw new AppError('overloaded');
    const leaveUser = kind === 'socket' ? () => undefined : this.#enterUser(request);
    const entry: Entry = { controller: new AbortController() };
    this.#entries.add(entry);
    this.#byKind[kind]++;
    const { socket } = request.raw;
    // A stream may be silent for longer than an ordinary response. It has pings of its own.
    socket.setTimeout(0);
    const onGone = (): void => {
      close();
      entry.controller.abort();
    };
    // A socket may sign in with a message, so its route follows the session, and closes it with a code that gives the reason.
    const session = kind === 'socket' ? undefined : this.#endOf?.(request);
    const onEnded = (): void => entry.controller.abort(session?.signal.reason);
    session?.signal.addEventListener('abort', onEnded, { once: true });
    const close = (): void => {
      session?.release();
      socket.off('close', onGone);
      if (!this.#entries.delete(entry)) return;
      this.#byKind[kind]--;
      leaveUser();
      if (this.#entries.size === 0) this.#onEmpty?.();
    };
    socket.once('close', onGone);
    // In the next turn, when the caller listens to the signal.
    if (this.#isClosing) setImmediate(() => entry.controller.abort(this.#goodbye));
    return { signal: entry.controller.signal, close };
  }

  #enterUser(request: FastifyRequest): () => void {
    if (!this.#perUser) return () => undefined;
    const { limit, userOf } = this.#perUser;
    const user = userOf(request);
    if (this.#byUser.take(user) !== 'taken') {
      const message = `You have ${limit} streams and waiting requests open, which is all you may have. Close some first.`;
      throw new AppError('rate_limited', { message });
    }
    return () => this.#byUser.give(user);
  }

  count(kind?: StreamKind): number {
    return kind === undefined ? this.#entries.size : this.#byKind[kind];
  }

  /** Requests that are open on purpose. Sockets are not included: they are counted from the switch of protocols on. */
  answersHeld(): number {
    return this.#entries.size - this.#byKind.socket;
  }

  /** Tells every stream to end and resolves when the last one has. Call it when no connection is accepted any more. */
  closeAll(): Promise<void> {
    this.#isClosing = true;
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const { controller } of [...this.#entries]) controller.abort(this.#goodbye);
    if (this.#entries.size === 0) this.#onEmpty?.();
    return empty;
  }
}
