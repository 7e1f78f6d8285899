import type { Readable } from 'node:stream';
import type { Wording } from '@switchyard/contract/sentences/sentences';
import type { Fetch } from '../lib/bounded-fetch.ts';

interface SignedCall {
  id: string;
  /** Seconds since the epoch. */
  timestamp: number;
  body: string;
}

/** Signs, and calls addresses from the configuration or from messages. */
export interface ChannelNetwork {
  /** Returns the headers of Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`. */
  sign(call: SignedCall, secret: string): Record<string, string>;
  post(
    url: string,
    call: { headers: Record<string, string>; body: string; allowPrivate: boolean; signal: AbortSignal },
  ): Promise<{ status: number } | { error: Wording }>;
  /** Returns the content of an answer with status 200. Throws for every other answer. */
  download(url: string, options: { allowPrivate: boolean; signal: AbortSignal }): Promise<Readable>;
  /** For the servers of the configuration alone. */
  fetch: Fetch;
}
