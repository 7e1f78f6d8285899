/** One event of a stream, encoded once for all who read it. */
export interface StreamFrame {
  /** Null for a frame that cannot be resumed from. */
  readonly id: number | null;
  /** Its name on the wire, as `values` or `messages|agent:1`. */
  readonly event: string;
  /** The whole event as it crosses the wire. Shared: never write into it. */
  readonly bytes: Buffer;
}

interface NewFrame {
  id?: number | null;
  event: string;
  /** JSON text in one line, as `JSON.stringify` writes it. */
  data: string;
}

const lineBreak = /[\r\n]/;
const end = '\n\n';

/** Encodes an event for an event stream. */
export function encodeFrame({ id = null, event, data }: NewFrame): StreamFrame {
  if (lineBreak.test(event))
    throw new Error(`The name of a stream event has a line break: ${JSON.stringify(event)}.`);
  if (lineBreak.test(data))
    throw new Error(`The data of the stream event "${event}" has a line break: write JSON in one line.`);
  const idLine = id === null ? '' : `id: ${id}\n`;
  const text = `event: ${event}\n${idLine}data: ${data}${end}`;
  // Not from Node's pool: a frame that is kept would hold its neighbours' 8 kB as well.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return { id, event, bytes };
}

/** The JSON text of a frame, for readers inside the gateway. */
export function dataOf({ bytes }: StreamFrame): string {
  const start = bytes.indexOf('\ndata: ') + '\ndata: '.length;
  return bytes.toString('utf8', start, bytes.length - end.length);
}

/** Several frames as one piece for the socket; a single one is not copied. */
export function joinFrames(frames: readonly StreamFrame[]): Buffer {
  const [first, second] = frames;
  if (first !== undefined && second === undefined) return first.bytes;
  return Buffer.concat(frames.map(({ bytes }) => bytes));
}
