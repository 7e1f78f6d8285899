import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';

/** The event sockets of a fake worker, by client id; the newest one counts. */
export class FakeSockets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  readonly #byClient = new Map<string, WebSocket>();

  accept(
    { request, socket, head }: { request: IncomingMessage; socket: Duplex; head: Buffer },
    status: unknown,
  ): void {
    const clientId = new URL(request.url ?? '/', 'http://fake').searchParams.get('clientId') ?? 'nobody';
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      this.#byClient.set(clientId, opened);
      opened.on('error', () => undefined);
      opened.on('close', () => {
        if (this.#byClient.get(clientId) === opened) this.#byClient.delete(clientId);
      });
      opened.send(JSON.stringify({ type: 'status', data: { status, sid: clientId } }));
    });
  }

  send(clientId: string | null, type: string, data: unknown): void {
    const text = JSON.stringify({ type, data });
    if (clientId !== null) sendTo(this.#byClient.get(clientId), text);
    else for (const socket of this.#byClient.values()) sendTo(socket, text);
  }

  dropAll(): void {
    for (const socket of this.#byClient.values()) socket.terminate();
    this.#byClient.clear();
  }
}

function sendTo(socket: WebSocket | undefined, text: string): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(text);
}
