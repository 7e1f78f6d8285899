import { expect, it } from 'vitest';
import { MessageQueue } from './message-queue.ts';
import type { PushMessage } from './push-message.ts';

const progress = (taskId: string, percent: number): PushMessage => ({
  type: 'task_progress',
  timestamp: 0,
  data: { taskId, progress: percent },
});
const started = (taskId: string): PushMessage => ({
  type: 'task_started',
  timestamp: 0,
  data: { taskId, instanceId: 'i', attempt: 1 },
});

async function rest(queue: MessageQueue): Promise<PushMessage[]> {
  const messages: PushMessage[] = [];
  for (let next = await queue.next(); next; next = await queue.next()) messages.push(next);
  return messages;
}

it('gives messages in their order, and then the end', async () => {
  const queue = new MessageQueue(10);
  queue.push(started('a'));
  queue.push(started('b'));
  queue.end();
  expect(await rest(queue)).toEqual([started('a'), started('b')]);
});

it('replaces the waiting progress of a task by the newest, in the same place', async () => {
  const queue = new MessageQueue(10);
  for (const message of [progress('a', 1), started('b'), progress('a', 2)]) queue.push(message);
  queue.end();
  expect(await rest(queue)).toEqual([progress('a', 2), started('b')]);
});

it('refuses more messages than its limit, but takes one that replaces another', () => {
  const queue = new MessageQueue(2);
  expect(
    [started('a'), progress('a', 1), started('b'), progress('a', 2)].map((message) => queue.push(message)),
  ).toEqual([true, true, false, true]);
});

it('wakes a reader that waits', async () => {
  const queue = new MessageQueue(10);
  const next = queue.next();
  queue.push(started('a'));
  expect(await next).toEqual(started('a'));
});

it('throws the error after the waiting messages, and again at each further read', async () => {
  const queue = new MessageQueue(10);
  queue.push(started('a'));
  queue.end(new Error('broke'));
  expect(await queue.next()).toEqual(started('a'));
  await expect(queue.next()).rejects.toThrow('broke');
  await expect(queue.next()).rejects.toThrow('broke');
});
