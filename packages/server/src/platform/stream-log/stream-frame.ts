/** One event of a stream, encoded once for all who read it. */
export interface StreamFrame {
  readonly id: number;
  /** Its name on the wire, as `values` or `messages|agent:1`. */
  readonly event: string;
  /** The whole event as it crosses the wire. Shared: never write into it. */
  readonly bytes: Buffer;
}

interface NewEvent {
  event: string;
  /** JSON text in one line, as `JSON.stringify` writes it. */
  data: string;
  /** Left out where nobody can resume from this event. */
  id?: number | string;
}

const lineBreak = /[\r\n]/;
const dataMark = '\ndata: ';
const eventEnd = '\n\n';

/** An event as it crosses the wire. */
export function encodeEvent({ event, data, id }: NewEvent): Buffer {
  if (lineBreak.test(event))
    throw new Error(`The name of a stream event has a line break: ${JSON.stringify(event)}.`);
  if (lineBreak.test(data))
    throw new Error(`The data of the stream event "${event}" has a line break: write JSON in one line.`);
  const idLine = id === undefined ? '' : `\nid: ${id}`;
  const text = `event: ${event}${idLine}${dataMark}${data}${eventEnd}`;
  // Not from Node's pool: a frame that is kept would hold its neighbours' 8 kB as well.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** The JSON text of a frame, for readers inside the gateway. */
export function dataOf({ bytes }: StreamFrame): string {
  return bytes.toString('utf8', bytes.indexOf(dataMark) + dataMark.length, bytes.length - eventEnd.length);
}

/** Several frames as one piece for the socket; a single one is not copied. */
export function joinFrames(frames: readonly StreamFrame[]): Buffer {
  const [first, second] = frames;
  if (first !== undefined && second === undefined) return first.bytes;
  return Buffer.concat(frames.map(({ bytes }) => bytes));
}
