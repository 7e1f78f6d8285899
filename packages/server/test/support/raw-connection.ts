import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that sends bytes as they are and keeps what comes back: for what no HTTP client would do. */
export class RawConnection {
  /** Everything that came until now. */
  text = '';
  isClosed = false;
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('utf8').on('data', (part: string) => {
      this.text += part;
    });
    socket.on('close', () => {
      this.isClosed = true;
    });
    // A gateway that ends the connection while this one still writes; `isClosed` tells.
    socket.on('error', () => undefined);
  }

  static async open(url: string): Promise<RawConnection> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** The head of a request, with what follows it at once. */
  request(lines: readonly string[], body: string | Buffer = ''): void {
    this.write(`${[...lines, 'Host: localhost'].join('\r\n')}\r\n\r\n`);
    if (body.length > 0) this.write(body);
  }

  write(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  /** Status codes of the answers that have come. */
  get statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
