import type { Deadline } from './deadline.ts';

interface Watch {
  deadline: Deadline;
  /** The maximum silence between two chunks. */
  idleTimeoutMs: number;
}

/** For a request body. A request for the next chunk means that the last one was sent, so the time starts again. */
export function sendingStream(
  chunks: AsyncGenerator<Uint8Array, void, undefined>,
  { deadline, idleTimeoutMs }: Watch,
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      // An aborted fetch keeps the stream locked, cannot cancel it, and would read it to its end.
      if (deadline.signal.aborted) {
        await chunks.return();
        throw deadline.signal.reason;
      }
      deadline.extend(idleTimeoutMs);
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return();
    },
  });
}

/** For an answer. The deadline counts while this waits for a chunk, not while the reader works on the last one. */
export function receivingStream(
  source: ReadableStream<Uint8Array>,
  { deadline, idleTimeoutMs }: Watch,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        deadline.extend(idleTimeoutMs);
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          deadline.release();
          controller.close();
        } catch (error) {
          deadline.release();
          controller.error(deadline.signal.aborted ? deadline.signal.reason : error);
        } finally {
          deadline.pause();
        }
      },
      async cancel(reason) {
        deadline.release();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
