import { WebSocket } from 'ws';

export interface Message {
  type: string;
  timestamp: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads messages as they come
  data: any;
  requestId?: string;
  cursor?: string;
}

/** A WebSocket client that keeps every message. */
export class PushListener {
  readonly all: Message[] = [];
  /** The close code. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  #read = 0;
  #wake: () => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('message', (data) => {
      this.all.push(JSON.parse(String(data)));
      this.#wake();
    });
  }

  /** `base` may carry a query for `/ws`. */
  static async open(base: string, token: string | null): Promise<PushListener> {
    const url = new URL(base);
    url.protocol = 'ws:';
    url.pathname = '/ws';
    const socket = new WebSocket(url, token === null ? [] : ['bearer', token]);
    const listener = new PushListener(socket);
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return listener;
  }

  send(message: unknown): void {
    this.#socket.send(JSON.stringify(message));
  }

  close(): void {
    this.#socket.close();
  }

  /** Returns the next message of this type that was not returned before. */
  async next(type: string): Promise<Message> {
    for (;;) {
      for (; this.#read < this.all.length; this.#read += 1) {
        const message = this.all[this.#read];
        if (message?.type !== type) continue;
        this.#read += 1;
        return message;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
