import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newDeferred } from '@switchyard/server/lib/async/deferred';

export interface WebhookCall {
  id: string;
  taskId: string;
  /** Its caller ended before it had the answer. */
  isLost: boolean;
}

/** An address for webhooks. It can hold its answers back, so that a caller may be ended between its call and what it records. */
export class WebhookReceiver {
  readonly calls: WebhookCall[] = [];
  readonly #server: Server;
  readonly #held = new Set<WebhookCall>();
  #mayAnswer: Promise<void> = Promise.resolve();
  #release: () => void = () => undefined;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { data } = JSON.parse(Buffer.concat(parts).toString()) as { data: { taskId: string } };
      const call = { id: String(request.headers['webhook-id']), taskId: data.taskId, isLost: false };
      this.calls.push(call);
      this.#held.add(call);
      response.once('close', () => {
        call.isLost = !response.writableFinished;
        this.#held.delete(call);
      });
      await this.#mayAnswer;
      if (!call.isLost) response.writeHead(204).end();
    });
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** The number of calls that have no answer yet. */
  get held(): number {
    return this.#held.size;
  }

  get lost(): WebhookCall[] {
    return this.calls.filter(({ isLost }) => isLost);
  }

  /** From now on no call is answered. */
  hold(): void {
    const gate = newDeferred();
    this.#mayAnswer = gate.promise;
    this.#release = gate.resolve;
  }

  release(): void {
    this.#release();
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
