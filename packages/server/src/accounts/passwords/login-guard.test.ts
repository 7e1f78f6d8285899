import { describe, expect, test } from 'vitest';
import { MemoryCounters } from '../../platform/counters/memory-counters.ts';
import { aboutName, LoginGuard } from './login-guard.ts';

function build() {
  let now = 0;
  const guard = new LoginGuard({
    counters: new MemoryCounters({ clock: () => now }),
    lockout: { attempts: 5, durationMs: 300_000 },
  });
  const attempt = (client: string, about: string, isRight: boolean) =>
    guard.attempt(client, async () => ({ about, isRight }));
  return {
    guard,
    attempt,
    pass: (ms: number) => {
      now += ms;
    },
    fail: async (times: number, about = 'ada', client = 'client') => {
      for (let i = 0; i < times; i += 1) await attempt(client, about, false);
    },
  };
}

describe('login guard', () => {
  test('answers the sixth attempt with 429 for five minutes, even if its password is right', async () => {
    const { attempt, fail, pass } = build();
    await fail(4);
    expect(await attempt('client', 'ada', false)).toMatchObject({ isRight: false, locked: true });
    await expect(attempt('client', 'ada', true)).rejects.toMatchObject({
      code: 'login_locked',
      retryAfterSeconds: 300,
    });
    pass(299_999);
    await expect(attempt('client', 'ada', true)).rejects.toMatchObject({ retryAfterSeconds: 1 });
    pass(1);
    expect(await attempt('client', 'ada', true)).toMatchObject({ isRight: true, locked: false });
  });

  test('locks the client, not the account', async () => {
    const { attempt, fail } = build();
    await fail(5, 'ada', 'attacker');
    expect((await attempt('owner', 'ada', true)).isRight).toBe(true);
  });

  test('forgets failures for the account that then signed in, and none for others', async () => {
    const { attempt, fail } = build();
    await fail(2, 'own');
    await fail(4 - 2, 'victim');
    await attempt('client', 'own', true);
    await fail(2, 'victim');
    expect((await attempt('client', 'victim', false)).locked).toBe(true);
  });

  test('runs no more guesses at once than may fail', async () => {
    const { guard } = build();
    let hashed = 0;
    const guess = () =>
      guard.attempt('client', async () => {
        hashed += 1;
        await Promise.resolve();
        return { about: 'ada', isRight: false };
      });
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, guess));
    expect(hashed).toBe(5);
    expect(outcomes.filter((o) => o.status === 'rejected')).toHaveLength(95);
    await expect(guess()).rejects.toMatchObject({ code: 'login_locked' });
  });

  test('lets people behind one address sign in together, a few at a time and without a lock', async () => {
    const { attempt } = build();
    const signIn = (i: number) => attempt('office', `user-${i}`, true);
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => signIn(i)));
    const refused = outcomes.filter((o) => o.status === 'rejected');
    expect(refused).toHaveLength(15);
    expect(refused[0]).toMatchObject({ reason: { code: 'login_busy', retryAfterSeconds: 1 } });
    expect((await signIn(21)).isRight).toBe(true);
  });

  test('counts no attempt that could not be checked', async () => {
    const { guard, attempt } = build();
    for (let i = 0; i < 10; i += 1) {
      const broken = guard.attempt('client', async () => {
        throw new Error('the database is away');
      });
      await expect(broken).rejects.toThrow('the database is away');
    }
    expect((await attempt('client', 'ada', true)).isRight).toBe(true);
  });
});

describe('a client', () => {
  test('cannot make the table hold long names', () => {
    expect(aboutName('x'.repeat(320))).toHaveLength(22);
    expect(aboutName('a')).not.toBe(aboutName('b'));
  });
});
