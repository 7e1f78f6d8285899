import { type ClientMessage, pushLimits } from '@switchyard/contract/dispatch/push';
import type { Timer } from '../timer.ts';
import { decodeMessage, type PushMessage } from './push-message.ts';
import type { WebSocketLike } from './web-socket.ts';

/** Why one connection is over. */
export interface LinkEnd {
  /** The close code of the WebSocket; 1006 when it ended without one. */
  code: number;
  reason: string;
}

/** The time for the handshake and the first snapshot. */
const openWithinMs = 15_000;
const normalClosure = 1000;
const noGoodbye = 1006;

/**
 * One WebSocket, from its opening to its end. A browser does not show the gateway's own pings, so this side sends pings
 * as well. A gateway that sends nothing between two pings is gone, whatever the state of the socket.
 */
export class PushLink {
  readonly ended: Promise<LinkEnd>;
  readonly #options;
  #settle: (end: LinkEnd) => void = () => undefined;
  #isHeard = false;
  #isOver = false;
  #cancelTimer: () => void;

  constructor(options: { socket: WebSocketLike; timer: Timer; onMessage: (message: PushMessage) => void }) {
    this.#options = options;
    const { socket, timer } = options;
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#cancelTimer = timer(() => this.#giveUp('It did not open in time.'), openWithinMs);
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => this.#receive(data));
    socket.addEventListener('close', ({ code, reason }) => this.#finish({ code, reason }));
    // The close event that follows gives the reason, as far as a WebSocket reports it.
    socket.addEventListener('error', () => undefined);
  }

  send(message: ClientMessage): void {
    this.#options.socket.send(JSON.stringify(message));
  }

  close(reason = ''): void {
    this.#options.socket.close(normalClosure);
    this.#finish({ code: normalClosure, reason });
  }

  #receive(data: unknown): void {
    if (this.#isOver) return;
    const isFirst = !this.#isHeard;
    this.#isHeard = true;
    if (isFirst) this.#askEachInterval();
    const message = decodeMessage(data);
    if (message !== null && message.type !== 'pong') this.#options.onMessage(message);
  }

  #askEachInterval(): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#options.timer(() => {
      if (!this.#isHeard) return this.#giveUp('It fell silent.');
      this.#isHeard = false;
      this.send({ type: 'ping' });
      this.#askEachInterval();
    }, pushLimits.pingIntervalMs);
  }

  /** A dead peer does not answer a close frame either, so this does not wait for one. */
  #giveUp(reason: string): void {
    const { socket } = this.#options;
    if (socket.terminate) socket.terminate();
    else socket.close();
    this.#finish({ code: noGoodbye, reason });
  }

  #finish(end: LinkEnd): void {
    this.#isOver = true;
    this.#cancelTimer();
    this.#settle(end);
  }
}
