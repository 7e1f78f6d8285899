import { createHash } from 'node:crypto';
import type { RedisClient } from './redis-server.ts';

/** A script that Redis runs as one step. It is sent once and called by its digest, until the server has forgotten it. */
export class RedisScript {
  readonly #source: string;
  readonly #digest: string;

  constructor(source: string) {
    this.#source = source;
    this.#digest = createHash('sha1').update(source).digest('hex');
  }

  async run(client: RedisClient, key: string, values: readonly (string | number)[]): Promise<unknown> {
    try {
      return await client.evalsha(this.#digest, 1, key, ...values);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return client.eval(this.#source, 1, key, ...values);
    }
  }
}
