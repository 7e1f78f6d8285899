import { isSameText } from '../../lib/same-text.ts';
import type { ChannelNetwork } from './channel-network.ts';

/** Clocks differ by less, and who has overheard a message has no more time for it. */
const toleranceSeconds = 5 * 60;
const messageId = /^[\x21-\x7e]{1,128}$/;
const digits = /^\d{1,12}$/;
/** A sender that changes its secret signs with both for a while. */
const mostSignatures = 5;

type MessageHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The id of a message that somebody with the secret has signed just now; null for any other. */
export function verifiedId(
  headers: MessageHeaders,
  {
    body,
    secret,
    nowMs,
    sign,
  }: { body: Buffer; secret: string; nowMs: number; sign: ChannelNetwork['sign'] },
): string | null {
  const { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': signatures } = headers;
  if (typeof id !== 'string' || typeof sentAt !== 'string' || typeof signatures !== 'string') return null;
  if (!messageId.test(id) || !digits.test(sentAt)) return null;
  const timestamp = Number(sentAt);
  if (Math.abs(nowMs / 1000 - timestamp) > toleranceSeconds) return null;
  const expected = sign({ id, timestamp, body: body.toString('utf8') }, secret)['webhook-signature'];
  const given = signatures.split(' ').slice(0, mostSignatures);
  // All are compared, so that the time tells nothing either.
  const matches = given.filter((signature) => expected !== undefined && isSameText(signature, expected));
  return matches.length > 0 && String(timestamp) === sentAt ? id : null;
}
