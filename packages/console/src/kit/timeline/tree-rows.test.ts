import { describe, expect, it } from 'vitest';
import type { TimelineSpan } from './span.ts';
import { spanTree, treeRows } from './tree-rows.ts';

const span = (id: string, parentId: string | null): TimelineSpan => ({
  id,
  parentId,
  kind: 'tool',
  name: id,
  attempt: null,
  startMs: 0,
  endMs: 1,
  state: 'success',
  tokens: null,
  cost: null,
  currency: null,
  simulated: false,
  workerSeconds: null,
  toolCallId: null,
  taskId: null,
  instanceName: null,
});
const shown = (spans: readonly TimelineSpan[], collapsed: readonly string[] = []) =>
  treeRows(spanTree(spans), new Set(collapsed)).map(({ span: { id }, level }) => `${level} ${id}`);

describe('the rows of a timeline', () => {
  it('puts children below their parent, in the order of the timeline', () => {
    const spans = [span('run', null), span('a', 'run'), span('b', 'run'), span('a1', 'a')];
    expect(shown(spans)).toEqual(['1 run', '2 a', '3 a1', '2 b']);
  });

  it('hides what is below a collapsed row, and says so', () => {
    const rows = treeRows(spanTree([span('run', null), span('a', 'run'), span('a1', 'a')]), new Set(['a']));
    expect(rows.map((row) => [row.span.id, row.hasChildren, row.isExpanded])).toEqual([
      ['run', true, true],
      ['a', true, false],
    ]);
  });

  it('counts positions among siblings for screen readers', () => {
    const rows = treeRows(spanTree([span('run', null), span('a', 'run'), span('b', 'run')]), new Set());
    expect(rows.map(({ position, siblings }) => `${position}/${siblings}`)).toEqual(['1/1', '1/2', '2/2']);
  });

  it('puts a span whose parent is missing at the edge', () => {
    expect(shown([span('run', null), span('lost', 'elsewhere')])).toEqual(['1 run', '1 lost']);
  });

  it('shows every span of an imported file whose parents lead in a circle', () => {
    const spans = [span('tail', 'a'), span('a', 'c'), span('b', 'a'), span('c', 'b'), span('self', 'self')];
    const rows = shown(spans);
    expect(rows).toHaveLength(5);
    expect(rows.filter((row) => row.startsWith('1 '))).toEqual(['1 a', '1 self']);
  });

  it('lists 20,000 spans, each below the one before, without running out of stack', () => {
    const spans = Array.from({ length: 20_000 }, (_, index) =>
      span(`${index}`, index === 0 ? null : `${index - 1}`),
    );
    expect(treeRows(spanTree(spans), new Set()).at(-1)?.level).toBe(20_000);
  });
});
