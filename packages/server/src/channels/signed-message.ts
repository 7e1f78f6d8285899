import { isSameText } from '../lib/same-text.ts';
import type { ChannelNetwork } from './channel-network.ts';

/** Clocks differ by less than this. A message that was overheard can be replayed only within this time. */
const toleranceSeconds = 5 * 60;
const messageId = /^[\x21-\x7e]{1,128}$/;
/** Only one way of writing the number is accepted, because the signature covers its text. */
const digits = /^[1-9]\d{0,11}$/;
/** A sender that changes its secret signs with the old and the new one for a while. */
const maxSignatures = 5;
/** The only known version: 32 bytes in base64. */
const plausibleSignature = /^v1,[A-Za-z0-9+/]{43}=$/;

type MessageHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The facts about a message in its headers. */
export interface SignedHead {
  id: string;
  timestamp: number;
  signatures: readonly string[];
}

/** Reads the headers before the body. Returns null when they cannot belong to a message that was sent just now. */
export function headOf(headers: MessageHeaders, nowMs: number): SignedHead | null {
  const { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': signatures } = headers;
  if (typeof id !== 'string' || typeof sentAt !== 'string' || typeof signatures !== 'string') return null;
  if (!messageId.test(id) || !digits.test(sentAt)) return null;
  const timestamp = Number(sentAt);
  if (Math.abs(nowMs / 1000 - timestamp) > toleranceSeconds) return null;
  const plausible = signatures.split(' ', maxSignatures).filter((text) => plausibleSignature.test(text));
  return plausible.length === 0 ? null : { id, timestamp, signatures: plausible };
}

/** Returns whether one of the signatures was made with the secret. */
export function isSigned(
  { id, timestamp, signatures }: SignedHead,
  { body, secret, sign }: { body: Buffer; secret: string; sign: ChannelNetwork['sign'] },
): boolean {
  const expected = sign({ id, timestamp, body: body.toString('utf8') }, secret)['webhook-signature'];
  if (expected === undefined) return false;
  // All signatures are compared, so that the time reveals nothing.
  return signatures.filter((signature) => isSameText(signature, expected)).length > 0;
}
