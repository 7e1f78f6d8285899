import { expect, it } from 'vitest';
import { emptyRun } from '../../../testing/journal-fixture.ts';
import { MemoryStreamLog } from '../../platform/stream-log/memory-stream-log.ts';
import { ThreadEvents } from './thread-events.ts';

it('looks up no run that had ended when it was listed, and whose frames are gone', async () => {
  const ended = Array.from({ length: 3 }, (_, index) => ({
    ...emptyRun,
    run_id: `old-${index}`,
    admission: index + 1,
    status: 'success' as const,
    ended_at: '2026-03-10T10:00:00.000Z',
  }));
  const last = { ...emptyRun, run_id: 'last', admission: 4, status: 'running' as const };
  const streamLog = new MemoryStreamLog();
  streamLog.begin('last', { base: 0 });
  streamLog.append('last', 'metadata', '{}');
  streamLog.end('last');
  const looked: string[] = [];
  const events = new ThreadEvents({
    runs: {
      followRuns: async function* () {
        for (const run of [...ended, last]) yield { run, isNewest: run === last };
      },
      look: async (_owner, { runId }) => {
        looked.push(runId);
        return { ...last, status: 'success', ended_at: '2026-03-10T10:01:00.000Z' };
      },
      newest: async () => last,
      latest: async () => [...ended, last],
      valuesOf: async () => ({}),
    },
    streamLog,
    clock: () => 0,
  });

  const filter = { channels: ['lifecycle'] };
  const { signal } = new AbortController();
  const read: string[] = [];
  for await (const batch of events.read({ user: 'ada' }, 't', filter, signal))
    read.push(...batch.map(({ data }) => JSON.parse(data).event));

  expect(read).toEqual(['running', 'completed']);
  expect(looked).toEqual(['last']);
});
