import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { customAuthFolder, newName } from './support/custom-callers.ts';

/** The whole life of a thread with a graph of somebody else: run, interrupted, read, resumed, forked. */

let plain: ConversationGateway;
let guarded: DevGateway;
let member: ConversationCaller;
beforeAll(async () => {
  plain = await startConversation();
  guarded = await startGateway({ agentsFolder: customAuthFolder });
  member = await ConversationCaller.of(guarded.url, await guarded.register('ada@example.com'));
});
afterAll(async () => {
  await plain.close();
  await guarded.stop();
});

interface Life {
  caller: () => ConversationCaller;
  request: { assistant_id: string; input: object; config?: object };
  /** The node that asks, its question, and the values after an answer, when the input came once or in a fork again. */
  node: string;
  question: string;
  valuesAfter: (answer: string, inputs: 1 | 2) => object;
}

const steps = { configurable: { step: 'blue' } };
const identity = newName();
const lives: [string, Life][] = (['/api', '/api/langgraph'] as const).flatMap((mount): [string, Life][] => [
  [
    `a graph whose messages are texts, at ${mount}`,
    {
      caller: () => plain.ada.at(mount),
      request: { assistant_id: 'strings', input: { messages: ['hello'] } },
      node: 'ask',
      question: 'sure?',
      valuesAfter: (answer, inputs) => ({
        messages: [
          ...Array<string>(inputs).fill('hello'),
          `answer: ${answer}`,
          `heard: ${'HELLO, '.repeat(inputs)}ANSWER: ${answer.toUpperCase()}`,
        ],
      }),
    },
  ],
  [
    `a graph that a function makes, at ${mount}`,
    {
      caller: () => plain.ada.at(mount),
      request: { assistant_id: 'made', input: { topic: 'tea' }, config: steps },
      node: 'blue_ask',
      question: 'tea',
      valuesAfter: (answer) => ({ topic: 'tea', log: [`blue asked ${answer}`, 'blue ended'] }),
    },
  ],
  [
    `a graph beside an authentication and routes of its own, at ${mount}`,
    {
      // The authentication of langgraph.json counts at the Platform mount; the other mount has accounts of the gateway.
      caller: () => (mount === '/api' ? member.at(mount) : ConversationCaller.withKey(guarded.url, identity)),
      request: { assistant_id: 'whoami', input: { question: 'sure?' } },
      node: 'ask',
      question: 'sure?',
      valuesAfter: (answer) => ({ question: answer }),
    },
  ],
]);

describe.each(lives)('%s', (_name, { caller, request, node, question, valuesAfter }) => {
  it('runs, is interrupted, is read, is resumed, and is forked where it was interrupted', async () => {
    const ada = caller();
    const { assistant_id, config } = request;
    const answered = (answer: string) => ({
      assistant_id,
      command: { resume: answer },
      ...(config && { config }),
    });
    const threadId = await ada.thread();
    const here = `/threads/${threadId}`;

    const { run_id } = await ada.run(threadId, request);
    expect(await ada.ended(threadId, run_id)).toMatchObject({ status: 'success' });
    expect(await ada.ok('GET', here)).toMatchObject({ status: 'interrupted' });

    const waiting = await ada.ok('GET', `${here}/state`);
    expect(waiting).toMatchObject({
      next: [node],
      tasks: [{ name: node, interrupts: [{ value: question }] }],
    });
    expect((await ada.ok('POST', `${here}/history`, {}))[0]).toMatchObject({ next: [node] });

    const once = valuesAfter('yes', 1);
    expect(await ada.wait(threadId, answered('yes'))).toMatchObject(once);
    expect(await ada.ok('GET', here)).toMatchObject({ status: 'idle' });
    expect(await ada.ok('GET', `${here}/state`)).toMatchObject({ next: [], values: once });

    const { checkpoint_id } = waiting.checkpoint;
    await ada.wait(threadId, { ...request, checkpoint: { checkpoint_id } });
    expect(await ada.ok('GET', `${here}/state`)).toMatchObject({ next: [node] });
    const again = valuesAfter('no', 2);
    expect(await ada.wait(threadId, answered('no'))).toMatchObject(again);
    expect(await ada.ok('GET', `${here}/state`)).toMatchObject({ next: [], values: again });
    const states = await ada.ok('POST', `${here}/history`, { limit: 50 });
    const ends = states.filter(({ next }: { next: string[] }) => next.length === 0);
    expect(ends).toHaveLength(2);
    expect(ends[0].values).toMatchObject(again);
    // A history under /api has the messages once.
    if (ada.mount === '/api/langgraph') expect(ends[1].values).toMatchObject(once);
  });
});

it('the routes beside that graph answer its callers', async () => {
  const caller = ConversationCaller.withKey(guarded.url, identity);
  const { asked, user } = await caller.ok('GET', `/asked?by=${identity}`);
  expect(user).toEqual(expect.any(String));
  expect(asked).toContain('threads:create_run');
});
