import { expect, it } from 'vitest';
import type { CheckpointOutline } from './checkpointed-thread-store.ts';
import { keptCheckpoints } from './kept-checkpoints.ts';

function outline(id: number, fields: Partial<CheckpointOutline> = {}, steps?: number): CheckpointOutline {
  const metadata = steps === undefined ? {} : { counters_since_delta_snapshot: { messages: [1, steps] } };
  return {
    namespace: '',
    id: `${id}`,
    parentId: id === 1 ? null : `${id - 1}`,
    runId: null,
    metadata: JSON.stringify(metadata),
    ...fields,
  };
}

const idsKept = (outlines: CheckpointOutline[], keepLatest: number): string[] =>
  [...keptCheckpoints(outlines, { keepLatest })].map(({ namespace, id }) => namespace + id).sort();

it('keeps the newest of each namespace', () => {
  const outlines = [3, 2, 1].flatMap((id) => [outline(id), outline(id, { namespace: 'sub' })]);
  outlines.sort((one, other) => one.namespace.localeCompare(other.namespace));
  expect(idsKept(outlines, 1)).toEqual(['3', 'sub3']);
});

it('keeps the ancestors that hold the changes of a channel since it was stored whole', () => {
  const outlines = [outline(5, {}, 2), outline(4, {}, 1), outline(3), outline(2), outline(1)];
  expect(idsKept(outlines, 1)).toEqual(['3', '4', '5']);
});

it('follows the parents and not the order in time', () => {
  const outlines = [outline(5, { parentId: '2' }, 1), outline(4), outline(3), outline(2), outline(1)];
  expect(idsKept(outlines, 1)).toEqual(['2', '5']);
});

it('accepts that an ancestor is already gone', () => {
  expect(idsKept([outline(5, {}, 9)], 1)).toEqual(['5']);
});
