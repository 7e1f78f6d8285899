import {
  type CheckpointPendingWrite,
  type CheckpointTuple,
  emptyCheckpoint,
} from '@langchain/langgraph-checkpoint';
import { expect, it } from 'vitest';
import { withoutAnswered } from './open-questions.ts';

const question = (taskId: string): CheckpointPendingWrite => [taskId, '__interrupt__', { value: '?' }];

function kept(writes: CheckpointPendingWrite[]): CheckpointTuple['pendingWrites'] {
  return withoutAnswered({ config: {}, checkpoint: emptyCheckpoint(), pendingWrites: writes }).pendingWrites;
}

it('a task that has finished asks nothing any more, and the others still ask', () => {
  const result: CheckpointPendingWrite = ['left', 'log', ['done']];
  expect(kept([question('left'), question('right'), result])).toEqual([question('right'), result]);
});

it('a task that changed nothing has finished as well', () => {
  const nothing: CheckpointPendingWrite = ['left', '__no_writes__', null];
  expect(kept([question('left'), nothing])).toEqual([nothing]);
});

it.each(['__resume__', '__error__', '__error_source_node__', '__scheduled__'])(
  'a task that has written %s alone still asks',
  (channel) => {
    const writes: CheckpointPendingWrite[] = [['left', channel, ['yes']], question('left')];
    expect(kept(writes)).toEqual(writes);
  },
);
