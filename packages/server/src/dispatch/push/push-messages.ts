import {
  type ClientMessage,
  clientMessage,
  pushCloseCodes,
  pushLimits,
} from '@switchyard/contract/dispatch/push';
import { Value } from 'typebox/value';
import type { WebSocket } from 'ws';
import { AppError } from '../../lib/app-error.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import { systemTimer } from '../../lib/async/timer.ts';
import { encodeFrame } from './push-frames.ts';

/**
 * The messages of a client, checked and counted. Messages that arrive before a listener is set are kept only as far as
 * signing in needs.
 */
export class ClientMessages {
  readonly #socket: WebSocket;
  readonly #firstToken = newDeferred<string | undefined>();
  #handler: ((message: ClientMessage) => void) | null = null;
  #windowStartMs = 0;
  #inWindow = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data, isBinary) => this.#receive(isBinary ? '' : String(data)));
    socket.on('close', () => this.#firstToken.resolve(undefined));
    socket.on('error', () => socket.terminate());
  }

  /** The token of a first `auth` message; throws when none arrives in time. */
  async token(): Promise<string> {
    const cancel = systemTimer(() => this.#firstToken.resolve(undefined), pushLimits.authDeadlineMs);
    const token = await this.#firstToken.promise;
    cancel();
    if (token === undefined) throw new AppError('not_authenticated');
    return token;
  }

  handle(handler: (message: ClientMessage) => void): void {
    this.#handler = handler;
  }

  #receive(text: string): void {
    if (!this.#isWithinRate()) {
      this.#socket.close(pushCloseCodes.tooManyMessages, 'Too many messages. At most 100 a minute.');
      return;
    }
    const message = parse(text);
    if (message?.type === 'auth') this.#firstToken.resolve(message.data.token);
    if (message) this.#handler?.(message);
    else this.#refuse();
  }

  #refuse(): void {
    const data = {
      error: 'message_invalid',
      message:
        'Send JSON: { "type": "ping" }, { "type": "subscribe", "data": { "topics"?, "taskIds"? } } or auth.',
    };
    this.#socket.send(encodeFrame('error', data, { timestamp: Date.now() }));
  }

  #isWithinRate(): boolean {
    const now = performance.now();
    if (now - this.#windowStartMs >= 60_000) {
      this.#windowStartMs = now;
      this.#inWindow = 0;
    }
    this.#inWindow += 1;
    return this.#inWindow <= pushLimits.clientMessagesPerMinute;
  }
}

function parse(text: string): ClientMessage | null {
  try {
    const message: unknown = JSON.parse(text);
    return Value.Check(clientMessage, message) ? message : null;
  } catch {
    return null;
  }
}
