import { isSameText } from '../lib/same-text.ts';
import type { ChannelNetwork } from './channel-network.ts';

/** Clocks differ by less, and who has overheard a message has no more time for it. */
const toleranceSeconds = 5 * 60;
const messageId = /^[\x21-\x7e]{1,128}$/;
/** Written in one way only, since the signature covers the number. */
const digits = /^[1-9]\d{0,11}$/;
/** A sender that changes its secret signs with both for a while. */
const maxSignatures = 5;
/** The one version that we know: 32 bytes in base64. */
const plausibleSignature = /^v1,[A-Za-z0-9+/]{43}=$/;

type MessageHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What a message says about itself. */
export interface SignedHead {
  id: string;
  timestamp: number;
  signatures: readonly string[];
}

/** Looked at before the body is read; null for what cannot be a message of just now. */
export function headOf(headers: MessageHeaders, nowMs: number): SignedHead | null {
  const { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': signatures } = headers;
  if (typeof id !== 'string' || typeof sentAt !== 'string' || typeof signatures !== 'string') return null;
  if (!messageId.test(id) || !digits.test(sentAt)) return null;
  const timestamp = Number(sentAt);
  if (Math.abs(nowMs / 1000 - timestamp) > toleranceSeconds) return null;
  const plausible = signatures.split(' ', maxSignatures).filter((text) => plausibleSignature.test(text));
  return plausible.length === 0 ? null : { id, timestamp, signatures: plausible };
}

/** Whether somebody with the secret has signed it. */
export function isSigned(
  { id, timestamp, signatures }: SignedHead,
  { body, secret, sign }: { body: Buffer; secret: string; sign: ChannelNetwork['sign'] },
): boolean {
  const expected = sign({ id, timestamp, body: body.toString('utf8') }, secret)['webhook-signature'];
  if (expected === undefined) return false;
  // All are compared, so that the time tells nothing either.
  return signatures.filter((signature) => isSameText(signature, expected)).length > 0;
}
