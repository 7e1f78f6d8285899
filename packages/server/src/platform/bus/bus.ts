/** A small JSON value. Anything that JSON cannot hold does not cross the bus, in any variant. */
export type BusMessage =
  | string
  | number
  | boolean
  | null
  | BusMessage[]
  | { [key: string]: BusMessage | undefined };

/**
 * Says who should wake and what to tell them. Delivery is at most once, and in order per publisher. The truth stays in
 * the database, and a subscriber that gets a `gap` reads it there.
 */
export interface Bus {
  publish(topic: string, message: BusMessage): Promise<void>;
  /**
   * Resolves once the subscriber will get messages published from now on. The iteration ends when the signal aborts,
   * when the loop is left, or when the bus closes.
   */
  subscribe(topic: string, options: { signal: AbortSignal }): Promise<AsyncIterable<BusEvent>>;
  close(): Promise<void>;
}

export type BusEvent =
  | { type: 'message'; message: BusMessage }
  /** Messages were lost: the subscriber fell behind, or the connection of the bus broke. */
  | { type: 'gap' };

export const busLimits = {
  /** Messages are wake-ups and small facts. Large content belongs in the database or the stream log. */
  messageBytes: 64 * 1024,
  /** Maximum number of events that wait for one subscriber before a gap replaces them. */
  queuedEvents: 1_000,
} as const;

const topicPattern = /^[a-z0-9][a-z0-9_.:-]{0,199}$/;

export function checkTopic(topic: string): void {
  if (topicPattern.test(topic)) return;
  throw new Error(`"${topic}" is not a bus topic. Use lower-case letters, digits and _ . : - (at most 200).`);
}

export function encodeMessage(topic: string, message: BusMessage): string {
  const text = JSON.stringify(message);
  const bytes = Buffer.byteLength(text);
  if (bytes <= busLimits.messageBytes) return text;
  throw new Error(
    `A message on "${topic}" has ${bytes} bytes; the bus carries ${busLimits.messageBytes}. Send an id instead.`,
  );
}
