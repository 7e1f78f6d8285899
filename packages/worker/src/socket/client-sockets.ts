import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Faults } from '../faults.ts';
import type { Preview } from '../nodes/node-class.ts';
import { type PreviewMetadata, previewFrame, previewWithMetadataFrame } from './frames.ts';

interface Client {
  socket: WebSocket;
  wantsMetadata: boolean;
}

/**
 * Sockets by client id. A second socket with the same id takes over the events; the first stays open and receives
 * nothing. Sending to `undefined` means everyone.
 */
export class ClientSockets {
  readonly #clients = new Map<string, Client>();
  readonly #all = new Set<WebSocket>();
  readonly #faults: Faults;
  readonly #limits: { maxSockets: number; maxSocketBufferBytes: number };
  readonly #hooks;

  constructor(
    hooks: {
      /** The first message for a socket. */
      status: () => unknown;
      /** The running node, if the running prompt is this client's. */
      currentNode: (clientId: string) => string | undefined;
      features: () => unknown;
    },
    { faults, limits }: { faults: Faults; limits: { maxSockets: number; maxSocketBufferBytes: number } },
  ) {
    this.#hooks = hooks;
    this.#faults = faults;
    this.#limits = limits;
  }

  get isFull(): boolean {
    return this.#all.size >= this.#limits.maxSockets;
  }

  accept(socket: WebSocket, wantedId: string): void {
    const clientId = wantedId === '' ? randomUUID().replaceAll('-', '') : wantedId;
    const client: Client = { socket, wantsMetadata: false };
    this.#all.add(socket);
    this.#clients.set(clientId, client);
    let isFirst = true;
    socket.on('message', (data, isBinary) => {
      if (isFirst && !isBinary) this.#readFeatures(String(data), { client, clientId });
      isFirst = false;
    });
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      this.#all.delete(socket);
      const isPresent = this.#clients.get(clientId) === client;
      if (isPresent || this.#faults.switches.deafSockets) this.#clients.delete(clientId);
    });
    this.send('status', { status: this.#hooks.status(), sid: clientId }, clientId);
    const node = this.#hooks.currentNode(clientId);
    if (node !== undefined) this.send('executing', { node }, clientId);
  }

  send(type: string, data: unknown, clientId: string | undefined): void {
    this.sendText(JSON.stringify({ type, data }), clientId);
  }

  /** A frame that is JSON already. */
  sendText(frame: string, clientId: string | undefined): void {
    this.#deliver(frame, this.#receivers(clientId));
  }

  sendBinary(frame: Buffer, clientId: string | undefined): void {
    this.#deliver(frame, this.#receivers(clientId));
  }

  /**
   * Sends a preview in the form that the client asked for. No client can ask for all others, so a broadcast has no
   * metadata.
   */
  sendPreview(preview: Preview, metadata: PreviewMetadata, clientId: string | undefined): void {
    const wantsMetadata = clientId !== undefined && this.#clients.get(clientId)?.wantsMetadata === true;
    this.sendBinary(
      wantsMetadata ? previewWithMetadataFrame(preview, metadata) : previewFrame(preview),
      clientId,
    );
  }

  hasListener(clientId: string | undefined): boolean {
    return this.#receivers(clientId).length > 0;
  }

  close(): void {
    for (const socket of this.#all) socket.terminate();
  }

  #receivers(clientId: string | undefined): Client[] {
    if (clientId === undefined) return [...this.#clients.values()];
    const client = this.#clients.get(clientId);
    return client === undefined ? [] : [client];
  }

  #deliver(frame: string | Buffer, receivers: readonly Client[]): void {
    if (this.#faults.switches.muteSockets) return;
    for (const { socket } of receivers) {
      if (socket.bufferedAmount > this.#limits.maxSocketBufferBytes) socket.terminate();
      else if (socket.readyState === socket.OPEN) socket.send(frame);
    }
  }

  /** Only the very first message of a socket counts. */
  #readFeatures(text: string, { client, clientId }: { client: Client; clientId: string }): void {
    const message = parse(text);
    if (message?.type !== 'feature_flags') return;
    client.wantsMetadata = message.data?.supports_preview_metadata === true;
    this.send('feature_flags', this.#hooks.features(), clientId);
  }
}

function parse(
  text: string,
): { type?: unknown; data?: { supports_preview_metadata?: unknown } | null } | null {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' ? message : null;
  } catch {
    return null;
  }
}
