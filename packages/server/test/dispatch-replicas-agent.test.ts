import { expect, it } from 'vitest';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { startDispatchReplicas } from './support/dispatch-replicas.ts';
import { testReplicas } from './support/replicas.ts';

const suite = testReplicas('an agent at one replica follows the task that the other one runs');

it.skipIf(suite.isSkipped)(suite.title, async () => {
  const nodeClasses = ['EmptyImage', 'ImageCompositeMasked', 'ImageScale', 'ImageInvert', 'SaveImage'];
  const replicas = await startDispatchReplicas(2, { workers: [{ nodeClasses, outputBytes: 100 }] });
  const [, gateway] = replicas.gateways;
  if (!gateway) throw new Error('Two replicas are needed.');
  const ada = await ConversationCaller.of(gateway.url, await gateway.register('ada@example.com'));
  const stream = await ada.stream(await ada.thread(), {
    assistant_id: 'lead_agent',
    input: says('invert a picture'),
    stream_mode: ['values', 'custom'],
  });
  await stream.rest();
  expect(stream.of('custom').at(-1)?.data).toMatchObject({ type: 'worker_task_completed' });
  const { messages } = stream.of('values').at(-1)?.data ?? {};
  expect(messages.map(({ type }: { type: string }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
  expect(messages[2]).toMatchObject({ status: 'success' });
  await replicas.stop();
});
