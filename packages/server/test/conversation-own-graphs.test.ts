import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
beforeAll(async () => {
  server = await startConversation();
});
afterAll(() => server.close());

describe.each(['/api', '/api/langgraph'] as const)("a user's own graph at %s", (mount) => {
  let ada: ConversationCaller;
  beforeAll(() => {
    ada = server.ada.at(mount);
  });

  it('gets texts under `messages` as the client sent them, and keeps them so', async () => {
    const threadId = await ada.thread();
    const asked = { assistant_id: 'strings', input: { messages: ['hello', 'there'] } };
    await ada.wait(threadId, asked);
    expect((await ada.ok('GET', `/threads/${threadId}/state`)).values.messages).toEqual(['hello', 'there']);

    const done = await ada.wait(threadId, { assistant_id: 'strings', command: { resume: 'yes' } });
    expect(done.messages).toEqual(['hello', 'there', 'answer: yes', 'heard: HELLO, THERE, ANSWER: YES']);
  });

  it('gets a message without an id as the client sent it', async () => {
    const threadId = await ada.thread();
    const message = { role: 'user', content: 'x' };
    const run = await ada.run(threadId, { assistant_id: 'strings', input: { messages: message } });
    const { kwargs } = (await ada.ok('GET', `/threads/${threadId}/runs?select=kwargs&select=run_id`)).find(
      ({ run_id }: { run_id: string }) => run_id === run.run_id,
    );
    expect(kwargs.input).toEqual({ messages: message });
    await ada.ended(threadId, run.run_id);
  });

  describe('that a function makes from its configurable', () => {
    const config = { configurable: { step: 'blue' } };

    it('is read, changed and resumed as the graph that the last run of its thread had', async () => {
      const threadId = await ada.thread();
      await ada.wait(threadId, { assistant_id: 'made', input: { topic: 'tea' }, config });
      const state = await ada.ok('GET', `/threads/${threadId}/state`);
      expect(state).toMatchObject({ next: ['blue_ask'], tasks: [{ name: 'blue_ask' }] });
      expect(state.tasks[0].interrupts[0].value).toBe('tea');
      expect((await ada.ok('POST', `/threads/${threadId}/history`, {}))[0].next).toEqual(['blue_ask']);

      const body = { values: { log: ['by hand'] }, as_node: 'blue_ask' };
      const changed = await ada.ok('POST', `/threads/${threadId}/state`, body);
      expect(changed.checkpoint).toMatchObject({ thread_id: threadId });
      expect((await ada.ok('GET', `/threads/${threadId}/state`)).next).toEqual(['blue_end']);

      const done = await ada.wait(threadId, { assistant_id: 'made', input: null, config });
      expect(done.log).toEqual(['by hand', 'blue ended']);
    });

    it('is made with what the store has of the user', async () => {
      const cleo = (await server.newUser(`cleo-of-${mount.length}@example.com`)).at(mount);
      const item = { namespace: ['steps'], key: 'usual', value: { step: 'green' } };
      await cleo.ok('PUT', '/store/items', item);
      for (const [caller, next] of [[cleo, 'green_ask'] as const, [ada, 'plain_ask'] as const]) {
        const threadId = await caller.thread();
        await caller.wait(threadId, { assistant_id: 'made', input: { topic: 'tea' } });
        expect((await caller.ok('GET', `/threads/${threadId}/state`)).next).toEqual([next]);
      }
    });

    it('is made for a run, a look at its states, a change of them, or a description, and told which', async () => {
      const dora = (await server.newUser(`dora-of-${mount.length}@example.com`)).at(mount);
      const notes = async () => {
        const { items } = await dora.ok('POST', '/store/items/search', { namespace_prefix: ['made for'] });
        return items.map(({ value }: { value: unknown }) => value);
      };
      const context = { tone: 'dry' };
      const run = { accessContext: 'threads.create_run', executionRuntime: { context } };
      const read = { accessContext: 'threads.read', executionRuntime: null };
      const change = { accessContext: 'threads.update', executionRuntime: null };
      const description = { accessContext: 'assistants.read', executionRuntime: null };
      await dora.ok('GET', '/assistants/made/schemas');
      expect(await notes()).toEqual([description]);
      const threadId = await dora.thread();
      await dora.wait(threadId, { assistant_id: 'made', input: { topic: 'tea' }, context });
      expect(await notes()).toContainEqual(run);
      expect(await notes()).not.toContainEqual(change);
      await dora.ok('POST', `/threads/${threadId}/history`, {});
      expect(await notes()).toContainEqual(read);
      await dora.ok('POST', `/threads/${threadId}/state`, { values: { log: ['x'] }, as_node: 'plain_ask' });
      expect(await notes()).toContainEqual(change);
      expect(await notes()).toHaveLength(4);
    });

    it('is forked from an earlier state, and its copy is read the same', async () => {
      const threadId = await ada.thread();
      await ada.wait(threadId, { assistant_id: 'made', input: { topic: 'tea' }, config });
      const { checkpoint_id } = (await ada.ok('GET', `/threads/${threadId}/state`)).checkpoint;
      const checkpoint = { checkpoint_id };
      const copy = await ada.ok('POST', `/threads/${threadId}/copy`);
      await ada.wait(threadId, { assistant_id: 'made', command: { resume: 'one' }, config });
      await ada.wait(threadId, { assistant_id: 'made', input: { topic: 'coffee' }, checkpoint, config });
      const forked = await ada.ok('GET', `/threads/${threadId}/state`);
      expect(forked).toMatchObject({ next: ['blue_ask'], values: { topic: 'coffee', log: [] } });
      expect(await ada.ok('GET', `/threads/${copy.thread_id}/state`)).toMatchObject({ next: ['blue_ask'] });
    });
  });
});
