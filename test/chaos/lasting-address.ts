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

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #forward(client: Socket): void {
    if (this.#port === undefined) {
      client.destroy();
      return;
    }
    const gateway = connect(this.#port, '127.0.0.1');
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
