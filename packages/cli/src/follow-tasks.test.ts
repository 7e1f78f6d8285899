import { ApiError, ConnectionError } from '@switchyard/client/errors';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { untilEnded } from './follow-tasks.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const running = { id: 'a', status: 'running' };
const completed = { id: 'a', status: 'completed' };
const away = new ConnectionError('unreachable', 'Nothing listens there.');
const busy = new ApiError({ status: 503, code: 'shutting_down', message: 'Shutting down.' });

/** Gives one answer after the other, and repeats the last one. */
function gateway(...answers: unknown[]) {
  const call = vi.fn(async () => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof Error) throw answer;
    return answer;
  });
  return { call, client: { call } as unknown as Parameters<typeof untilEnded>[0] };
}

async function wait(client: Parameters<typeof untilEnded>[0], signal = new AbortController().signal) {
  const ended = untilEnded(client, 'a', { signal });
  ended.catch(() => undefined); // checked below
  await vi.runAllTimersAsync();
  return ended;
}

describe('waiting for a task', () => {
  it('asks again until it has ended', async () => {
    const { client, call } = gateway(running, running, completed);
    expect(await wait(client)).toEqual(completed);
    expect(call).toHaveBeenCalledTimes(3);
  });

  it('outlasts a gateway that restarts', async () => {
    const { client } = gateway(running, busy, away, away, completed);
    expect(await wait(client)).toEqual(completed);
  });

  it('gives up when the gateway stays away', async () => {
    const { client, call } = gateway(away);
    await expect(wait(client)).rejects.toBe(away);
    expect(call).toHaveBeenCalledTimes(30);
  });

  it('counts only failures in a row', async () => {
    const { client } = gateway(
      ...Array.from({ length: 60 }, (_, index) => (index % 2 ? running : away)),
      completed,
    );
    expect(await wait(client)).toEqual(completed);
  });

  it.each([
    [
      'a task that is not there',
      new ApiError({ status: 404, code: 'task_not_found', message: 'No such task.' }),
    ],
    ['a token that has expired', new ApiError({ status: 401, code: 'token_expired', message: 'Expired.' })],
    ['something that is no gateway', new ConnectionError('not_understood', 'No JSON.')],
  ])('ends at once for %s', async (_, error) => {
    const { client, call } = gateway(error);
    await expect(wait(client)).rejects.toBe(error);
    expect(call).toHaveBeenCalledTimes(1);
  });

  it('ends with the reason of the signal that aborts it, even between two tries', async () => {
    const controller = new AbortController();
    const { client } = gateway(away);
    const ended = untilEnded(client, 'a', { signal: controller.signal });
    const failed = expect(ended).rejects.toThrow('enough');
    await vi.advanceTimersByTimeAsync(1);
    controller.abort(new Error('enough'));
    await failed;
  });
});
