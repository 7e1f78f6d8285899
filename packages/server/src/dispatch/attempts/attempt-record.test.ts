import { expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { DispatchEvents } from '../dispatch-events.ts';
import { noGraphWords } from '../graphs/file-words.ts';
import type { TaskRow } from '../tables.ts';
import type { AttemptEnd, RunningMark } from '../tasks/attempt-store.ts';
import { readNodes } from '../tasks/node-record.ts';
import { newTaskError } from '../tasks/task-messages.ts';
import { AttemptRecord, type RecordDeps } from './attempt-record.ts';

const row = { id: 't', attempt: 1, warnings: '[]', progress: 0, status: 'running' } as TaskRow;
const fence = { taskId: 't', attempt: 1, token: 1 };

function newRecord(nodes: string | null = null) {
  const time = new ManualTime(0);
  const marks: RunningMark[] = [];
  const ends: AttemptEnd[] = [];
  const runner = new AbortController();
  const deps = {
    attempts: {
      end: async (_: unknown, end: AttemptEnd) => {
        ends.push(end);
        return true;
      },
    },
    marks: { mark: (_: unknown, change: RunningMark) => void marks.push(change), take: () => null },
    events: new DispatchEvents((error) => {
      throw error;
    }),
    journal: { note: () => undefined },
    clock: time.now,
    timer: time.timer,
    signal: runner.signal,
  } as unknown as RecordDeps;
  const record = new AttemptRecord(deps, { row, fence, nodes });
  record.beginNodes(() => true);
  const start = (nodeId: string): void =>
    record.noteNode({ type: 'node_started', promptId: 'p', nodeId, topNodeId: nodeId });
  return { record, time, marks, ends, runner, start };
}

test('nodes are written once in a few seconds while an attempt runs, and with its end', async () => {
  const { record, time, marks, ends, start } = newRecord();
  for (let node = 0; node < 100; node += 1) {
    start(`${node}`);
    time.advance(100);
  }
  const checkpoints = marks.filter(({ nodes }) => nodes !== undefined);
  expect(checkpoints).toHaveLength(3);
  const stored = { outputs: [], texts: [], outputsReused: false, outputsMissing: 0 };
  await record.complete({ kept: [], stored } as never, noGraphWords);
  expect(readNodes(ends[0]?.nodes ?? null).spans).toHaveLength(100);
  expect(time.nextTimerMs).toBeNull();
});

test('a resumed attempt adds to the nodes that were written before', async () => {
  const before = newRecord();
  before.start('1');
  before.time.advance(3_000);
  const after = newRecord(before.marks.at(-1)?.nodes);
  after.start('2');
  await after.record.fail(newTaskError('lost', 'gone'), 'lost');
  const { spans } = readNodes(after.ends[0]?.nodes ?? null);
  expect(spans.map(({ nodeId, state }) => [nodeId, state])).toEqual([
    ['1', 'finished'],
    ['2', 'stopped'],
  ]);
});

test('a runner that lost its instance writes no nodes any more', () => {
  const { record, time, marks, runner, start } = newRecord();
  start('1');
  runner.abort();
  time.advance(10_000);
  expect(marks).toEqual([]);
  start('2');
  record.abandon();
  expect(time.nextTimerMs).toBeNull();
});

test('the end of an attempt leaves no file held, unless the task is known to name none', async () => {
  const unknown = newRecord();
  await unknown.record.fail(newTaskError('lost', 'gone'), 'lost');
  const without = newRecord();
  without.record.noteNoFiles();
  await without.record.fail(newTaskError('lost', 'gone'), 'lost');
  expect([unknown, without].map(({ ends }) => ends[0]?.mayHoldFiles)).toEqual([true, false]);
});
