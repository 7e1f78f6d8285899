import { expect, it } from 'vitest';
import type { LoggedEvent } from './event-log.ts';
import { MemoryEventLog } from './memory-event-log.ts';

function event(thread_id: string, seq: number): LoggedEvent {
  return {
    thread_id,
    seq,
    run_id: 'r',
    user_id: 'u',
    event_type: 'note',
    category: 'message',
    content: '',
    metadata: '{}',
    origin: null,
    created_at: '2030-01-01T00:00:00.000Z',
  };
}

it('drops the thread that was written to longest ago when it holds too much, and never the current one', async () => {
  const log = new MemoryEventLog({ limit: 3 });
  const append = (threadId: string, ...seqs: number[]): Promise<void> =>
    log.append(
      { threadId, runId: 'r', userId: 'u' },
      seqs.map((seq) => event(threadId, seq)),
    );
  const seqsOf = async (threadId: string): Promise<number[]> => {
    const seqs: number[] = [];
    for await (const { seq } of log.scan({ threadId, scope: null })) seqs.push(seq);
    return seqs;
  };
  await append('a', 1);
  await append('b', 1);
  await append('a', 2);
  await append('c', 1);
  expect([await seqsOf('a'), await seqsOf('b'), await seqsOf('c')]).toEqual([[1, 2], [], [1]]);
  await append('d', 1, 2, 3, 4);
  expect([await seqsOf('a'), await seqsOf('c'), await seqsOf('d')]).toEqual([[], [], [1, 2, 3, 4]]);
});
