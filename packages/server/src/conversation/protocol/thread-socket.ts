import type { Socket } from 'node:net';
import {
  eventFilter,
  type ProtocolAnswer,
  type ProtocolCommand,
  protocolCloseCodes,
  protocolCommand,
  protocolLimits,
  unsubscribeParams,
} from '@switchyard/contract/conversation/protocol';
import type { WebSocket } from 'ws';
import { eventText } from '../../agents/run-events/protocol-event.ts';
import { parseJson } from '../../http/body/body-parsers.ts';
import { keepAlive } from '../../http/streams/keep-alive.ts';
import { AppError } from '../../lib/app-error.ts';
import { BoundedQueue } from '../../lib/async/bounded-queue.ts';
import { type LinkedAbort, linkedAbort } from '../../lib/async/linked-abort.ts';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { newId } from '../../lib/ids.ts';
import type { ThreadCommands } from './commands.ts';
import { failureOf, isFault, ProtocolError, socketErrorOf } from './protocol-error.ts';
import { checked } from './protocol-values.ts';
import type { SocketCaller } from './socket-caller.ts';
import type { Subscription, ThreadEvents } from './thread-events.ts';

/** Beyond this the client is behind, and events wait in the stream log. */
const maxBufferedBytes = 512 * 1024;
/** A client that takes nothing for so long is cut off, as on an event stream. */
const stalledMs = 30_000;
/** A socket that is closed by the gateway may take this long to close. */
const farewellMs = 1_000;

/** One client of a thread: its commands in their order, and the events of its subscriptions. */
export class ThreadSocket {
  readonly #socket: WebSocket;
  readonly #options;
  readonly #waiting = new BoundedQueue<string>(protocolLimits.commandsWaiting);
  readonly #subscriptions = new Map<string, LinkedAbort>();
  readonly #over = new AbortController();
  readonly #timer: Timer;
  #stopConfirming: () => void = () => undefined;
  /** The gateway is closing the socket. A client may go on sending meanwhile, and nothing of it counts. */
  #isRefused = false;

  constructor(
    socket: WebSocket,
    options: {
      commands: Pick<ThreadCommands, 'execute'>;
      events: Pick<ThreadEvents, 'read' | 'countKept' | 'requirePosition'>;
      caller: SocketCaller;
      threadId: string;
      connection: Pick<Socket, 'once' | 'off'>;
      /** The socket ends with each of them: a shutdown, the end of the session. */
      over: readonly AbortSignal[];
      onFault: (error: unknown) => void;
      timer?: Timer;
    },
  ) {
    this.#socket = socket;
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
  }

  serve(onClose: () => void): void {
    const socket = this.#socket;
    const stopPings = keepAlive(socket, protocolLimits.pingIntervalMs);
    this.#confirmLater();
    const releases = this.#options.over.map((signal) => this.#endWith(signal));
    socket.on('error', () => socket.terminate());
    socket.once('close', () => {
      this.#over.abort();
      this.#waiting.end();
      stopPings();
      this.#stopConfirming();
      for (const release of releases) release();
      onClose();
    });
    socket.on('message', (data, isBinary) => {
      if (this.#waiting.push(isBinary ? '' : String(data))) return;
      this.#close(
        protocolCloseCodes.tooManyCommands,
        'Too many commands wait. Send the next one after an answer.',
      );
    });
    this.#answerAll().catch((error: unknown) => {
      this.#options.onFault(error);
      socket.terminate();
    });
  }

  #endWith(signal: AbortSignal): () => void {
    const onAbort = (): void => {
      const isShutdown = signal.reason instanceof AppError && signal.reason.code === 'shutting_down';
      if (isShutdown) this.#close(1001, 'The gateway is shutting down.');
      else this.#close(protocolCloseCodes.sessionEnded, 'The session has ended.');
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    return () => signal.removeEventListener('abort', onAbort);
  }

  /** A socket on which nothing is commanded may read for as long as its caller is let in. */
  #confirmLater(): void {
    this.#stopConfirming();
    if (!this.#options.caller.mustBeConfirmed || this.#over.signal.aborted) return;
    this.#stopConfirming = this.#timer(() => void this.#confirm(), protocolLimits.confirmIntervalMs);
  }

  async #confirm(): Promise<void> {
    try {
      await this.#options.caller.confirm();
      this.#confirmLater();
    } catch (error) {
      this.#refuse(error);
    }
  }

  async #answerAll(): Promise<void> {
    for await (const text of this.#waiting) {
      const { answer, next } = await this.#answer(text);
      // The answer comes before the events of a new subscription.
      await this.#send(JSON.stringify(answer));
      next?.();
    }
  }

  async #answer(text: string): Promise<{ answer: ProtocolAnswer; next?: () => void }> {
    let id: number | null = null;
    try {
      const command = checked(protocolCommand, parseJson(Buffer.from(text)), '');
      id = command.id;
      if (command.method === 'subscription.subscribe') return await this.#subscribe(id, command.params);
      if (command.method === 'subscription.unsubscribe')
        return { answer: this.#unsubscribe(id, command.params) };
      return { answer: await this.#execute(command) };
    } catch (error) {
      if (isFault(error)) this.#options.onFault(error);
      const isOver = error instanceof AppError && error.status === 401;
      return {
        answer: failureOf(id, socketErrorOf(error)),
        ...(isOver && { next: () => this.#refuse(error) }),
      };
    }
  }

  async #subscribe(id: number, params: unknown): Promise<{ answer: ProtocolAnswer; next: () => void }> {
    const filter: Subscription = checked(eventFilter, params, 'params');
    const { events, threadId, caller } = this.#options;
    if (this.#subscriptions.size >= protocolLimits.subscriptionsPerSocket)
      throw new ProtocolError(
        'invalid_argument',
        `A socket has at most ${protocolLimits.subscriptionsPerSocket} subscriptions. End some first.`,
      );
    // The thread may just be made. What is counted before the handlers are asked is of a thread that they see.
    const replayed = await events.countKept(caller.owner, threadId, filter, this.#over.signal);
    await caller.subscribe();
    this.#confirmLater();
    await events.requirePosition(caller.owner, threadId, filter.since);
    const subscriptionId = newId();
    const controller = linkedAbort(this.#over.signal);
    this.#subscriptions.set(subscriptionId, controller);
    return {
      answer: { type: 'success', id, result: { subscription_id: subscriptionId, replayed_events: replayed } },
      next: () => void this.#pump(filter, controller.signal).finally(() => controller.release()),
    };
  }

  #unsubscribe(id: number, params: unknown): ProtocolAnswer {
    const { subscription_id: subscriptionId } = checked(unsubscribeParams, params, 'params');
    const controller = this.#subscriptions.get(subscriptionId);
    if (!controller)
      throw new ProtocolError(
        'no_such_subscription',
        `params.subscription_id: '${subscriptionId}' is not open here.`,
      );
    this.#subscriptions.delete(subscriptionId);
    controller.abort();
    return { type: 'success', id, result: {} };
  }

  async #execute(command: ProtocolCommand): Promise<ProtocolAnswer> {
    const { commands, caller, threadId } = this.#options;
    const allowed = await caller.send(command);
    if (this.#isRefused) throw new AppError('token_invalid');
    this.#confirmLater();
    return commands.execute(allowed.caller, threadId, allowed.command);
  }

  /** A source that breaks ends the socket: the client connects again and subscribes again. */
  async #pump(filter: Subscription, signal: AbortSignal): Promise<void> {
    const { events, threadId, caller } = this.#options;
    let mayRead = false;
    try {
      for await (const batch of events.read(caller.owner, threadId, filter, signal)) {
        // The thread may have been made since it was subscribed to, and only now it can be seen what hides it.
        mayRead ||= await this.#mayRead();
        if (!mayRead) return;
        for (const event of batch) {
          if (signal.aborted) return;
          await this.#send(eventText(event));
        }
      }
    } catch {
      if (!signal.aborted) this.#close(1011, 'The stream broke off. Connect again.');
    }
  }

  /** Waits while the client is behind. */
  async #send(text: string): Promise<void> {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(text);
    if (this.#socket.bufferedAmount > maxBufferedBytes) await this.#untilTaken();
  }

  #untilTaken(): Promise<void> {
    const { connection } = this.#options;
    return new Promise((resolve) => {
      const onTaken = (): void => {
        cancel();
        connection.off('drain', onTaken);
        this.#over.signal.removeEventListener('abort', onTaken);
        resolve();
      };
      const cancel = this.#timer(() => this.#socket.terminate(), stalledMs);
      connection.once('drain', onTaken);
      this.#over.signal.addEventListener('abort', onTaken, { once: true });
      if (this.#over.signal.aborted) onTaken();
    });
  }

  async #mayRead(): Promise<boolean> {
    try {
      await this.#options.caller.read();
      return true;
    } catch (error) {
      this.#refuse(error);
      return false;
    }
  }

  /** 4000 and the status ends a client's stream. After any other code it connects again. */
  #refuse(error: unknown): void {
    if (this.#isRefused || this.#over.signal.aborted) return;
    if (isFault(error)) {
      this.#options.onFault(error);
      this.#close(1011, 'The authentication failed. Connect again.');
    } else {
      const status = error instanceof AppError ? error.status : 403;
      this.#close(4000 + status, 'The authentication refuses this socket.');
    }
  }

  /** Does not wait for a client that does not take the message. */
  #close(code: number, reason: string): void {
    this.#isRefused = true;
    this.#socket.close(code, reason);
    const cancel = this.#timer(() => this.#socket.terminate(), farewellMs);
    this.#socket.once('close', cancel);
  }
}
