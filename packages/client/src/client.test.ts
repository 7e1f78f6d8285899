import { getTask, listTasks, submitTask, type TaskList } from '@switchyard/contract/dispatch/tasks';
import { getHealth } from '@switchyard/contract/meta';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { createClient } from './client.ts';
import type { Fetch } from './transport.ts';

const ok = (data: unknown) => Response.json({ code: 200, data });
const health = {
  status: 'ok',
  cache: 'embedded',
  redis: 'embedded',
  database: 'connected',
  storage: 'ok',
  version: '1',
  uptimeSeconds: 1,
};

function clientWith(fetch: Fetch, options: { token?: string; timeoutMs?: number } = {}) {
  return createClient({ baseUrl: 'http://gateway.test/', fetch, ...options });
}

describe('a call', () => {
  it('is typed by the constant of its endpoint', async () => {
    const { call } = clientWith(async () => ok({ ...health, total: 0, items: [] }));
    expectTypeOf(await call(listTasks, { query: { status: 'failed' } })).toEqualTypeOf<TaskList>();
    // @ts-expect-error no such status
    await call(listTasks, { query: { status: 'lost' } });
    // @ts-expect-error the id of the task is missing
    await expect(call(getTask)).rejects.toThrow(RangeError);
    // @ts-expect-error a workflow is required
    await expect(call(submitTask, { body: { params: {} } })).rejects.toThrow('no Switchyard gateway');
    // @ts-expect-error this endpoint has no body
    await call(getHealth, { body: {} });
  });

  it.each([{ hello: 1 }, [], 'pong', { code: 200, data: [] }, { code: 200, data: { total: 0 } }])(
    'takes no other server for a gateway: %j',
    async (answer) => {
      const { call } = clientWith(async () => Response.json(answer));
      await expect(call(listTasks)).rejects.toMatchObject({
        fault: 'not_understood',
        message:
          'http://gateway.test answered something that no Switchyard gateway answers. Is a gateway at this address?',
      });
    },
  );

  it('goes below the path that a proxy puts before the gateway', async () => {
    const fetch = vi.fn<Fetch>(async () => ok(health));
    await createClient({ baseUrl: 'https://host.test/gateway/', fetch }).call(getHealth);
    expect(fetch.mock.calls[0]?.[0]).toBe('https://host.test/gateway/api/health');
  });

  it.each(['', 'host:7300', 'ftp://host', 'http//host'])('is never made to the address "%s"', (baseUrl) => {
    expect(() => createClient({ baseUrl })).toThrow('is not the address of a gateway');
  });

  describe('over a connection that breaks', () => {
    beforeEach(() => {
      vi.useFakeTimers();
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it('tries again, and returns the next answer', async () => {
      const fetch = vi
        .fn<Fetch>()
        .mockRejectedValueOnce(new TypeError('fetch failed'))
        .mockResolvedValueOnce(ok(health));
      const answer = clientWith(fetch).call(getHealth);
      await vi.runAllTimersAsync();
      expect(await answer).toEqual(health);
      expect(fetch).toHaveBeenCalledTimes(2);
    });

    it('gives up after three tries and says what was in the way', async () => {
      const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
      const fetch = vi.fn<Fetch>(() => Promise.reject(new TypeError('fetch failed', { cause })));
      const failed = expect(clientWith(fetch).call(getHealth)).rejects.toMatchObject({
        name: 'ConnectionError',
        fault: 'unreachable',
        message: 'Cannot reach http://gateway.test: nothing listens there.',
      });
      await vi.runAllTimersAsync();
      await failed;
      expect(fetch).toHaveBeenCalledTimes(3);
    });
  });

  it('ends at its deadline, even while it reads the answer', async () => {
    const silent: Fetch = async (_, { signal }) =>
      new Response(
        new ReadableStream({
          start: (controller) => signal.addEventListener('abort', () => controller.error(signal.reason)),
        }),
      );
    await expect(clientWith(silent, { timeoutMs: 5 }).call(getHealth)).rejects.toMatchObject({
      fault: 'timed_out',
      message: 'The gateway did not answer within 0.005 s.',
    });
  });

  it('ends with the reason of the signal that aborts it', async () => {
    const controller = new AbortController();
    const fetch: Fetch = (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const call = clientWith(fetch).call(getHealth, { signal: controller.signal });
    controller.abort(new Error('no longer wanted'));
    await expect(call).rejects.toThrow('no longer wanted');
  });

  it('does not begin when its signal was already aborted', async () => {
    const fetch: Fetch = async (_, { signal }) => {
      signal.throwIfAborted();
      return ok(health);
    };
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(clientWith(fetch).call(getHealth, { signal })).rejects.toThrow('gone');
  });
});

describe('credentials', () => {
  const headersOf = async (options: Partial<Parameters<typeof createClient>[0]>) => {
    const fetch = vi.fn<Fetch>(async () => ok(health));
    await createClient({ baseUrl: 'http://gateway.test', fetch, ...options }).call(getHealth);
    return fetch.mock.calls[0]?.[1].headers;
  };

  it('are a bearer token or an API key', async () => {
    expect(await headersOf({ token: 'a.b.c' })).toMatchObject({ authorization: 'Bearer a.b.c' });
    expect(await headersOf({ apiKey: 'sy_pat_x' })).toMatchObject({ 'x-api-key': 'sy_pat_x' });
  });

  it('are one of them, not two', () => {
    expect(() => createClient({ baseUrl: 'http://gateway.test', token: 'a', apiKey: 'b' })).toThrow(
      'Give one of',
    );
  });

  it.each(['', 'two words', 'line\nbreak', 'ümlaut'])('that no gateway gave (%j) are not sent', (token) => {
    expect(() => createClient({ baseUrl: 'http://gateway.test', token })).toThrow(
      'characters that no token has',
    );
  });
});
