import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AttemptPolicy, Counters } from '../src/platform/counters/counters.ts';

export interface CountersVariant {
  counters: Counters;
  /** Lets this much time pass for the counters. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

const policy: AttemptPolicy = { attempts: 3, lockMs: 600, reservationMs: 300 };
const client = '203.0.113.7';

/** The behaviour of every variant of the counters port. */
export function countersConformance(name: string, makeVariant: () => Promise<CountersVariant>): void {
  describe(`counters: ${name}`, () => {
    let variant: CountersVariant;
    let counters: Counters;

    beforeEach(async () => {
      variant = await makeVariant();
      counters = variant.counters;
    });
    afterEach(() => variant.close());

    async function reserve(subject = client): Promise<string> {
      const reservation = await counters.reserve(subject, policy);
      if (reservation.outcome !== 'reserved')
        throw new Error(`expected a reservation, got ${reservation.outcome}`);
      return reservation.reservationId;
    }

    async function fail(about: string, subject = client): Promise<boolean> {
      const reservationId = await reserve(subject);
      return (await counters.confirmFailure(subject, { reservationId, about, policy })).locked;
    }

    test('locks a subject with the failure that fills the policy, and says for how long', async () => {
      expect([await fail('ada'), await fail('bob'), await fail('ada')]).toEqual([false, false, true]);
      const refused = await counters.reserve(client, policy);
      expect(refused.outcome).toBe('locked');
      if (refused.outcome !== 'locked') return;
      expect(refused.retryAfterMs).toBeGreaterThan(0);
      expect(refused.retryAfterMs).toBeLessThanOrEqual(policy.lockMs);
    });

    test('starts again from nothing when the lock is over', async () => {
      for (let i = 0; i < policy.attempts; i += 1) await fail('ada');
      await variant.pass(policy.lockMs);
      expect([await fail('ada'), await fail('ada'), await fail('ada')]).toEqual([false, false, true]);
    });

    test('forgets failures when none was added for as long as a lock lasts', async () => {
      await fail('ada');
      await fail('ada');
      await variant.pass(policy.lockMs);
      expect(await fail('ada')).toBe(false);
    });

    test('does not let parallel attempts get ahead of the count', async () => {
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => counters.reserve(client, policy)));
      expect(outcomes.filter((o) => o.outcome === 'reserved')).toHaveLength(policy.attempts);
      expect(outcomes.filter((o) => o.outcome === 'busy')).toHaveLength(20 - policy.attempts);
    });

    test('locks no one out only because there were too many attempts at once', async () => {
      const ids = [await reserve(), await reserve(), await reserve()];
      expect((await counters.reserve(client, policy)).outcome).toBe('busy');
      for (const id of ids) await counters.giveBack(client, id);
      await reserve();
    });

    test('counts failures and attempts in flight together', async () => {
      await fail('ada');
      await reserve();
      await reserve();
      expect((await counters.reserve(client, policy)).outcome).toBe('busy');
    });

    test('treats an attempt that never reported back as lost', async () => {
      for (let i = 0; i < policy.attempts; i += 1) await reserve();
      await variant.pass(policy.reservationMs);
      await reserve();
    });

    test('counts a failure that is confirmed after its reservation expired', async () => {
      const late = await reserve();
      await variant.pass(policy.reservationMs);
      await counters.confirmFailure(client, { reservationId: late, about: 'ada', policy });
      expect([await fail('ada'), await fail('ada')]).toEqual([false, true]);
    });

    test('clears failures about one thing and keeps those about others', async () => {
      await fail('victim');
      await fail('victim');
      await counters.clear(client, 'own');
      expect(await fail('victim')).toBe(true);
    });

    test('forgets what was cleared', async () => {
      await fail('ada');
      await fail('ada');
      await counters.clear(client, 'ada');
      expect(await fail('ada')).toBe(false);
    });

    test('does not lift a lock by clearing', async () => {
      for (let i = 0; i < policy.attempts; i += 1) await fail('ada');
      await counters.clear(client, 'ada');
      expect((await counters.reserve(client, policy)).outcome).toBe('locked');
    });

    test('counts each subject separately', async () => {
      for (let i = 0; i < policy.attempts; i += 1) await fail('ada');
      expect((await counters.reserve('198.51.100.1', policy)).outcome).toBe('reserved');
    });

    test('gives an attempt back only once, however often it is called', async () => {
      const id = await reserve();
      await reserve();
      await reserve();
      await counters.giveBack(client, id);
      await counters.giveBack(client, id);
      await counters.giveBack('198.51.100.1', id);
      await reserve();
      expect((await counters.reserve(client, policy)).outcome).toBe('busy');
    });

    test('allows a number of calls in a window and says when the next one begins', async () => {
      const window = { limit: 2, windowMs: 500 };
      const calls = [
        await counters.countCall('register:a', window),
        await counters.countCall('register:a', window),
        await counters.countCall('register:a', window),
      ];
      expect(calls.map((call) => call.allowed)).toEqual([true, true, false]);
      expect(calls[2]?.retryAfterMs).toBeGreaterThan(0);
      expect(calls[2]?.retryAfterMs).toBeLessThanOrEqual(window.windowMs);
      expect((await counters.countCall('register:b', window)).allowed).toBe(true);
      await variant.pass(window.windowMs);
      expect((await counters.countCall('register:a', window)).allowed).toBe(true);
    });
  });
}
