import { describe, expect, it } from 'vitest';
import { type PlacedRun, type RunMarks, RunTree } from './run-tree.ts';

/** A run that has ended well; its state is named after it. */
function run(runId: string, more: Partial<PlacedRun & RunMarks> = {}): PlacedRun & RunMarks {
  return {
    runId,
    status: 'success',
    checkpointId: `after ${runId}`,
    isOpen: false,
    createdAt: '2030-01-01T00:00:00.000Z',
    sourceRunId: null,
    replayKind: null,
    continuesFrom: null,
    ...more,
  };
}
const version = (runId: string, sourceRunId: string, more: Partial<PlacedRun> = {}) =>
  run(runId, { sourceRunId, replayKind: 'version', ...more });
const neverBegun = { checkpointId: null, status: 'interrupted' } as const;

const treeOf = (...runs: (PlacedRun & RunMarks)[]) => new RunTree(runs, runs);
const newestOf = (tree: RunTree) => [...tree.lineOf(tree.newest)].reverse().join(' ');
const conversationWith = (tree: RunTree, runId: string) =>
  [...tree.lineOf(tree.endOf(runId))].reverse().join(' ');
const versionsIn = (tree: RunTree) => tree.versions().map((runs) => runs.map(({ runId }) => runId).join(' '));

describe('the conversations of a thread', () => {
  it('are one where each run goes on from the one before', () => {
    const tree = treeOf(run('a'), run('b'), run('c'));
    expect(newestOf(tree)).toBe('a b c');
    expect(versionsIn(tree)).toEqual([]);
    expect(tree.hiddenFrom(tree.newest)).toEqual(new Set());
  });

  it('part where an answer was given once more, and each keeps the turns that followed', () => {
    const tree = treeOf(
      run('a'),
      run('b'),
      version('b2', 'b'),
      run('c'),
      version('b3', 'b'),
      run('d', { continuesFrom: 'c' }),
    );
    expect(versionsIn(tree)).toEqual(['b b2 b3']);
    expect(newestOf(tree)).toBe('a b2 c d');
    expect(conversationWith(tree, 'b')).toBe('a b');
    expect(conversationWith(tree, 'b2')).toBe('a b2 c d');
    expect(conversationWith(tree, 'b3')).toBe('a b3');
    expect(tree.hiddenFrom(tree.newest)).toEqual(new Set(['b', 'b3']));
  });

  it('go on from the version that was used last, also for a client that knows of none', () => {
    const tree = treeOf(run('a'), version('a2', 'a'), run('b', { continuesFrom: 'a' }), run('c'));
    expect(newestOf(tree)).toBe('a b c');
    expect(conversationWith(tree, 'a2')).toBe('a2');
  });

  it('show the newest turns of a version that has parted itself', () => {
    const tree = treeOf(run('a'), run('b'), version('b2', 'b'), version('a2', 'a'));
    expect(versionsIn(tree)).toEqual(['a a2', 'b b2']);
    expect(newestOf(tree)).toBe('a2');
    expect(conversationWith(tree, 'a')).toBe('a b2');
    expect(conversationWith(tree, 'b')).toBe('a b');
  });

  it('show a version from its start, and one that has failed, with the old one beside it', () => {
    for (const more of [
      { isOpen: true, checkpointId: null, status: 'running' },
      { status: 'error' },
    ] as const) {
      const tree = treeOf(run('a'), version('a2', 'a', more));
      expect(newestOf(tree)).toBe('a2');
      expect(versionsIn(tree)).toEqual(['a a2']);
    }
  });

  it('are not changed by a run that never began, beside keeping its place', () => {
    const tree = treeOf(
      run('a'),
      version('a2', 'a'),
      run('b', { ...neverBegun, continuesFrom: 'a' }),
      run('c'),
    );
    expect(newestOf(tree)).toBe('a2 c');
    expect(newestOf(treeOf(run('a'), run('b', neverBegun), run('c')))).toBe('a b c');
    expect(newestOf(treeOf(run('a'), version('a2', 'a', neverBegun)))).toBe('a');
  });
});

describe('a replay of a client that knows no versions', () => {
  it('takes the place of its source once it has succeeded, and stands behind it before', () => {
    const again = (runId: string, status: PlacedRun['status']) => run(runId, { sourceRunId: 'a', status });
    expect(newestOf(treeOf(run('a'), again('b', 'error')))).toBe('a b');
    expect(newestOf(treeOf(run('a'), again('b', 'success')))).toBe('b');
    expect(versionsIn(treeOf(run('a'), again('b', 'success')))).toEqual(['a b']);
  });

  it('gives its place back when it was an edit that has failed', () => {
    const tree = treeOf(
      run('a'),
      run('e', { sourceRunId: 'a', replayKind: 'edit', status: 'error' }),
      run('b'),
    );
    expect(newestOf(tree)).toBe('a b');
    expect(versionsIn(tree)).toEqual(['a e']);
  });

  it('hides the copied turn that it replaces', () => {
    const tree = treeOf(run('a', { sourceRunId: 'branch-seed-t-2' }));
    expect(tree.hiddenFrom(tree.newest)).toEqual(new Set(['branch-seed-t-2']));
  });
});

describe('where a conversation goes on', () => {
  it('is the state after its last run that has one', () => {
    const tree = treeOf(run('a'), run('b', neverBegun), version('a2', 'a'));
    expect(tree.stateAt(tree.endOf('a'))).toBe('after a');
    expect(tree.stateAt('a2')).toBe('after a2');
    expect(treeOf(run('a', neverBegun)).stateAt('a')).toBeNull();
  });

  it('is not known while its last run goes on', () => {
    const tree = treeOf(run('a'), run('b', { isOpen: true, checkpointId: null, status: 'running' }));
    expect(tree.stateAt('b')).toBeNull();
  });
});
