import { WebSocket } from 'ws';
import { type Deferred, newDeferred } from '../../../lib/async/deferred.ts';
import type { Timer } from '../../../lib/async/timer.ts';
import type { WorkerHttp } from './worker-http.ts';

const firstRetryMs = 250;
const maxRetryMs = 5_000;
const handshakeMs = 5_000;
const pingIntervalMs = 20_000;
const pongDeadlineMs = 10_000;
/** The time that a worker may take to answer that it saw the connection end. */
const farewellMs = 1_000;
/** An image that exists only as a message must fit. */
const maxMessageBytes = 64 * 1024 * 1024;

/** Must be the very first message, or the worker sends previews in the old form, which does not name their prompt. */
const featureFlags = JSON.stringify({ type: 'feature_flags', data: { supports_preview_metadata: true } });

/**
 * The event socket, opened again whenever it is lost. There is never a second one beside it: a worker that sees two
 * sockets with one client id goes silent on the newer when the older one closes. A worker sends nothing while idle, so
 * only pings tell a dead connection from a quiet one.
 */
export class WorkerSocket {
  readonly #options;
  #socket: WebSocket | null = null;
  #isWanted = false;
  #isAnnounced = false;
  #retryMs = firstRetryMs;
  #cancelRetry: (() => void) | null = null;
  #cancelWatch: (() => void) | null = null;
  /** Settled by the next socket that opens or fails. */
  #nextTry: Deferred<void> | null = null;
  #connections = 0;

  constructor(options: {
    http: Pick<WorkerHttp, 'connectOptions' | 'headers' | 'isSecure' | 'label'>;
    clientId: string;
    timer: Timer;
    onOpen: () => void;
    onClose: () => void;
    onText: (raw: Buffer) => void;
    onBinary: (raw: Buffer) => void;
  }) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /**
   * The number of this connection, or null without one: equal numbers mean that the connection was never lost in
   * between.
   */
  get connection(): number | null {
    return this.isOpen ? this.#connections : null;
  }

  open(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#connect();
  }

  async reopen(): Promise<void> {
    this.#isWanted = true;
    await this.#end();
    this.#cancelRetry?.();
    this.#nextTry ??= newDeferred();
    const { promise } = this.#nextTry;
    if (!this.#socket) this.#connect();
    return promise;
  }

  async close(): Promise<void> {
    this.#isWanted = false;
    this.#cancelRetry?.();
    this.#cancelRetry = null;
    await this.#end();
    this.#settleTry();
  }

  #connect(): void {
    this.#cancelRetry = null;
    const { http, clientId } = this.#options;
    let socket: WebSocket;
    try {
      const { host: _host, port: _port, ...connect } = http.connectOptions;
      const url = `${http.isSecure ? 'wss' : 'ws'}://${http.label}/ws?clientId=${encodeURIComponent(clientId)}`;
      socket = new WebSocket(url, {
        ...connect,
        headers: http.headers,
        perMessageDeflate: false,
        followRedirects: false,
        maxPayload: maxMessageBytes,
      });
    } catch {
      this.#settleTry();
      this.#retryLater();
      return;
    }
    this.#socket = socket;
    this.#cancelWatch = this.#options.timer(() => socket.terminate(), handshakeMs);
    socket.on('open', () => this.#onOpen(socket));
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (socket !== this.#socket) return;
      if (isBinary) this.#options.onBinary(data);
      else this.#options.onText(data);
    });
    // A close follows every error, and only the close counts.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#onClose(socket));
  }

  #onOpen(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    this.#cancelWatch?.();
    this.#retryMs = firstRetryMs;
    this.#connections++;
    socket.send(featureFlags);
    this.#pingLater(socket);
    this.#isAnnounced = true;
    this.#options.onOpen();
    this.#settleTry();
  }

  #onClose(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    this.#socket = null;
    this.#cancelWatch?.();
    if (this.#isAnnounced) this.#options.onClose();
    this.#isAnnounced = false;
    this.#settleTry();
    if (this.#isWanted) this.#retryLater();
  }

  #pingLater(socket: WebSocket): void {
    this.#cancelWatch = this.#options.timer(() => {
      socket.ping();
      this.#cancelWatch = this.#options.timer(() => socket.terminate(), pongDeadlineMs);
      socket.once('pong', () => {
        if (socket !== this.#socket) return;
        this.#cancelWatch?.();
        this.#pingLater(socket);
      });
    }, pingIntervalMs);
  }

  #retryLater(): void {
    this.#cancelRetry = this.#options.timer(() => this.#connect(), this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, maxRetryMs);
  }

  /**
   * Resolves when the present socket is closed. A worker that answers the close has noticed it; simply cutting the
   * connection could let it notice only after the next one has come.
   */
  async #end(): Promise<void> {
    const socket = this.#socket;
    if (!socket) return;
    const isClosed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const cancel = this.#options.timer(() => socket.terminate(), farewellMs);
    socket.close();
    await isClosed;
    cancel();
  }

  #settleTry(): void {
    this.#nextTry?.resolve();
    this.#nextTry = null;
  }
}
