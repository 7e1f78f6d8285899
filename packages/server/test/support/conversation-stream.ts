export interface Frame {
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever is on the wire
  data: any;
  id?: string;
}

/** A reader of server-sent events that knows only their format. */
export class ConversationStream {
  readonly status: number;
  readonly headers: Headers;
  /** Every frame that was read. */
  readonly frames: Frame[] = [];
  comments = 0;
  readonly #incoming: AsyncIterator<Frame>;
  readonly #abort: AbortController;

  constructor(answer: Response, abort: AbortController) {
    if (!answer.body) throw new Error('The answer has no body.');
    this.status = answer.status;
    this.headers = answer.headers;
    this.#abort = abort;
    // It is locked at once: a body that nothing reads is cancelled when its Response is collected as garbage.
    const body = (answer.body as unknown as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    this.#incoming = this.#parse({ [Symbol.asyncIterator]: () => body });
  }

  /** Returns the next frame; undefined at a clean end. A stream that is broken off throws. */
  async next(): Promise<Frame | undefined> {
    const { value, done } = await this.#incoming.next();
    return done ? undefined : (value as Frame);
  }

  /** Returns the next frame that matches, and skips those before it. */
  async until(isWanted: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const frame = await this.next();
      if (!frame) throw new Error(`The stream ended without it: ${JSON.stringify(this.names())}`);
      if (isWanted(frame)) return frame;
    }
  }

  /** Returns all frames up to the clean end, including those read before. */
  async rest(): Promise<Frame[]> {
    while (await this.next());
    return this.frames;
  }

  names(): string[] {
    return this.frames.map(({ event }) => event);
  }

  of(event: string): Frame[] {
    return this.frames.filter((frame) => frame.event === event);
  }

  /** Does what closing the tab does. */
  leave(): void {
    this.#abort.abort();
  }

  async *#parse(body: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const bytes of body) {
      text += decoder.decode(bytes, { stream: true });
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      yield* this.#take(lines);
    }
    if (text !== '' || this.#open.length > 0) throw new Error(`A frame is cut off: ${this.#open.join('\n')}`);
  }

  #open: string[] = [];

  *#take(lines: string[]): Generator<Frame> {
    for (const line of lines) {
      if (line.startsWith(':')) this.comments += 1;
      else if (line !== '') this.#open.push(line);
      else if (this.#open.length > 0) {
        const frame = frameOf(this.#open);
        this.#open = [];
        this.frames.push(frame);
        yield frame;
      }
    }
  }
}

function frameOf(lines: string[]): Frame {
  const fields = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const id = fields.get('id');
  const frame = { event: fields.get('event') ?? 'message', data: JSON.parse(fields.get('data') ?? 'null') };
  return id === undefined ? frame : { ...frame, id };
}
