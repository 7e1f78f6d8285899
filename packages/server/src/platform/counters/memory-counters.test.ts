import { describe, expect, test } from 'vitest';
import { countersConformance } from '../../../testing/counters-conformance.ts';
import type { AttemptPolicy } from './counters.ts';
import { MemoryCounters } from './memory-counters.ts';

countersConformance('memory', async () => {
  let now = 1_000;
  return {
    counters: new MemoryCounters({ clock: () => now }),
    pass: async (ms) => {
      now += ms;
    },
    close: async () => {},
  };
});

describe('the capped table', () => {
  const policy: AttemptPolicy = { attempts: 1, lockMs: 1_000, reservationMs: 1_000 };

  async function lock(counters: MemoryCounters, subject: string): Promise<void> {
    const reservation = await counters.reserve(subject, policy);
    if (reservation.outcome !== 'reserved') throw new Error(`${subject} is ${reservation.outcome}`);
    await counters.confirmFailure(subject, { reservationId: reservation.reservationId, about: 'x', policy });
  }

  test('keeps a locked subject when many other addresses fill the table', async () => {
    const counters = new MemoryCounters({ clock: () => 0, maxEntries: 10 });
    await lock(counters, 'attacker');
    for (let i = 0; i < 100; i += 1) await counters.reserve(`flood-${i}`, policy);
    expect((await counters.reserve('attacker', policy)).outcome).toBe('locked');
  });

  test('drops the oldest when every subject is locked', async () => {
    const counters = new MemoryCounters({ clock: () => 0, maxEntries: 10 });
    for (let i = 0; i < 11; i += 1) await lock(counters, `locked-${i}`);
    expect((await counters.reserve('locked-0', policy)).outcome).toBe('reserved');
    expect((await counters.reserve('locked-10', policy)).outcome).toBe('locked');
  });

  test('drops expired entries before any that still count', async () => {
    let now = 0;
    const counters = new MemoryCounters({ clock: () => now, maxEntries: 10 });
    for (let i = 0; i < 9; i += 1) await counters.reserve(`old-${i}`, policy);
    now = 1_000;
    await counters.reserve('fresh', policy);
    await counters.reserve('newcomer', policy);
    expect((await counters.reserve('fresh', policy)).outcome).toBe('busy');
  });

  test('applies to call windows too', async () => {
    const counters = new MemoryCounters({ clock: () => 0, maxEntries: 10 });
    const window = { limit: 1, windowMs: 1_000 };
    for (let i = 0; i < 11; i += 1) await counters.countCall(`key-${i}`, window);
    expect((await counters.countCall('key-0', window)).allowed).toBe(true);
    expect((await counters.countCall('key-10', window)).allowed).toBe(false);
  });
});
