import type { AddressInfo } from 'node:net';
import { createServer, type Server, Socket } from 'node:net';

/** A network between a client and a server that can fall silent: nothing arrives any more, and no connection breaks. */
export class FreezableProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isFrozen = false;
  #exchanges = 0;

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
    client.on('data', () => {
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
}
