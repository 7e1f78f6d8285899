import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';

/**
 * The event sockets of a fake worker, by client id; the newest one counts. As on the genuine server, any socket that
 * closes takes its client id along: a newer one with the same id stays open and hears nothing any more.
 */
export class FakeSockets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  readonly #byClient = new Map<string, WebSocket>();

  get clientIds(): string[] {
    return [...this.#byClient.keys()];
  }

  accept(
    { request, socket, head }: { request: IncomingMessage; socket: Duplex; head: Buffer },
    status: unknown,
  ): void {
    const clientId = new URL(request.url ?? '/', 'http://fake').searchParams.get('clientId') ?? 'nobody';
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      this.#byClient.set(clientId, opened);
      opened.on('error', () => undefined);
      opened.on('close', () => this.#byClient.delete(clientId));
      opened.send(JSON.stringify({ type: 'status', data: { status, sid: clientId } }));
    });
  }

  send(clientId: string | null, type: string, data: unknown): void {
    this.#sendTo(clientId, JSON.stringify({ type, data }));
  }

  /** A picture as a binary frame of the older form, which does not name its prompt. */
  sendPicture(clientId: string | null, png: Uint8Array): void {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(1, 0);
    head.writeUInt32BE(2, 4);
    this.#sendTo(clientId, Buffer.concat([head, png]));
  }

  /** As when the network is cut: nothing is sent any more, while the sockets look open to the other side. */
  forgetAll(): void {
    this.#byClient.clear();
  }

  dropAll(): void {
    for (const socket of this.#server.clients) socket.terminate();
    this.#byClient.clear();
  }

  #sendTo(clientId: string | null, frame: string | Buffer): void {
    const sockets = clientId === null ? [...this.#byClient.values()] : [this.#byClient.get(clientId)];
    for (const socket of sockets) if (socket?.readyState === WebSocket.OPEN) socket.send(frame);
  }
}
