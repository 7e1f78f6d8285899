import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Requirement } from '../graphs/capability.ts';
import type { PendingTask } from './pending-entry.ts';
import { PendingQueue } from './pending-queue.ts';

let made = 0;

function task(overrides: Partial<PendingTask> & { needs?: string } = {}): PendingTask {
  made++;
  const { needs = 'A', ...rest } = overrides;
  return {
    id: `t${made}`,
    owner: 'ann',
    priority: 0,
    createdAtMs: 0,
    frontMs: null,
    attempt: 0,
    fingerprint: 'g.',
    requirement: { nodeClasses: [needs], models: [], pool: null, pinnedInstanceId: null },
    avoids: [],
    ...rest,
  };
}

const anything = { id: 'w', lastFingerprint: null, canRun: () => true, mayServe: () => true };
const only = (...classes: string[]) => ({
  ...anything,
  canRun: ({ nodeClasses }: Requirement) => nodeClasses.every((name) => classes.includes(name)),
});

function takeAll(
  queue: PendingQueue,
  options: Parameters<PendingQueue['take']>[0] = anything,
): PendingTask[] {
  const taken: PendingTask[] = [];
  for (let next = queue.take(options); next; next = queue.take(options)) taken.push(next);
  return taken;
}

describe('order', () => {
  test('the tasks of one owner are served in the order of their arrival, also within a millisecond', () => {
    const queue = new PendingQueue();
    const tasks = Array.from({ length: 20 }, () => task());
    for (const each of tasks) queue.add(each);
    expect(takeAll(queue)).toEqual(tasks);
  });

  test('higher priority goes first', () => {
    const queue = new PendingQueue();
    for (const priority of [0, 5, -3, 5, 100]) queue.add(task({ priority }));
    expect(takeAll(queue).map(({ priority }) => priority)).toEqual([100, 5, 5, 0, -3]);
  });

  test('a task that comes back takes the place that fits its age', () => {
    const queue = new PendingQueue();
    const [first, second, third] = [1, 2, 3].map((createdAtMs) => task({ createdAtMs }));
    if (!first || !second || !third) throw new Error('three tasks were made');
    for (const each of [third, first, second]) queue.add(each);
    expect(takeAll(queue)).toEqual([first, second, third]);
  });

  test('an instance gets no task that it cannot run, and does not wait behind one', () => {
    const queue = new PendingQueue();
    queue.add(task({ needs: 'B' }));
    const second = task({ needs: 'A' });
    queue.add(second);
    expect(takeAll(queue, only('A'))).toEqual([second]);
    expect(queue.size).toBe(1);
    expect(takeAll(queue, only('A', 'B'))).toHaveLength(1);
  });
});

describe('fair share', () => {
  test('a single task of another owner is second, not last, behind a thousand tasks of one owner', () => {
    const queue = new PendingQueue();
    for (let index = 0; index < 1_000; index++) queue.add(task({ owner: 'ann', createdAtMs: index }));
    for (let index = 0; index < 500; index++) queue.take(anything);
    queue.add(task({ owner: 'bob', createdAtMs: 5_000 }));
    const next = [queue.take(anything), queue.take(anything)].map((each) => each?.owner);
    expect(next).toContain('bob');
  });

  test('owners with many tasks take turns', () => {
    const queue = new PendingQueue();
    for (const owner of ['ann', 'bob', 'cem']) {
      for (let index = 0; index < 50; index++) queue.add(task({ owner }));
    }
    const owners = takeAll(queue).map(({ owner }) => owner);
    for (let turn = 0; turn < 50; turn++) {
      expect(new Set(owners.slice(3 * turn, 3 * turn + 3)).size).toBe(3);
    }
  });

  test('time on the worker counts: an owner who used a minute waits while another uses a minute with short tasks', () => {
    const queue = new PendingQueue();
    for (let index = 0; index < 100; index++) {
      queue.add(task({ owner: 'ann' }));
      queue.add(task({ owner: 'bob' }));
    }
    queue.charge('ann', 30);
    const owners = Array.from({ length: 30 }, () => queue.take(anything)?.owner);
    expect(owners.every((owner) => owner === 'bob')).toBe(true);
  });

  test('idling earns nothing: an owner who comes back shares from now on', () => {
    const queue = new PendingQueue();
    queue.add(task({ owner: 'bob' }));
    queue.take(anything);
    for (let index = 0; index < 300; index++) queue.add(task({ owner: 'ann' }));
    for (let index = 0; index < 200; index++) queue.take(anything);
    for (let index = 0; index < 100; index++) queue.add(task({ owner: 'bob' }));
    const owners = Array.from({ length: 20 }, () => queue.take(anything)?.owner);
    expect(owners.filter((owner) => owner === 'bob')).toHaveLength(10);
  });

  test('a higher priority of one owner cannot hold up a lower one of another for ever', () => {
    const queue = new PendingQueue();
    for (let index = 0; index < 200; index++) queue.add(task({ owner: 'ann', priority: 100 }));
    queue.add(task({ owner: 'bob', priority: -100 }));
    const owners = Array.from({ length: 51 }, () => queue.take(anything)?.owner);
    expect(owners.indexOf('bob')).toBe(50);
  });

  test('no owner waits longer than all others need for one turn each', () => {
    const owners = ['a', 'b', 'c', 'd', 'e'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...owners), { minLength: 1, maxLength: 200 }), (arrivals) => {
        const queue = new PendingQueue();
        for (const owner of arrivals) queue.add(task({ owner }));
        const taken = takeAll(queue).map(({ owner }) => owner);
        const waiting = new Map<string, number>();
        for (const owner of arrivals) waiting.set(owner, (waiting.get(owner) ?? 0) + 1);
        const lastTurn = new Map(owners.map((owner) => [owner, -1]));
        taken.forEach((owner, index) => {
          lastTurn.set(owner, index);
          waiting.set(owner, (waiting.get(owner) ?? 0) - 1);
          for (const other of owners) {
            if ((waiting.get(other) ?? 0) > 0) {
              expect(index - (lastTurn.get(other) ?? 0)).toBeLessThan(2 * owners.length);
            }
          }
        });
      }),
    );
  });
});

describe('warm workers', () => {
  const warmFor = (lastFingerprint: string) => ({ ...anything, lastFingerprint });

  test('the same graph goes first, then the same models', () => {
    const queue = new PendingQueue();
    for (const fingerprint of ['x.m9', 'y.m1', 'g.m1']) queue.add(task({ fingerprint }));
    expect(takeAll(queue, warmFor('g.m1')).map(({ fingerprint }) => fingerprint)).toEqual([
      'g.m1',
      'y.m1',
      'x.m9',
    ]);
  });

  test('for a graph without models only the same graph is warm', () => {
    const queue = new PendingQueue();
    for (const fingerprint of ['x.', 'y.', 'g.']) queue.add(task({ fingerprint }));
    expect(takeAll(queue, warmFor('g.')).map(({ fingerprint }) => fingerprint)).toEqual(['g.', 'x.', 'y.']);
  });

  test('a cold task is passed eight times at most', () => {
    const queue = new PendingQueue();
    const cold = task({ fingerprint: 'cold.' });
    queue.add(cold);
    for (let index = 0; index < 100; index++) queue.add(task({ fingerprint: 'warm.' }));
    const taken = takeAll(queue, warmFor('warm.'));
    expect(taken.findIndex(({ id }) => id === cold.id)).toBe(8);
  });

  test("a warm task never takes another owner's turn", () => {
    const queue = new PendingQueue();
    for (let index = 0; index < 10; index++) queue.add(task({ owner: 'ann', fingerprint: 'warm.' }));
    for (let index = 0; index < 10; index++) queue.add(task({ owner: 'bob', fingerprint: 'cold.' }));
    const owners = Array.from({ length: 10 }, () => queue.take(warmFor('warm.'))?.owner);
    expect(owners.filter((owner) => owner === 'bob')).toHaveLength(5);
  });

  test('finds a warm task that has another requirement', () => {
    const queue = new PendingQueue();
    queue.add(task({ fingerprint: 'x.', needs: 'A' }));
    queue.add(task({ fingerprint: 'g.', needs: 'B' }));
    expect(queue.take(warmFor('g.'))?.fingerprint).toBe('g.');
  });
});

describe('a task at the front', () => {
  test('goes before the others of its owner, the last moved first, also where a worker is warm for another', () => {
    const queue = new PendingQueue();
    const [old, first, last] = [task({ fingerprint: 'warm.' }), task({ frontMs: 1 }), task({ frontMs: 2 })];
    for (const each of [old, first, last]) if (each) queue.add(each);
    expect(takeAll(queue, { ...anything, lastFingerprint: 'warm.' })).toEqual([last, first, old]);
  });

  test('passes no higher priority, and takes no turn from another owner', () => {
    const queue = new PendingQueue();
    const urgent = task({ priority: 5 });
    const earlier = task({ owner: 'bob' });
    const fronted = task({ owner: 'ann', createdAtMs: 9, frontMs: 10 });
    for (const each of [urgent, earlier, fronted]) queue.add(each);
    // The turn of ann is over after her urgent task.
    expect(takeAll(queue)).toEqual([urgent, earlier, fronted]);
    queue.charge('bob', 1);
    for (const each of [task({ owner: 'bob', createdAtMs: 1 }), { ...fronted, id: 'again', createdAtMs: 2 }])
      queue.add(each);
    expect(queue.position('again')).toBe(2);
  });
});

describe('positions', () => {
  test("the position of a single owner's task is its place in the line", () => {
    const queue = new PendingQueue();
    const tasks = Array.from({ length: 5 }, () => task());
    for (const each of tasks) queue.add(each);
    expect(tasks.map(({ id }) => queue.position(id))).toEqual([1, 2, 3, 4, 5]);
  });

  test('the position is exact in the middle of a long line', () => {
    const queue = new PendingQueue();
    const tasks = Array.from({ length: 5_000 }, (_, createdAtMs) => task({ createdAtMs }));
    for (const each of tasks) queue.add(each);
    expect(queue.position(tasks[2_499]?.id ?? '')).toBe(2_500);
  });

  test('the position counts all tasks of higher priority, and of each other owner as many as come before it in its own line', () => {
    const queue = new PendingQueue();
    for (let index = 0; index < 1_000; index++) queue.add(task({ owner: 'ann' }));
    queue.add(task({ owner: 'cem', priority: 9 }));
    const mine = task({ owner: 'bob' });
    queue.add(mine);
    expect(queue.position(mine.id)).toBe(3);
    expect(queue.position('unknown')).toBeNull();
  });
});

describe('positions of several users', () => {
  test('differ with equal claims: the one whose first task is older goes first', () => {
    const queue = new PendingQueue();
    const tasks = ['ann', 'bob', 'ann', 'bob'].map((owner, createdAtMs) => task({ owner, createdAtMs }));
    for (const each of tasks) queue.add(each);
    expect(tasks.map(({ id }) => queue.position(id))).toEqual([1, 2, 3, 4]);
    const [first, second, third, fourth] = tasks;
    expect(takeAll(queue)).toEqual([first, second, third, fourth]);
  });

  test('are the order in which their tasks go, when each takes the usual time', () => {
    const queue = new PendingQueue();
    for (let round = 0; round < 100; round += 1) {
      const owner = round % 2 === 0 ? 'ann' : 'bob';
      queue.add(task({ owner }));
      queue.take(anything);
      queue.charge(owner, 9);
    }
    // The turn of ann comes two tasks later than that of the others.
    queue.charge('ann', 20);
    const owners = ['ann', 'ann', 'bob', 'cem', 'bob', 'cem', 'bob', 'ann'];
    const tasks = owners.map((owner, createdAtMs) => task({ owner, createdAtMs }));
    for (const each of tasks) queue.add(each);
    const told = tasks.map(({ id }) => [id, queue.position(id)] as const);
    const taken: string[] = [];
    for (let next = queue.take(anything); next; next = queue.take(anything)) {
      taken.push(next.id);
      queue.charge(next.owner, 9);
    }
    expect(new Set(told.map(([, position]) => position)).size).toBe(tasks.length);
    expect(told.map(([id, position]) => [id, position])).toEqual(
      told.map(([id]) => [id, taken.indexOf(id) + 1]),
    );
  });
});

describe('bookkeeping', () => {
  test('a task that is added several times waits once', () => {
    const queue = new PendingQueue();
    const once = task();
    expect([queue.add(once), queue.add(once), queue.size]).toEqual([true, false, 1]);
    expect([queue.remove(once.id), queue.remove(once.id), queue.size]).toEqual([true, false, 0]);
  });

  test('taking a task does the same work however many tasks wait', () => {
    const queue = new PendingQueue();
    for (let index = 0; index < 100_000; index++) {
      queue.add(task({ owner: `o${index % 997}`, needs: `N${index % 20}`, createdAtMs: index }));
    }
    let asked = 0;
    const options = {
      ...anything,
      lastFingerprint: 'g.',
      canRun: () => {
        asked++;
        return true;
      },
    };
    for (let index = 0; index < 1_000; index++) expect(queue.take(options)).not.toBeNull();
    expect(asked).toBe(20 * 1_000);
    expect(queue.size).toBe(99_000);
  });

  test('after any additions, removals and takes each task comes out once, to an instance that can run it', () => {
    fc.assert(
      fc.property(fc.array(arbitraryStep(), { maxLength: 120 }), (steps) => {
        const queue = new PendingQueue();
        const waiting = new Map<string, PendingTask>();
        for (const step of steps) {
          stepBoth(step, { queue, waiting });
          expect(queue.size).toBe(waiting.size);
          for (const owner of ['a', 'b', 'c']) {
            expect(queue.sizeOf(owner)).toBe(
              [...waiting.values()].filter((one) => one.owner === owner).length,
            );
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});

type Step =
  | { kind: 'add'; overrides: Parameters<typeof task>[0] }
  | { kind: 'remove'; at: number }
  | { kind: 'take'; can: string[]; lastFingerprint: string | null }
  | { kind: 'charge'; owner: string; seconds: number };

function arbitraryStep(): fc.Arbitrary<Step> {
  const owner = fc.constantFrom('a', 'b', 'c');
  const overrides = fc.record({
    owner,
    priority: fc.integer({ min: -2, max: 2 }),
    needs: fc.constantFrom('A', 'B'),
    fingerprint: fc.constantFrom('g.', 'h.m', 'i.m'),
    createdAtMs: fc.integer({ min: 0, max: 5 }),
  });
  return fc.oneof(
    fc.record({ kind: fc.constant('add' as const), overrides }),
    fc.record({ kind: fc.constant('remove' as const), at: fc.nat() }),
    fc.record({
      kind: fc.constant('take' as const),
      can: fc.constantFrom<string[]>(['A'], ['B'], ['A', 'B']),
      lastFingerprint: fc.constantFrom(null, 'g.', 'h.m'),
    }),
    fc.record({ kind: fc.constant('charge' as const), owner, seconds: fc.nat(99) }),
  );
}

/** Applies the step to the queue and to a plain map, and compares the queue's results with the map. */
function stepBoth(step: Step, both: { queue: PendingQueue; waiting: Map<string, PendingTask> }): void {
  const { queue, waiting } = both;
  switch (step.kind) {
    case 'add': {
      const added = task(step.overrides);
      expect(queue.add(added)).toBe(true);
      waiting.set(added.id, added);
      return;
    }
    case 'remove': {
      const id = [...waiting.keys()][step.at % Math.max(waiting.size, 1)] ?? 'none';
      expect(queue.remove(id)).toBe(waiting.delete(id));
      return;
    }
    case 'charge':
      queue.charge(step.owner, step.seconds);
      return;
    case 'take': {
      const { canRun } = only(...step.can);
      const runnable = [...waiting.values()].filter(({ requirement }) => canRun(requirement));
      const taken = queue.take({ ...anything, lastFingerprint: step.lastFingerprint, canRun });
      expect(taken !== null).toBe(runnable.length > 0);
      if (!taken) return;
      expect(runnable).toContainEqual(taken);
      expect(taken.priority).toBe(Math.max(...runnable.map(({ priority }) => priority)));
      waiting.delete(taken.id);
    }
  }
}

test('tasks that need the same share one copy of what they need', () => {
  const queue = new PendingQueue();
  for (let count = 0; count < 2; count += 1) queue.add(structuredClone(task({})));
  const [first, second] = takeAll(queue);
  expect(second?.requirement).toBe(first?.requirement);
});

describe('tasks that an instance may not take', () => {
  const avoiding = (...ids: string[]) => ids.map((instanceId) => ({ instanceId, untilMs: 1 }));
  const by = (id: string) => ({ ...anything, id });

  test('a task that avoids an instance waits for another, and holds up none of the same kind', () => {
    const queue = new PendingQueue();
    const [refused, next] = [task({ avoids: avoiding('w', 'v') }), task()];
    queue.add(refused);
    queue.add(next);
    expect(queue.take(by('w'))).toEqual(next);
    expect(queue.take(by('v'))).toBeNull();
    expect(queue.take(by('u'))).toEqual(refused);
  });

  test('an owner who may not be served is passed over and keeps their place', () => {
    const queue = new PendingQueue();
    const tasks = ['ann', 'bob', 'cat'].map((owner) => task({ owner }));
    for (const each of tasks) queue.add(each);
    const notAnn = { ...anything, mayServe: (owner: string) => owner !== 'ann' };
    expect(queue.take(notAnn)).toEqual(tasks[1]);
    expect(queue.take(anything)).toEqual(tasks[0]);
    expect(queue.take(notAnn)).toEqual(tasks[2]);
    expect(queue.take(anything)).toBeNull();
  });

  test('a warm task is not taken when its owner may not be served', () => {
    const queue = new PendingQueue();
    queue.add(task({ needs: 'A' }));
    queue.add(task({ needs: 'B', fingerprint: 'warm.' }));
    const onlyA = { mayServe: (_owner: string, { nodeClasses }: Requirement) => nodeClasses.includes('A') };
    const taken = queue.take({ ...anything, lastFingerprint: 'warm.', ...onlyA });
    expect(taken?.requirement.nodeClasses).toEqual(['A']);
  });
});
