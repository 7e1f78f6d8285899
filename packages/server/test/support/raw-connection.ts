import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that sends raw bytes and keeps what comes back, for requests that no HTTP client would send. */
export class RawConnection {
  /** All text that has arrived so far. */
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
    // The gateway may end the connection while this client still writes; `isClosed` shows it.
    socket.on('error', () => undefined);
  }

  static async open(url: string): Promise<RawConnection> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** Sends the head of a request, together with the start of its body. */
  request(lines: readonly string[], body: string | Buffer = ''): void {
    this.write(`${[...lines, 'Host: localhost'].join('\r\n')}\r\n\r\n`);
    if (body.length > 0) this.write(body);
  }

  write(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  /** Status codes of the responses so far. */
  get statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  /** Reads nothing from now on. */
  stopReading(): void {
    this.#socket.pause();
  }

  readAgain(): void {
    this.#socket.resume();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
