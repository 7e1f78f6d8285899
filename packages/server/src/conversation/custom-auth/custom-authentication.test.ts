import { describe, expect, it } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import type { AuthHandlers } from '../../agents/loading/own-auth.ts';
import type { UnknownRequest } from '../../http/access/identity.ts';
import { CustomAuthentication } from './custom-authentication.ts';
import { CustomDecisions } from './decisions.ts';

const time = new ManualTime();

function handlers(given: Partial<AuthHandlers>) {
  const all: AuthHandlers = { authenticate: () => 'ada', on: () => undefined, ...given };
  return { value: async () => all };
}

function authentication(authenticate: AuthHandlers['authenticate']) {
  return new CustomAuthentication({
    auth: handlers({ authenticate }),
    accountOf: async (identity) => ({ id: identity, email: '', oauth_provider: null, token_version: 3 }),
    timer: time.timer,
  });
}

function request(headers: Record<string, string> = {}, network = 'one'): UnknownRequest {
  const rawHeaders = Object.entries(headers).flat();
  const url = '/api/langgraph/threads';
  return { id: 'r1', method: 'POST', url, headers, rawHeaders, origin: undefined, network };
}

const user = { identity: 'ada', display_name: 'ada', is_authenticated: true, permissions: [] };

describe('an authenticate handler', () => {
  it('that does not answer is given up, and its request is told that its time is over', async () => {
    const seen: Request[] = [];
    const answer = authentication((asked) => {
      seen.push(asked);
      return new Promise(() => {});
    }).authenticate(request());
    await expect.poll(() => time.nextTimerMs).not.toBeNull();
    expect(seen[0]?.signal.aborted).toBe(false);

    time.advance(10_000);
    await expect(answer).rejects.toMatchObject({ code: 'custom_auth_too_slow', status: 504 });
    expect(seen[0]?.signal.aborted).toBe(true);
  });

  it('holds up only so many requests of one address, and then some of another address', async () => {
    const never = authentication(() => new Promise(() => {}));
    const held = (network: string, count: number) =>
      Array.from({ length: count }, () => never.authenticate(request({}, network)));
    const all = [...held('one', 100), ...held('two', 100)];

    await expect(never.authenticate(request({}, 'one'))).rejects.toMatchObject({ status: 503 });
    await expect(never.authenticate(request({}, 'three'))).rejects.toMatchObject({ status: 503 });
    await expect.poll(() => time.nextTimerMs).not.toBeNull();
    time.advance(10_000);
    const ends = await Promise.allSettled(all);
    expect(ends.every(({ status }) => status === 'rejected')).toBe(true);
  });

  it('gets the request of the client without a body, and gives rights for conversations alone', async () => {
    const seen: Request[] = [];
    const identity = await authentication((asked) => {
      seen.push(asked);
      return { identity: 'ada', permissions: ['paint'] };
    }).authenticate(request({ authorization: 'Bearer one' }));

    expect(seen[0]?.method).toBe('POST');
    expect(seen[0]?.body).toBeNull();
    expect(seen[0]?.headers.get('authorization')).toBe('Bearer one');
    expect(identity).toMatchObject({
      userId: 'ada',
      role: 'user',
      scopes: ['conversation:read', 'conversation:write'],
      sessionVersion: 3,
      custom: { identity: 'ada', display_name: 'ada', permissions: ['paint'], is_authenticated: true },
    });
  });

  it('that throws leaves its cause for the log, without the credential', async () => {
    const failing = authentication(() => {
      throw new Error('cannot read secret-key-1 of Bearer secret-key-1');
    });
    const error = await failing
      .authenticate(request({ authorization: 'Bearer secret-key-1' }))
      .catch((e) => e);

    expect(error).toMatchObject({ code: 'custom_auth_failed', cause: { message: 'cannot read *** of ***' } });
    expect(error.cause.stack).not.toContain('secret-key-1');
  });
});

describe('an on handler', () => {
  const asked = { event: 'threads:read', user, headers: {} } as const;

  it('that does not answer is given up, and nothing is allowed', async () => {
    const auth = handlers({ on: () => () => new Promise(() => {}) });
    const answer = new CustomDecisions({ auth, timer: time.timer }).ask({ ...asked, value: {} });
    await expect.poll(() => time.nextTimerMs).not.toBeNull();

    time.advance(10_000);
    await expect(answer).rejects.toMatchObject({ status: 504 });
  });

  it('changes its value and nothing else', async () => {
    const body = { metadata: { a: 1 }, kwargs: { input: ['b'] } };
    const auth = handlers({
      on: () => (question) => {
        const value = question.value as typeof body;
        value.metadata.a = 2;
        value.kwargs.input.push('c');
        (question.user as typeof user).identity = 'root';
      },
    });
    const decision = await new CustomDecisions({ auth, timer: time.timer }).ask({ ...asked, value: body });

    expect(decision).toEqual({ filter: null, value: { metadata: { a: 2 }, kwargs: { input: ['b', 'c'] } } });
    expect(body).toEqual({ metadata: { a: 1 }, kwargs: { input: ['b'] } });
    expect(user.identity).toBe('ada');
  });
});
