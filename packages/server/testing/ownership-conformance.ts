import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newDeferred } from '../src/lib/async/deferred.ts';
import { dayMs, hourMs, secondMs } from '../src/lib/time-units.ts';
import type { Bus, BusEvent, BusTopic } from '../src/platform/bus/bus.ts';
import { MemoryBus } from '../src/platform/bus/memory-bus.ts';
import { Subscription } from '../src/platform/bus/subscription.ts';
import { type Lease, LeaseLost } from '../src/platform/ownership/lease.ts';
import type { Ownership } from '../src/platform/ownership/ownership.ts';
import { aroundWrites } from './around-writes.ts';
import { Fleet, failing, leaseLifeMs, type OwnershipStorage } from './ownership-fleet.ts';

/** The guarantees of ownership, on every database. */
export function ownershipConformance(name: string, openStorage: () => Promise<OwnershipStorage>): void {
  describe(`ownership: ${name}`, () => {
    let storage: OwnershipStorage;
    let fleet: Fleet;

    beforeEach(async () => {
      storage = await openStorage();
      fleet = await Fleet.open(storage);
    });

    afterEach(async () => {
      await fleet.close();
      await storage.close();
    });

    describe('hold', () => {
      test('gives the work a key, a token and a signal, and resolves when it is done', async () => {
        const { ownership } = await fleet.newProcess();
        let seen: Lease | undefined;
        await ownership.hold('instance-1', async (lease) => {
          seen = lease;
          expect(lease.signal.aborted).toBe(false);
        });
        expect(seen).toMatchObject({ key: 'instance-1', token: expect.any(Number) });
      });

      test('does not stand for a process that stood still, before any of its timers has told it so', async () => {
        const { ownership, time } = await fleet.newProcess();
        const holding = startHolding(ownership, 'key');
        await holding.started;
        expect(holding.lease()?.stands()).toBe(true);
        time.jump(leaseLifeMs);
        expect(holding.lease()?.signal.aborted).toBe(false);
        expect(holding.lease()?.stands()).toBe(false);
        expect(holding.lease()?.signal.reason).toBeInstanceOf(LeaseLost);
        holding.finish();
        await expect(holding.held).rejects.toThrow(LeaseLost);
      });

      test('admits one holder at a time, and the next one in the same process as soon as the first is done', async () => {
        const { ownership } = await fleet.newProcess();
        const first = startHolding(ownership, 'key');
        await first.started;
        const second = startHolding(ownership, 'key');
        await fleet.settle();
        expect(second.lease()).toBeUndefined();
        first.finish();
        await first.held;
        await second.started;
        second.finish();
        await second.held;
      });

      test('holds different keys at the same time', async () => {
        const { ownership } = await fleet.newProcess();
        const one = startHolding(ownership, 'one');
        const other = startHolding(ownership, 'other');
        await Promise.all([one.started, other.started]);
        one.finish();
        other.finish();
      });

      test('gives each owner a higher token, even after the row was pruned', async () => {
        const { ownership } = await fleet.newProcess();
        const tokens = [await tokenOf(ownership), await tokenOf(ownership)];
        fleet.databaseClock.advance(dayMs + 1);
        await ownership.prune();
        expect(await fleet.database.read.selectFrom('leases').selectAll().execute()).toEqual([]);
        tokens.push(await tokenOf(ownership));
        expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
      });

      test('rejects with the error of the work, and gives the key back', async () => {
        const { ownership } = await fleet.newProcess();
        const failing = ownership.hold('key', async () => {
          throw new Error('worker broke');
        });
        await expect(failing).rejects.toThrow('worker broke');
        await ownership.hold('key', async () => undefined);
      });

      test('stops waiting when its signal aborts, and leaves nothing behind', async () => {
        const holder = await fleet.newProcess();
        const waiting = await fleet.newProcess();
        const first = startHolding(holder.ownership, 'key');
        await first.started;
        const controller = new AbortController();
        const second = startHolding(waiting.ownership, 'key', controller.signal);
        await until(() => waiting.time.nextTimerMs !== null);
        controller.abort(new Error('no longer configured'));
        await expect(second.held).rejects.toThrow('no longer configured');
        expect(waiting.time.nextTimerMs).toBeNull();
        first.finish();
      });

      test('passes the abort of its signal on to the work', async () => {
        const { ownership, time } = await fleet.newProcess();
        const controller = new AbortController();
        const holding = startHolding(ownership, 'key', controller.signal);
        await holding.started;
        controller.abort(new Error('stop'));
        expect(holding.lease()?.signal.reason).toEqual(new Error('stop'));
        holding.finish();
        await holding.held;
        expect(time.nextTimerMs).toBeNull();
      });
    });

    describe('tryHold', () => {
      test('returns false at once when another process owns the key, and true when the work is done', async () => {
        const one = await fleet.newProcess();
        const other = await fleet.newProcess();
        const holding = startHolding(one.ownership, 'key');
        await holding.started;
        expect(await other.ownership.tryHold('key', async () => undefined)).toBe(false);
        holding.finish();
        await holding.held;
        expect(await other.ownership.tryHold('key', async () => undefined)).toBe(true);
      });

      test('takes over an expired lease', async () => {
        const dead = await fleet.newProcess();
        const alive = await fleet.newProcess();
        const holding = startHolding(dead.ownership, 'key');
        await holding.started;
        fleet.databaseClock.advance(leaseLifeMs + 1);
        expect(await alive.ownership.tryHold('key', async () => undefined)).toBe(true);
        holding.finish();
      });
    });

    describe('renewal', () => {
      test('keeps a key for as long as the work lasts', async () => {
        const holder = await fleet.newProcess();
        const waiting = await fleet.newProcess();
        const holding = startHolding(holder.ownership, 'key');
        await holding.started;
        const next = startHolding(waiting.ownership, 'key');
        for (let elapsedMs = 0; elapsedMs < 10 * 60 * secondMs; elapsedMs += 5 * secondMs) {
          fleet.databaseClock.advance(5 * secondMs);
          holder.time.advance(5 * secondMs);
          await fleet.settle();
          waiting.time.advance(5 * secondMs);
          await fleet.settle();
        }
        expect(next.lease()).toBeUndefined();
        expect(holding.lease()?.signal.aborted).toBe(false);
        holding.finish();
        await holding.held;
      });

      test('renews hundreds of keys in a few writes, and none once they are given back', async () => {
        let writes = 0;
        const counting = aroundWrites(fleet.database, (write) => {
          writes += 1;
          return write();
        });
        const { ownership, time } = await fleet.newProcess({ database: counting });
        const many = Array.from({ length: 600 }, (_, index) => startHolding(ownership, `key-${index}`));
        await Promise.all(many.map(({ started }) => started));
        writes = 0;
        time.advance(5 * secondMs);
        await fleet.settle();
        expect(writes).toBe(2);
        for (const holding of many) holding.finish();
        await Promise.all(many.map(({ held }) => held));
        expect(time.nextTimerMs).toBeNull();
      });

      test('survives a database that is unavailable for a while', async () => {
        const faulty = failing(fleet.database);
        const { ownership, time } = await fleet.newProcess({ database: faulty.database });
        const holding = startHolding(ownership, 'key');
        await holding.started;
        faulty.fail();
        await fleet.pass(time, 11 * secondMs);
        faulty.heal();
        await fleet.pass(time, 60 * secondMs);
        expect(holding.lease()?.signal.aborted).toBe(false);
        holding.finish();
        await holding.held;
      });

      test('aborts the work before another process may start when it cannot renew', async () => {
        const faulty = failing(fleet.database);
        const { ownership, time } = await fleet.newProcess({ database: faulty.database });
        const holding = startHolding(ownership, 'key');
        await holding.started;
        faulty.fail();
        await fleet.pass(time, 12 * secondMs);
        expect(holding.lease()?.signal.aborted).toBe(false);
        await fleet.pass(time, secondMs);
        expect(time.now()).toBeLessThan(leaseLifeMs);
        expect(holding.lease()?.signal.reason).toBeInstanceOf(LeaseLost);
        expect(holding.lease()?.signal.reason.cause).toEqual(new Error('connection refused'));
        holding.finish();
        await expect(holding.held).rejects.toBeInstanceOf(LeaseLost);
      });

      test('aborts the work in time even if the renewal never returns', async () => {
        const faulty = failing(fleet.database);
        const { ownership, time } = await fleet.newProcess({ database: faulty.database });
        const holding = startHolding(ownership, 'key');
        await holding.started;
        faulty.hang();
        await fleet.pass(time, 13 * secondMs);
        expect(holding.lease()?.signal.reason).toBeInstanceOf(LeaseLost);
        faulty.heal();
        holding.finish();
        await expect(holding.held).rejects.toBeInstanceOf(LeaseLost);
      });

      test('reports the loss, and not how the work ended because of it', async () => {
        const faulty = failing(fleet.database);
        const { ownership, time } = await fleet.newProcess({ database: faulty.database });
        const started = newDeferred();
        const held = ownership.hold('key', async ({ signal }) => {
          started.resolve();
          await new Promise((_, reject) =>
            signal.addEventListener('abort', () => reject(new Error('socket closed'))),
          );
        });
        await started.promise;
        faulty.fail();
        time.advance(13 * secondMs);
        await expect(held).rejects.toBeInstanceOf(LeaseLost);
      });
    });

    describe('a holder that is paused', () => {
      test('is followed by the next one, which has a higher token', async () => {
        const paused = await fleet.newProcess();
        const next = await fleet.newProcess();
        const first = startHolding(paused.ownership, 'key');
        await first.started;
        const second = startHolding(next.ownership, 'key');
        await until(() => next.time.nextTimerMs !== null);
        fleet.databaseClock.advance(leaseLifeMs);
        next.time.advance(leaseLifeMs);
        await second.started;
        expect(second.lease()?.token).toBeGreaterThan(first.lease()?.token ?? Number.POSITIVE_INFINITY);

        paused.time.advance(60 * 1_000);
        expect(first.lease()?.signal.reason).toBeInstanceOf(LeaseLost);
        first.finish();
        await expect(first.held).rejects.toBeInstanceOf(LeaseLost);
        expect(second.lease()?.signal.aborted).toBe(false);
        second.finish();
        await second.held;
      });

      test('can no longer write, even before it learns of its loss', async () => {
        const { first, second } = await takenOver();
        const late = fleet.database.write(async (trx) => {
          await first.confirm(trx);
          await trx
            .insertInto('leases')
            .values({ key: 'late write', token: 0, holder: null, expiresAtMs: 0 })
            .execute();
        });
        await expect(late).rejects.toBeInstanceOf(LeaseLost);
        expect(first.signal.reason).toBeInstanceOf(LeaseLost);
        await fleet.database.write(async (trx) => {
          await second.confirm(trx);
          await trx
            .insertInto('leases')
            .values({ key: 'right write', token: 0, holder: null, expiresAtMs: 0 })
            .execute();
        });
        const keys = await fleet.database.read.selectFrom('leases').select('key').orderBy('key').execute();
        expect(keys.map(({ key }) => key)).toEqual(['key', 'right write']);
      });

      test('may continue when it comes back before another process took over', async () => {
        const paused = await fleet.newProcess();
        const holding = startHolding(paused.ownership, 'key');
        await holding.started;
        fleet.databaseClock.advance(hourMs);
        await fleet.database.write(
          (trx) => holding.lease()?.confirm(trx) ?? Promise.reject(new Error('not started')),
        );
        holding.finish();
        await holding.held;
      });

      /** Two leases on one key. The first holder has not noticed its loss. */
      async function takenOver(): Promise<{ first: Lease; second: Lease }> {
        const paused = await fleet.newProcess();
        const first = startHolding(paused.ownership, 'key');
        await first.started;
        fleet.databaseClock.advance(leaseLifeMs + 1);
        const second = startHolding((await fleet.newProcess()).ownership, 'key', undefined, 'tryHold');
        await second.started;
        const leases = [first.lease(), second.lease()];
        first.finish();
        second.finish();
        const [one, other] = leases;
        if (!one || !other) throw new Error('Both have started.');
        return { first: one, second: other };
      }
    });

    describe('clocks that jump', () => {
      test('do not end a lease that is renewed: the database jumps three days ahead', async () => {
        const holder = await fleet.newProcess();
        const waiting = await fleet.newProcess();
        const holding = startHolding(holder.ownership, 'key');
        await holding.started;
        fleet.databaseClock.jump(3 * dayMs);
        const next = startHolding(waiting.ownership, 'key');
        for (let elapsedMs = 0; elapsedMs < 60 * secondMs; elapsedMs += secondMs) {
          fleet.databaseClock.advance(secondMs);
          holder.time.advance(secondMs);
          await fleet.settle();
          waiting.time.advance(secondMs);
          await fleet.settle();
        }
        expect(next.lease()).toBeUndefined();
        expect(holding.lease()?.signal.aborted).toBe(false);
        holding.finish();
      });

      test('do not keep the lease of a dead holder: the database goes back by two hours', async () => {
        const dead = await fleet.newProcess();
        const waiting = await fleet.newProcess();
        const holding = startHolding(dead.ownership, 'key');
        await holding.started;
        fleet.databaseClock.jump(-2 * hourMs);
        const next = startHolding(waiting.ownership, 'key');
        await fleet.pass(waiting.time, 40 * secondMs);
        await next.started;
        next.finish();
        holding.finish();
      });
    });

    test('when many wait for the same key, one at a time gets it, and all get their turn', async () => {
      const all = await Promise.all(Array.from({ length: storage.contenders }, () => fleet.newProcess()));
      let working = 0;
      let maxAtOnce = 0;
      const tokens: number[] = [];
      const holds = all.map(({ ownership }) =>
        ownership.hold('key', async ({ token }) => {
          working += 1;
          maxAtOnce = Math.max(maxAtOnce, working);
          tokens.push(token);
          await fleet.settle();
          working -= 1;
        }),
      );
      const done = Promise.all(holds);
      let isDone = false;
      void done.then(() => {
        isDone = true;
      });
      while (!isDone) {
        fleet.databaseClock.advance(secondMs);
        for (const { time } of all) time.advance(secondMs);
        await fleet.settle();
      }
      expect(maxAtOnce).toBe(1);
      expect(tokens).toHaveLength(storage.contenders);
      expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    });

    describe('on a bus', () => {
      test('a waiting process takes a key as soon as another process gives it back', async () => {
        const bus = new MemoryBus();
        const [holder, waiting] = [await fleet.newProcess(), await fleet.newProcess()];
        await Promise.all([holder.ownership.joinBus(bus), waiting.ownership.joinBus(bus)]);
        const first = startHolding(holder.ownership, 'key');
        await first.started;
        const second = startHolding(waiting.ownership, 'key');
        await until(() => waiting.time.nextTimerMs !== null);
        await Promise.all([holder.ownership.close(), first.finish()]);
        // No time passes for the process that waits.
        await second.started;
        second.finish();
        await second.held;
      });

      test('a waiting process takes a key after a gap, in which the message may have been lost', async () => {
        const news = new HeldBus();
        const [holder, waiting] = [await fleet.newProcess(), await fleet.newProcess()];
        await waiting.ownership.joinBus(news);
        const first = startHolding(holder.ownership, 'key');
        await first.started;
        const second = startHolding(waiting.ownership, 'key');
        await until(() => waiting.time.nextTimerMs !== null);
        first.finish();
        await first.held;
        news.push({ type: 'gap' });
        await second.started;
        second.finish();
        await second.held;
      });

      test('a lost message costs no more than the rest of the lease, and a broken bus fails no work', async () => {
        const [holder, waiting] = [await fleet.newProcess(), await fleet.newProcess()];
        await Promise.all([
          holder.ownership.joinBus(new HeldBus()),
          waiting.ownership.joinBus(new MemoryBus()),
        ]);
        const first = startHolding(holder.ownership, 'key');
        await first.started;
        const second = startHolding(waiting.ownership, 'key');
        await until(() => waiting.time.nextTimerMs !== null);
        first.finish();
        await first.held;
        await holder.ownership.close();
        expect(second.lease()).toBeUndefined();
        await fleet.pass(waiting.time, leaseLifeMs);
        await second.started;
        second.finish();
        await second.held;
      });
    });

    describe('close', () => {
      test('aborts the work, waits for its end, and gives the key back to a waiting process', async () => {
        const closing = await fleet.newProcess();
        const other = await fleet.newProcess();
        const holding = startHolding(closing.ownership, 'key');
        await holding.started;
        let isClosed = false;
        const closed = closing.ownership.close().then(() => {
          isClosed = true;
        });
        expect(holding.lease()?.signal.aborted).toBe(true);
        await fleet.settle();
        expect(isClosed).toBe(false);
        holding.finish();
        await closed;
        expect(await other.ownership.tryHold('key', async () => undefined)).toBe(true);
        expect(closing.time.nextTimerMs).toBeNull();
        await expect(closing.ownership.hold('key', async () => undefined)).rejects.toThrow('closed');
      });
    });

    test('at start of the only process of a database, no one waits for the previous process', async () => {
      const killed = await fleet.newProcess();
      const holding = startHolding(killed.ownership, 'key');
      await holding.started;
      const restarted = await fleet.newProcess();
      await restarted.ownership.freeAll();
      expect(await restarted.ownership.tryHold('key', async () => undefined)).toBe(true);
      holding.finish();
    });

    test('prune drops rows that were unused for long and keeps held ones', async () => {
      const { ownership } = await fleet.newProcess();
      await ownership.hold('given back', async () => undefined);
      const holding = startHolding(ownership, 'held');
      await holding.started;
      fleet.databaseClock.jump(3 * dayMs);
      await ownership.prune();
      const keys = await fleet.database.read.selectFrom('leases').select('key').execute();
      expect(keys).toEqual([{ key: 'held' }]);
      holding.finish();
    });
  });
}

/** A bus that takes no message, and brings what the test gives it. */
class HeldBus implements Pick<Bus, 'publish' | 'subscribe'> {
  readonly #subscriptions: Subscription<never>[] = [];

  async publish(): Promise<void> {
    throw new Error('connection refused');
  }

  async subscribe(_topic: BusTopic<unknown>, { signal }: { signal: AbortSignal }) {
    const subscription = new Subscription<never>(signal, () => undefined);
    this.#subscriptions.push(subscription);
    return subscription;
  }

  push(event: BusEvent<never>): void {
    for (const subscription of this.#subscriptions) subscription.push(event);
  }
}

/** Work that lasts until the test ends it. */
export function startHolding(
  ownership: Ownership,
  key: string,
  signal?: AbortSignal,
  how: 'hold' | 'tryHold' = 'hold',
) {
  const started = newDeferred();
  const finished = newDeferred();
  let lease: Lease | undefined;
  const held = ownership[how](
    key,
    async (given) => {
      lease = given;
      started.resolve();
      await finished.promise;
    },
    { signal },
  );
  // Settles `started` where the work never began; a test that waits for it then says why.
  held.then(() => started.reject(new Error('The hold ended before its work began.')), started.reject);
  started.promise.catch(() => undefined);
  return { held, started: started.promise, finish: () => finished.resolve(), lease: () => lease };
}

async function tokenOf(ownership: Ownership): Promise<number> {
  let token = 0;
  await ownership.hold('key', async (lease) => {
    token = lease.token;
  });
  return token;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
