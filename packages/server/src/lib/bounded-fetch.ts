import { say } from '@switchyard/contract/sentences/sentences';
import { WordedError } from './app-error.ts';

export type Fetch = (address: string | URL, init?: RequestInit) => Promise<Response>;

export interface AnswerLimits {
  maxBytes: number;
  /** Readers of event streams collect a whole line before they parse it, some at a cost that grows with its square. */
  maxLineBytes?: number;
}

/** An answer was larger than the caller may take. */
class AnswerTooLarge extends WordedError {
  constructor(code: 'answer_too_large' | 'answer_line_too_large', maxBytes: number) {
    super(say(code, { bytes: maxBytes }));
    this.name = 'AnswerTooLarge';
  }
}

/** Cuts off an answer that is larger than allowed, because libraries read answers into memory whatever their length. */
export function boundedFetch(fetch: Fetch, limits: AnswerLimits): Fetch {
  return async (address, init) => {
    const response = await fetch(address, init);
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(atMost(limits)), { status, statusText, headers });
  };
}

const newline = 0x0a;

function atMost({
  maxBytes,
  maxLineBytes = maxBytes,
}: AnswerLimits): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let lineBytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const lastNewline = chunk.lastIndexOf(newline);
      bytes += chunk.byteLength;
      lineBytes = lastNewline < 0 ? lineBytes + chunk.byteLength : chunk.byteLength - lastNewline - 1;
      if (bytes > maxBytes) controller.error(new AnswerTooLarge('answer_too_large', maxBytes));
      else if (lineBytes > maxLineBytes)
        controller.error(new AnswerTooLarge('answer_line_too_large', maxLineBytes));
      else controller.enqueue(chunk);
    },
  });
}
