import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { createAgent, createMiddleware } from 'langchain';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AgentFixture, openAgentFixture } from '../../../testing/agent-fixture.ts';
import { ScriptedModel } from '../../../testing/scripted-model.ts';
import { awaitLangchainCallbacks } from '../../config/env.ts';

let fixture: AgentFixture;
beforeAll(() => awaitLangchainCallbacks());
afterEach(() => fixture.close());

/** Says its text, and then nothing more. */
class HeldModel extends ScriptedModel {
  readonly #onHeld: () => void;

  constructor(onHeld: () => void) {
    super('held', () => ({ text: 'So far' }));
    this.#onHeld = onHeld;
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ) {
    yield* super._streamResponseChunks(messages, options, runManager);
    this.#onHeld();
    await new Promise((_resolve, reject) => {
      options.signal?.addEventListener('abort', () => reject(options.signal?.reason));
    });
  }
}

/** Runs an agent until its model has said its text, ends the run in this way, and returns what is stored. */
async function ended(how: object) {
  const controller = new AbortController();
  const reason = Object.assign(new Error('ended'), { how });
  const model = new HeldModel(() => controller.abort(reason));
  fixture = await openAgentFixture({ agent: createAgent({ model, tools: [] }).graph });
  const input = { messages: [new HumanMessage('Speak')] };
  const running = fixture.run('agent', { signal: controller.signal, input, streamModes: ['messages-tuple'] });
  await expect(running).rejects.toThrow('ended');
  const state = await fixture.states.current(fixture.thread('agent'));
  const events = await fixture.journal.events({ user: 'user' }, { threadId: 'thread', limit: 100 });
  const messages = (state?.values.messages ?? []) as { content: string }[];
  return {
    said: messages.map(({ content }) => content),
    next: state?.next,
    recorded: events.filter(({ event_type: type }) => type === 'ai_message').map(({ content }) => content),
  };
}

it('an answer that is whole stays when its run is stopped while middleware still works on it', async () => {
  const controller = new AbortController();
  const reason = Object.assign(new Error('ended'), { how: { kind: 'cancelled', action: 'interrupt' } });
  const slow = createMiddleware({
    name: 'SlowMiddleware',
    wrapModelCall: async (request, handler) => {
      await handler(request);
      controller.abort(reason);
      throw reason;
    },
  });
  const model = new ScriptedModel('quick', () => ({ text: 'All of it' }));
  fixture = await openAgentFixture({ agent: createAgent({ model, tools: [], middleware: [slow] }).graph });
  const input = { messages: [new HumanMessage('Speak')] };
  await expect(fixture.run('agent', { signal: controller.signal, input })).rejects.toThrow('ended');
  const state = await fixture.states.current(fixture.thread('agent'));
  const messages = (state?.values.messages ?? []) as { content: string }[];
  expect(messages.map(({ content }) => content)).toEqual(['Speak', 'All of it']);
  const events = await fixture.journal.events({ user: 'user' }, { threadId: 'thread', limit: 100 });
  expect(events.filter(({ event_type: type }) => type === 'ai_message')).toHaveLength(1);
});

describe('an answer that the end of its run cuts off', () => {
  it.each([{ kind: 'timeout' }, { kind: 'cancelled', action: 'interrupt' }])(
    'stays in state and record after %j',
    async (how) => {
      const { said, next, recorded } = await ended(how);
      expect(said).toEqual(['Speak', 'So far']);
      expect(next).toEqual([]);
      expect(recorded).toMatchObject([{ content: 'So far', additional_kwargs: { stopped: true } }]);
    },
  );

  it.each([{ kind: 'cancelled', action: 'rollback' }, { kind: 'released' }, { kind: 'lost' }])(
    'is not kept after %j, because the run is undone or goes on elsewhere',
    async (how) => {
      const { said, next, recorded } = await ended(how);
      expect(said).toEqual(['Speak']);
      expect(next).toEqual(['model_request']);
      expect(recorded).toEqual([]);
    },
  );
});
