import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * An address that stays while the gateway behind it is replaced, as a proxy in front of it has one. A page knows one address for
 * as long as it is open. A connection that comes while there is no gateway is cut.
 */
export class LastingAddress {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** The first line of what a connection sent last, as long as nothing has come back since. */
  readonly #unanswered = new Map<Socket, string>();
  #port: number | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('connection', (client) => this.#forward(client));
  }

  static async open(gatewayUrl: string): Promise<LastingAddress> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = new LastingAddress(server);
    address.connect(gatewayUrl);
    return address;
  }

  cut(): void {
    this.#port = undefined;
  }

  connect(gatewayUrl: string): void {
    this.#port = Number(new URL(gatewayUrl).port);
  }

  /** Requests that wait for the first byte of their answer. */
  get unanswered(): string[] {
    return [...this.#unanswered.values()];
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #forward(client: Socket): void {
    const port = this.#port;
    if (port === undefined) {
      client.destroy();
      return;
    }
    const gateway = connect(port, '127.0.0.1');
    client.on('data', (sent: Buffer) => {
      this.#unanswered.set(
        client,
        `${sent.toString('latin1').split('\r\n')[0]?.slice(0, 200)} (gateway ${port})`,
      );
    });
    gateway.on('data', () => this.#unanswered.delete(client));
    client.on('close', () => this.#unanswered.delete(client));
    this.#join(client, gateway);
    this.#join(gateway, client);
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.pipe(to);
    from.on('error', () => undefined); // the close that follows ends the other side
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroySoon();
    });
  }
}
