import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks: the secret is base64 behind a prefix, the signature covers id, time and body. */
const prefix = 'whsec_';
const secretBytes = 32;

export function newWebhookSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

interface SignedCall {
  id: string;
  /** Seconds since the epoch. */
  timestamp: number;
  body: string;
}

export function webhookHeaders(call: SignedCall, secret: string | null): Record<string, string> {
  const headers = { 'webhook-id': call.id, 'webhook-timestamp': String(call.timestamp) };
  return secret === null ? headers : { ...headers, 'webhook-signature': signature(call, secret) };
}

function signature({ id, timestamp, body }: SignedCall, secret: string): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
