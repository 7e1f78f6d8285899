import { once } from 'node:events';
import WebSocket from 'ws';
import { signalAfter } from './patience.ts';

// biome-ignore lint/suspicious/noExplicitAny: frames of a foreign server are looked at field by field.
type Data = any;

export interface TextFrame {
  type: string;
  data: Data;
}

/** A socket that keeps every frame that it receives. */
export class Listener {
  readonly frames: TextFrame[] = [];
  readonly binaries: Buffer[] = [];
  readonly #socket: WebSocket;
  readonly #patienceMs: number;
  readonly #wakers = new Set<() => void>();
  closeCode: number | undefined;

  private constructor(socket: WebSocket, patienceMs: number) {
    this.#socket = socket;
    this.#patienceMs = patienceMs;
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.binaries.push(data as Buffer);
      else this.frames.push(JSON.parse(String(data)) as TextFrame);
      this.#wake();
    });
    socket.on('close', (code) => {
      this.closeCode = code;
      this.#wake();
    });
    socket.on('error', () => undefined);
  }

  static async open(
    baseUrl: string,
    {
      clientId,
      headers,
      patienceMs,
    }: { clientId: string | undefined; headers: Record<string, string>; patienceMs: number },
  ): Promise<Listener> {
    const query = clientId === undefined ? '' : `?clientId=${encodeURIComponent(clientId)}`;
    const socket = new WebSocket(`${baseUrl.replace(/^http/, 'ws')}/ws${query}`, {
      perMessageDeflate: false,
      headers,
    });
    const listener = new Listener(socket, patienceMs);
    await once(socket, 'open');
    return listener;
  }

  send(message: unknown): void {
    this.#socket.send(JSON.stringify(message));
  }

  async ping(): Promise<void> {
    const pong = once(this.#socket, 'pong', signalAfter(this.#patienceMs));
    this.#socket.ping();
    await pong;
  }

  /** The first matching frame, among those received already and those to come. */
  async hear(fits: (frame: TextFrame) => boolean, what: string): Promise<TextFrame> {
    return await this.#until(() => this.frames.find(fits), what);
  }

  async hearBinary(fits: (frame: Buffer) => boolean, what: string): Promise<Buffer> {
    return await this.#until(() => this.binaries.find(fits), what);
  }

  /** `executing` without a node: the only safe sign that a prompt has ended. */
  async hearEnd(promptId: string): Promise<void> {
    const isEnd = ({ type, data }: TextFrame) =>
      type === 'executing' && data.node === null && data.prompt_id === promptId;
    await this.hear(isEnd, `executing with no node for ${promptId}`);
  }

  async hearClose(): Promise<number> {
    return await this.#until(() => this.closeCode, 'the socket to close');
  }

  framesOf(promptId: string): TextFrame[] {
    return this.frames.filter(({ data }) => data?.prompt_id === promptId);
  }

  async close(): Promise<void> {
    if (this.closeCode !== undefined) return;
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }

  async #until<Found>(find: () => Found | undefined, what: string): Promise<Found> {
    const deadline = Date.now() + this.#patienceMs;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      const leftMs = deadline - Date.now();
      if (leftMs <= 0)
        throw new Error(`Waited ${this.#patienceMs / 1000} s for ${what}. Heard: ${this.#heard()}`);
      await this.#change(leftMs);
    }
  }

  #change(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = Number.isFinite(timeoutMs) ? setTimeout(done, timeoutMs) : undefined;
      const wakers = this.#wakers;
      wakers.add(done);
      function done(): void {
        clearTimeout(timer);
        wakers.delete(done);
        resolve();
      }
    });
  }

  #wake(): void {
    for (const wake of [...this.#wakers]) wake();
  }

  #heard(): string {
    return this.frames.map(({ type }) => type).join(', ') || 'nothing';
  }
}
