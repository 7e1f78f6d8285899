import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

/** The messages that cross the bus under one name. Messages are small JSON values. */
export interface BusTopic<Message> {
  name: string;
  /** Throws for a text that is not a message of this topic, with the reason. */
  read(text: string): Message;
}

/**
 * The one place where a message is parsed and checked. Another version of the gateway may send another shape, and Redis carries
 * what any of its clients sends, so a subscriber trusts no text. Keys that the schema does not name are left alone.
 */
export function busTopic<Schema extends TSchema>(name: string, schema: Schema): BusTopic<Static<Schema>> {
  if (!topicPattern.test(name)) {
    throw new Error(
      `"${name}" is not a bus topic. Use lower-case letters, digits and _ . : - (at most 200).`,
    );
  }
  const validator = Compile(schema);
  return {
    name,
    read: (text) => {
      const message: unknown = JSON.parse(text);
      if (validator.Check(message)) return message as Static<Schema>;
      const [first] = validator.Errors(message);
      throw new Error(`${first?.instancePath || 'the message'} ${first?.message ?? 'is not valid'}`);
    },
  };
}

/**
 * Says who should wake and what to tell them. Delivery is at most once, and in order per publisher. The truth stays in
 * the database, and a subscriber that gets a `gap` reads it there.
 */
export interface Bus {
  publish<Message>(topic: BusTopic<Message>, message: Message): Promise<void>;
  /**
   * Resolves once the subscriber will get messages published from now on. The iteration ends when the signal aborts,
   * when the loop is left, or when the bus closes.
   */
  subscribe<Message>(
    topic: BusTopic<Message>,
    options: { signal: AbortSignal },
  ): Promise<AsyncIterable<BusEvent<Message>>>;
  close(): Promise<void>;
}

export type BusEvent<Message> =
  | { type: 'message'; message: Message }
  /** Messages were lost: the subscriber fell behind, the connection of the bus broke, or a message was none of its topic. */
  | { type: 'gap' };

export const busLimits = {
  /** Messages are wake-ups and small facts. Large content belongs in the database or the stream log. */
  messageBytes: 64 * 1024,
  /** Maximum number of events that wait for one subscriber before a gap replaces them. */
  queuedEvents: 1_000,
} as const;

const topicPattern = /^[a-z0-9][a-z0-9_.:-]{0,199}$/;

export function encodeMessage(topic: string, message: unknown): string {
  const text = JSON.stringify(message);
  const bytes = Buffer.byteLength(text);
  if (bytes <= busLimits.messageBytes) return text;
  throw new Error(
    `A message on "${topic}" has ${bytes} bytes; the bus carries ${busLimits.messageBytes}. Send an id instead.`,
  );
}
