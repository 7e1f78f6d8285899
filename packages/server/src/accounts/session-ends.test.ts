import { beforeEach, describe, expect, it } from 'vitest';
import { LossyBus } from '../../testing/lossy-bus.ts';
import { ManualTime } from '../../testing/manual-time.ts';
import type { Identity } from '../http/access/identity.ts';
import { sessionsEndedTopic } from './account-events.ts';
import type { Credential } from './open-credentials.ts';
import { SessionEnds } from './session-ends.ts';

let time: ManualTime;
let ends: SessionEnds;
let bus: LossyBus;
let asked: Credential[][];
let answer: (open: readonly Credential[]) => Promise<Set<string>>;
let warnings: string[];

beforeEach(async () => {
  time = new ManualTime(0);
  asked = [];
  warnings = [];
  answer = async () => new Set();
  bus = new LossyBus();
  ends = new SessionEnds({
    bus,
    credentials: {
      ended: (open) => {
        asked.push([...open]);
        return answer(open);
      },
    },
    log: { warn: (_fields, message) => void warnings.push(message) },
    clock: time.now,
    timer: time.timer,
  });
  await ends.start();
});

describe('a gap on the bus', () => {
  it('ends what the database says has ended, and nothing else', async () => {
    const [gone, there] = [open('gone'), open('there')];
    answer = async () => new Set(['gone']);
    bus.heal();
    await expect.poll(() => gone.aborted).toBe(true);
    expect(there.aborted).toBe(false);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject([{ credentialId: 'gone' }, { credentialId: 'there' }]);
  });

  it('asks again until the database answers', async () => {
    const gone = open('gone');
    answer = () => Promise.reject(new Error('connection refused'));
    bus.heal();
    await expect.poll(() => time.nextTimerMs).not.toBeNull();
    expect(gone.aborted).toBe(false);
    answer = async () => new Set(['gone']);
    time.advance(1_000);
    await expect.poll(() => gone.aborted).toBe(true);
  });

  it('ends everything when no one can say for a minute whose sessions have ended', async () => {
    const there = open('there');
    answer = () => Promise.reject(new Error('connection refused'));
    bus.heal();
    for (let second = 1; second < 60; second += 1) {
      await expect.poll(() => time.nextTimerMs, { interval: 1 }).not.toBeNull();
      expect(there.aborted).toBe(false);
      time.advance(1_000);
    }
    await expect.poll(() => there.aborted).toBe(true);
    expect(warnings).toHaveLength(2);
  });

  it('that comes during a check is followed by another check', async () => {
    const gone = open('gone');
    let finish = (): void => undefined;
    answer = () =>
      new Promise((resolve) => {
        finish = () => resolve(new Set());
      });
    bus.heal();
    await expect.poll(() => asked.length).toBe(1);
    bus.heal();
    bus.heal();
    await untilRead();
    answer = async () => new Set(['gone']);
    finish();
    await expect.poll(() => gone.aborted).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it('keeps no close waiting for a database that is away', async () => {
    open('there');
    answer = () => Promise.reject(new Error('connection refused'));
    bus.heal();
    await expect.poll(() => time.nextTimerMs).not.toBeNull();
    await ends.close();
    expect(time.nextTimerMs).toBeNull();
  });
});

it('a message ends the one session that it names, or all of an account, and asks no database', async () => {
  const [one, other, foreign] = [open('one'), open('other'), open('foreign', 'bob')];
  await bus.publish(sessionsEndedTopic, { user_id: 'ada', credential_id: 'one' });
  await expect.poll(() => one.aborted).toBe(true);
  expect([other.aborted, foreign.aborted]).toEqual([false, false]);
  await bus.publish(sessionsEndedTopic, { user_id: 'ada', credential_id: null });
  await expect.poll(() => other.aborted).toBe(true);
  expect(foreign.aborted).toBe(false);
  expect(asked).toEqual([]);
});

it('ends what a token has opened when the token expires, and forgets what was over before', () => {
  const token = { ...identity('ada', 'token'), expiresAtMs: 60_000 };
  const [stream, over] = [ends.of(token), ends.of(token)];
  const forever = open('forever');
  over.release();
  time.advance(59_999);
  expect(stream.signal.aborted).toBe(false);
  time.advance(1);
  expect(stream.signal.reason).toMatchObject({ code: 'token_expired' });
  expect([over.signal.aborted, forever.aborted]).toEqual([false, false]);
  expect(time.nextTimerMs).toBeNull();
});

function open(credentialId: string, userId = 'ada'): AbortSignal {
  return ends.of(identity(userId, credentialId)).signal;
}

function identity(userId: string, credentialId: string): Identity {
  return {
    userId,
    email: `${userId}@example.com`,
    role: 'user',
    needsSetup: false,
    oauthProvider: null,
    via: 'cookie',
    credentialId,
    sessionVersion: 0,
    scopes: null,
    expiresAtMs: null,
  };
}

/** Events are read one after the other, each in a later turn of the event loop. */
async function untilRead(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
