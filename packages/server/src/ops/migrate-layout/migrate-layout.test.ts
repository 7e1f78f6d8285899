import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  contentsOf,
  dividedDisk,
  dyingDisk,
  makeTree,
  quickDisk,
  type Tree,
  treeOf,
} from '../../../testing/layout-fixture.ts';
import { migrateLayout } from './migrate-layout.ts';
import { type MoveDisk, nodeMoveDisk } from './move-disk.ts';
import type { ThreadFate } from './thread-owner-store.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const owned = (owner: string): ThreadFate => ({ kind: 'owned', owner });
const fates = new Map<string, ThreadFate>([
  ['t1', owned('ada')],
  ['t2', owned('bob')],
  ['shared', { kind: 'ownerless' }],
  ['deleted', { kind: 'deleted' }],
  ['orphan', { kind: 'unadopted' }],
  ['odd-owner', owned('../ada')],
]);

function migrate(home: string, options: { isDryRun?: boolean; disk?: MoveDisk } = {}) {
  const { isDryRun = false, disk = nodeMoveDisk } = options;
  return migrateLayout({ home, isDryRun, disk, fatesOf: async () => fates });
}

/** A short form of the report. */
async function migrated(tree: Tree, options: { isDryRun?: boolean; disk?: MoveDisk } = {}) {
  makeTree(folder.path, tree);
  const entries = await migrate(folder.path, options);
  return entries.map(({ path, action, to }) =>
    to === null ? `${action} ${path}` : `${action} ${path} ${to}`,
  );
}

describe('the move into the layout with users', () => {
  it('gives threads to their owners, and data without an owner to the default user', async () => {
    const report = await migrated({
      'threads/t1/user-data/uploads/a.txt': 'of ada',
      'threads/t2/user-data/outputs/b.txt': 'of bob',
      'threads/shared/user-data/workspace': '/',
      'threads/unknown/user-data/uploads/c.txt': 'of nobody',
    });
    expect(treeOf(folder.path)).toEqual({
      'users/ada/threads/t1/user-data/uploads/a.txt': 'of ada',
      'users/bob/threads/t2/user-data/outputs/b.txt': 'of bob',
      'users/default/threads/shared/user-data/workspace': '/',
      'users/default/threads/unknown/user-data/uploads/c.txt': 'of nobody',
    });
    expect(report).toEqual([
      'moved threads/shared users/default/threads/shared',
      'moved threads/t1 users/ada/threads/t1',
      'moved threads/t2 users/bob/threads/t2',
      'moved threads/unknown users/default/threads/unknown',
      'removed threads',
    ]);
    expect(statSync(join(folder.path, 'users/ada')).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['one file system', quickDisk],
    ['two file systems', dividedDisk],
  ])('keeps folders of users and threads closed to other users, on %s', async (_, disk) => {
    const modeOf = (path: string) => statSync(join(folder.path, path)).mode & 0o777;
    makeTree(folder.path, {
      'threads/t1/user-data/uploads/a.txt': 'of ada',
      'users/ada/threads/t0/user-data/uploads/a.txt': 'of ada',
    });
    for (const path of ['threads/t1', 'users', 'users/ada', 'users/ada/threads']) {
      chmodSync(join(folder.path, path), 0o755);
    }

    await migrate(folder.path, { disk, isDryRun: true });
    expect(modeOf('users/ada')).toBe(0o755);
    await migrate(folder.path, { disk });
    for (const path of ['users', 'users/ada', 'users/ada/threads', 'users/ada/threads/t1']) {
      expect([path, modeOf(path)]).toEqual([path, 0o700]);
    }
  });

  it('moves memory, profile and agents to the default user, agents in lower case', async () => {
    await migrated({
      'memory.json': 'remembered',
      'USER.md': 'profile',
      'agents/Painter/SOUL.md': 'paints',
      'agents/Painter/memory.json': 'colours',
    });
    expect(treeOf(folder.path)).toEqual({
      'users/default/memory.json': 'remembered',
      'users/default/USER.md': 'profile',
      'users/default/agents/painter/SOUL.md': 'paints',
      'users/default/agents/painter/memory.json': 'colours',
    });
  });

  it('sets an item aside when its place is taken, each time again', async () => {
    const taken = {
      'users/ada/threads/t1/user-data/uploads/a.txt': 'newer',
      'users/default/memory.json': 'newer',
      'users/default/agents/painter/SOUL.md': 'newer',
    };
    const old = {
      'threads/t1/user-data/uploads/a.txt': 'old',
      'memory.json': 'old',
      'agents/painter/SOUL.md': 'old',
    };
    await migrated({ ...taken, ...old });
    const again = Object.fromEntries(Object.keys(old).map((path) => [path, 'older']));
    const report = await migrated(again);
    expect(treeOf(folder.path)).toEqual({
      ...taken,
      'migration-conflicts/t1/user-data/uploads/a.txt': 'old',
      'migration-conflicts/t1.2/user-data/uploads/a.txt': 'older',
      'migration-conflicts/agents.painter/SOUL.md': 'old',
      'migration-conflicts/agents.painter.2/SOUL.md': 'older',
      'users/default/memory.legacy.json': 'old',
      'users/default/memory.legacy.2.json': 'older',
    });
    expect(report).toContain('set_aside threads/t1 migration-conflicts/t1.2');
  });

  it('leaves links, odd names and files in place and reports them', async () => {
    const odd = {
      'elsewhere/secret.txt': 'secret',
      'threads/t1': '-> ../elsewhere',
      'threads/..t2/a.txt': 'odd',
      'threads/t2': 'a file',
      'threads/odd-owner/a.txt': 'x',
      agents: '-> elsewhere',
      'memory.json': '-> elsewhere/secret.txt',
    };
    const report = await migrated(odd);
    expect(treeOf(folder.path)).toEqual(odd);
    expect(report).toEqual([
      'left threads/..t2',
      'left threads/t1',
      'left threads/t2',
      'left threads/odd-owner',
      'left memory.json',
      'left agents',
    ]);
  });

  it('moves nothing through a link that replaces a folder of the new layout', async () => {
    const linked = { 'elsewhere/x': 'x', users: '-> elsewhere', 'threads/t1/a.txt': 'of ada' };
    expect(await migrated(linked)).toEqual(['left threads/t1']);
    expect(treeOf(folder.path)).toEqual(linked);
  });

  it('moves links inside a thread unchanged, and reports them', async () => {
    makeTree(folder.path, { 'threads/t1/user-data/uploads/x': '-> /etc/passwd', 'threads/t1/a.txt': 'a' });
    const [entry] = await migrate(folder.path);
    expect(entry?.note).toContain('user-data/uploads/x');
    expect(treeOf(folder.path)['users/ada/threads/t1/user-data/uploads/x']).toBe('-> /etc/passwd');
  });

  it('leaves threads that are deleted or have no owner yet', async () => {
    const tree = { 'threads/deleted/a.txt': 'a', 'threads/orphan/b.txt': 'b' };
    expect(await migrated(tree)).toEqual(['left threads/deleted', 'left threads/orphan']);
    expect(treeOf(folder.path)).toEqual(tree);
  });

  it('writes the owner into events of runs that name no user', async () => {
    const event = { thread_id: 't1', run_id: 'r1', seq: 1, event_type: 'ai_message' };
    const torn = '{"seq":3,"conte';
    await migrated({
      'threads/t1/runs/r1.jsonl': `${JSON.stringify({ ...event, user_id: null })}\n${JSON.stringify(event)}\n${torn}`,
      'threads/t1/runs/r2.jsonl': `${JSON.stringify({ ...event, user_id: 'bob' })}\n`,
    });
    const stamped = JSON.stringify({ ...event, user_id: 'ada' });
    const lines = treeOf(folder.path)['users/ada/threads/t1/runs/r1.jsonl']?.split('\n');
    expect(lines?.slice(0, 2).map((line) => JSON.parse(line))).toEqual([
      JSON.parse(stamped),
      JSON.parse(stamped),
    ]);
    expect(lines?.slice(2)).toEqual([torn, '']);
    expect(treeOf(folder.path)).toHaveProperty(['users/bob/threads/t1/runs/r2.jsonl']);
  });

  it('changes nothing in a dry run, and predicts the report', async () => {
    const tree = {
      'threads/t1/runs/r1.jsonl': '{"seq":1}\n',
      'threads/t2/a.txt': 'a',
      'users/bob/threads/t2/a.txt': 'newer',
      'agents/Painter/SOUL.md': 'one',
      'agents/painter/SOUL.md': 'two',
      'memory.json': 'm',
    };
    const foretold = await migrated(tree, { isDryRun: true });
    expect(treeOf(folder.path)).toEqual(tree);
    expect(await migrated({})).toEqual(foretold);
    expect(foretold).toHaveLength(7);
  });

  it('keeps one of two items with the same content, as it does when it was interrupted between them', async () => {
    const tree = { 'agents/Painter/SOUL.md': 'same', 'agents/painter/SOUL.md': 'same' };
    const report = [
      'moved agents/Painter users/default/agents/painter',
      'completed agents/painter users/default/agents/painter',
      'removed agents',
    ];
    expect(await migrated(tree, { isDryRun: true })).toEqual(report);
    expect(await migrated({})).toEqual(report);
    expect(treeOf(folder.path)).toEqual({ 'users/default/agents/painter/SOUL.md': 'same' });
  });

  it('continues after a failure, and tries the failed item again the next time', async () => {
    const disk: MoveDisk = {
      ...nodeMoveDisk,
      rename: async (from, to) => {
        if (from.includes('t1')) throw new Error('EIO: the disk is tired');
        await nodeMoveDisk.rename(from, to);
      },
    };
    const tree = { 'threads/t1/a.txt': 'a', 'threads/t2/b.txt': 'b' };
    expect(await migrated(tree, { disk })).toEqual([
      'failed threads/t1',
      'moved threads/t2 users/bob/threads/t2',
    ]);
    expect(await migrated({})).toEqual(['moved threads/t1 users/ada/threads/t1', 'removed threads']);
  });
});

const name = fc.constantFrom(
  't1',
  't2',
  'shared',
  'unknown',
  'deleted',
  'orphan',
  'un known',
  'Painter',
  'painter',
);
const inside = fc.constantFrom('a.txt', 'user-data/uploads/b.txt', 'user-data/outputs/c d.txt', 'SOUL.md');
const place = fc.oneof(
  fc.tuple(fc.constantFrom('threads', 'agents'), name, inside).map((parts) => parts.join('/')),
  fc
    .tuple(fc.constantFrom('ada', 'bob', 'default'), fc.constantFrom('threads', 'agents'), name, inside)
    .map((parts) => `users/${parts.join('/')}`),
  fc.constantFrom('memory.json', 'USER.md', 'users/default/memory.json', 'users/default/memory.legacy.json'),
);
/** Each file has content of its own, except for a few with the same content. */
const trees = fc
  .uniqueArray(place, { minLength: 1, maxLength: 12 })
  .chain((paths) =>
    fc.tuple(
      ...paths.map((path, index) => fc.tuple(fc.constant(path), fc.constantFrom(`file ${index}`, 'same'))),
    ),
  )
  .map((files) => Object.fromEntries(files) as Tree);

/** Runs the work in a new home. */
async function inHome<Result>(tree: Tree, work: (home: string) => Promise<Result>): Promise<Result> {
  const home = temporaryFolder();
  try {
    makeTree(home.path, tree);
    return await work(home.path);
  } finally {
    home.remove();
  }
}

const kept = (tree: Tree): string[] => [...new Set(contentsOf(tree))];

describe.each([
  ['one file system', quickDisk],
  ['two file systems', dividedDisk],
])('any home on %s', (_, disk) => {
  it('loses no file, and a second migration changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(trees, (tree) =>
        inHome(tree, async (home) => {
          await migrate(home, { disk });
          const after = treeOf(home);
          expect(kept(after)).toEqual(kept(tree));
          expect(Object.keys(after).filter((path) => path.includes('.migrating'))).toEqual([]);
          const again = await migrate(home, { disk });
          expect(treeOf(home)).toEqual(after);
          expect(again.filter(({ action }) => action !== 'left')).toEqual([]);
        }),
      ),
      { numRuns: 40 },
    );
  });

  it('has the same result, whenever the process dies during it', async () => {
    await fc.assert(
      fc.asyncProperty(trees, fc.nat({ max: 40 }), (tree, diesAt) =>
        inHome(tree, async (home) => {
          await migrate(home, { disk: dyingDisk(disk, diesAt) });
          expect(kept(treeOf(home))).toEqual(kept(tree));
          const rest = await migrate(home, { disk });
          expect(rest.filter(({ action }) => action === 'failed')).toEqual([]);
          const whole = await inHome(tree, async (other) => {
            await migrate(other, { disk });
            return treeOf(other);
          });
          expect(treeOf(home)).toEqual(whole);
        }),
      ),
      { numRuns: 40 },
    );
  });

  it('keeps every event of a run, whenever the process dies while it writes owners', async () => {
    const event = (user_id: string | null, seq: number) => `${JSON.stringify({ seq, user_id })}\n`;
    const tree = {
      'threads/t1/runs/r1.jsonl': event(null, 1) + event('ada', 2),
      'threads/t1/runs/r2.jsonl': event('bob', 3),
      'threads/t2/runs/r3.jsonl': event(null, 1),
    };
    for (let diesAt = 0; ; diesAt += 1) {
      const wasWhole = await inHome(tree, async (home) => {
        const entries = await migrate(home, { disk: dyingDisk(disk, diesAt) });
        await migrate(home, { disk });
        const logs = Object.entries(treeOf(home)).filter(([path]) => path.endsWith('.jsonl'));
        expect(Object.fromEntries(logs.map(([path, text]) => [path, ownersIn(text)]))).toEqual({
          'users/ada/threads/t1/runs/r1.jsonl': ['ada', 'ada'],
          'users/bob/threads/t1/runs/r2.jsonl': ['bob'],
          'users/bob/threads/t2/runs/r3.jsonl': ['bob'],
        });
        return entries.every(({ action }) => action !== 'failed');
      });
      if (wasWhole) return expect(diesAt).toBeGreaterThan(10);
    }
  });
});

function ownersIn(log: string): unknown[] {
  const lines = log.trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { user_id: unknown }).user_id);
}
