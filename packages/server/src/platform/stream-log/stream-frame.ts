/** One event of a stream. */
export interface StreamFrame {
  readonly id: number;
  /** Its name on the wire, for example `values` or `messages|agent:1`. */
  readonly event: string;
  /** The whole event as it is sent. */
  readonly text: string;
  /** The number of bytes of `text`. */
  readonly sizeBytes: number;
  /** When it was made. */
  readonly atMs: number;
}

interface NewEvent {
  event: string;
  /** JSON text in one line, as `JSON.stringify` writes it. */
  data: string;
  /** Absent when no one can resume from this event. */
  id?: number | string;
}

const eventMark = 'event: ';
const dataMark = '\ndata: ';
const eventEnd = '\n\n';

export function newFrame(event: NewEvent & { id: number; atMs: number }): StreamFrame {
  const text = eventText(event);
  const { id, event: name, atMs } = event;
  return { id, event: name, text, sizeBytes: Buffer.byteLength(text), atMs };
}

/** Encodes an event as it is sent. */
export function encodeEvent(event: NewEvent): Buffer {
  return Buffer.from(eventText(event));
}

/** Encodes several events into one buffer for the socket. */
export function encodeEvents(events: readonly NewEvent[]): Buffer {
  return Buffer.from(events.map(eventText).join(''));
}

/** Returns the name of an event from its text. */
export function eventOf(text: string): string {
  return text.slice(eventMark.length, text.indexOf('\n'));
}

/** Returns the JSON text of a frame, for readers inside the gateway. */
export function dataOf({ text }: StreamFrame): string {
  return text.slice(text.indexOf(dataMark) + dataMark.length, -eventEnd.length);
}

/**
 * Joins several frames into one buffer for the socket, because a separate buffer for each would cost more than its
 * content.
 */
export function joinFrames(frames: readonly StreamFrame[]): Buffer {
  const [first, second] = frames;
  if (first !== undefined && second === undefined) return Buffer.from(first.text);
  return Buffer.from(frames.map(({ text }) => text).join(''));
}

function eventText({ event, data, id }: NewEvent): string {
  if (hasLineBreak(event))
    throw new Error(`The name of a stream event has a line break: ${JSON.stringify(event)}.`);
  if (hasLineBreak(data))
    throw new Error(`The data of the stream event "${event}" has a line break: write JSON in one line.`);
  const idLine = id === undefined ? '' : `\nid: ${id}`;
  return `${eventMark}${event}${idLine}${dataMark}${data}${eventEnd}`;
}

/** Several times as fast as a pattern, and each token of each run passes it. */
function hasLineBreak(text: string): boolean {
  return text.includes('\n') || text.includes('\r');
}
