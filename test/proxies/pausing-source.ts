import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newDeferred } from '@switchyard/server/lib/async/deferred';

/** What the pausing agent asks: each question waits until the test answers it. */
export class PausingSource {
  readonly #server = createServer((_request, response) => {
    this.#questions.push(response);
    this.#asked.resolve();
  });
  readonly #questions: ServerResponse[] = [];
  #asked = newDeferred();

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when the agent waits for an answer. */
  async question(): Promise<ServerResponse> {
    for (;;) {
      const question = this.#questions.shift();
      if (question) return question;
      this.#asked = newDeferred();
      await this.#asked.promise;
    }
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
