import { openPush } from '@switchyard/contract/dispatch/push';
import type { Credentials } from '../credentials.ts';
import { systemTimer, type Timer } from '../timer.ts';
import { PushConnection, type PushFilter, type ReconnectPolicy } from './push-connection.ts';
import type { PushMessage } from './push-message.ts';
import type { WebSocketConstructor, WebSocketLike } from './web-socket.ts';

export interface ConnectOptions extends PushFilter {
  signal?: AbortSignal | undefined;
  reconnect?: Partial<ReconnectPolicy>;
  timer?: Timer;
  random?: () => number;
}

export type PushHandlers = {
  [Type in PushMessage['type']]?: (data: Extract<PushMessage, { type: Type }>['data']) => void;
};

/**
 * The client gives up after about eight minutes, which is longer than a restart, an update and most network failures.
 */
const defaultReconnect: ReconnectPolicy = { firstMs: 500, maxMs: 30_000, maxFailures: 20 };

/** Live messages. */
export class Push {
  readonly #options;

  constructor(options: {
    baseUrl: string;
    credentials: Credentials;
    WebSocket: WebSocketConstructor | undefined;
  }) {
    this.#options = options;
  }

  /** Connects at once; the messages wait until they are read. */
  connect(options: ConnectOptions = {}): PushConnection {
    const { topics, taskIds, signal, reconnect, timer = systemTimer, random = Math.random } = options;
    const WebSocket = this.#constructorOrThrow();
    return new PushConnection({
      open: (cursor) => this.#open(WebSocket, cursor),
      filter: { topics, taskIds },
      reconnect: { ...defaultReconnect, ...reconnect },
      timer,
      random,
      signal,
    });
  }

  /** The same with a function for each type of message. Resolves or rejects in the way in which the loop would end. */
  async listen(handlers: PushHandlers, options: ConnectOptions = {}): Promise<void> {
    for await (const { type, data } of this.connect(options)) {
      (handlers[type] as ((data: unknown) => void) | undefined)?.(data);
    }
  }

  #constructorOrThrow(): WebSocketConstructor {
    const own = (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
    const chosen = this.#options.WebSocket ?? own;
    if (chosen) return chosen;
    throw new TypeError(
      'This runtime has no WebSocket. Pass one: createClient({ …, WebSocket }), that of ws for example.',
    );
  }

  #open(WebSocket: WebSocketConstructor, cursor: string | undefined): WebSocketLike {
    const { baseUrl, credentials } = this.#options;
    const resume = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const url = baseUrl.replace(/^http/, 'ws') + openPush.url + resume;
    const protocols = credentials.socketProtocols();
    const cookie = credentials.cookies?.header();
    return cookie === undefined
      ? new WebSocket(url, protocols)
      : new WebSocket(url, protocols, { headers: { cookie } });
  }
}
