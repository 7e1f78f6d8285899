import type { Readable } from 'node:stream';

interface SignedCall {
  id: string;
  /** Seconds since the epoch. */
  timestamp: number;
  body: string;
}

/** How this gateway signs, and calls addresses that configuration or messages name: no redirects, deadlines. */
export interface ChannelNetwork {
  /** As Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`. */
  sign(call: SignedCall, secret: string): Record<string, string>;
  post(
    url: string,
    call: { headers: Record<string, string>; body: string; allowPrivate: boolean; signal: AbortSignal },
  ): Promise<{ status: number } | { error: string }>;
  /** The content of an answer with status 200. Throws for everything else. */
  download(url: string, options: { allowPrivate: boolean; signal: AbortSignal }): Promise<Readable>;
}
