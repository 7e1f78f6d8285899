export type Fetch = (address: string | URL, init?: RequestInit) => Promise<Response>;

/** An answer was larger than whoever asked may take. */
export class AnswerTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`The answer is larger than ${maxBytes} bytes.`);
    this.name = 'AnswerTooLarge';
  }
}

/** Breaks an answer off where it is larger than allowed: libraries read answers into memory, however long they are. */
export function boundedFetch(fetch: Fetch, { maxBytes }: { maxBytes: number }): Fetch {
  return async (address, init) => {
    const response = await fetch(address, init);
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(atMost(maxBytes)), { status, statusText, headers });
  };
}

function atMost(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) controller.error(new AnswerTooLarge(maxBytes));
      else controller.enqueue(chunk);
    },
  });
}
