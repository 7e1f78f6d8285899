import type { AddressInfo } from 'node:net';
import { createServer, type Server, Socket } from 'node:net';

/** A network between a client and a server that can fall silent: nothing arrives any more, and no connection breaks. */
export class FreezableProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isFrozen = false;
  #exchanges = 0;
  #awaited: { texts: string[]; resolve: () => void } | null = null;

  private constructor(target: string) {
    this.#server = createServer((client) => this.#join(client, new Socket().connect(target)));
  }

  /** `target` is the path of the server's socket. */
  static async start(target: string): Promise<FreezableProxy> {
    const proxy = new FreezableProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The number of times that the client has sent something and then waited for an answer. */
  get exchanges(): number {
    return this.#exchanges;
  }

  freeze(): void {
    this.#isFrozen = true;
  }

  /**
   * Freezes when the client sends the last of these texts, which the server does not get, after it has sent the others in this order.
   * Resolves then.
   */
  freezeBefore(...texts: string[]): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = { texts, resolve };
    });
  }

  /** Lets new connections through. What was lost stays lost. */
  thaw(): void {
    this.#isFrozen = false;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket, server: Socket): void {
    let isAnswered = true;
    client.on('data', (bytes) => {
      this.#lookFor(bytes);
      if (isAnswered) this.#exchanges += 1;
      isAnswered = false;
    });
    server.on('data', () => {
      isAnswered = true;
    });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (bytes) => this.#isFrozen || to.write(bytes));
      from.on('error', () => undefined); // The test checks how the database reacts.
      from.on('close', () => {
        this.#sockets.delete(from);
        if (!this.#isFrozen) to.destroy();
      });
    }
  }

  #lookFor(bytes: Buffer): void {
    const { texts: [next, ...further] = [], resolve } = this.#awaited ?? {};
    if (!resolve || !next || !bytes.includes(next)) return;
    this.#awaited = further.length > 0 ? { texts: further, resolve } : null;
    if (this.#awaited) return;
    this.freeze();
    resolve();
  }
}
