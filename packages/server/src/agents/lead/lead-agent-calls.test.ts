import type { BaseMessage } from '@langchain/core/messages';
import { afterEach, describe, expect, it } from 'vitest';
import { type AgentFixture, openAgentFixture, type Ran } from '../../../testing/agent-fixture.ts';
import { ScriptedModel, type ScriptedTurn } from '../../../testing/scripted-model.ts';
import { loadLangchain } from '../langchain.ts';
import { modelNameKey } from '../models/model-name-key.ts';
import { createLeadAgent } from './lead-agent.ts';

const turn = {
  title: { enabled: false, model: null },
  summarization: { enabled: false, model: null, tokens: 1_000, messages: 10, keep: 4 },
};
const look = {
  name: 'look',
  server: 'eyes',
  description: 'Looks.',
  inputSchema: { type: 'object', properties: { at: { type: 'number' } } },
  call: async (input: Record<string, unknown>) => ({ text: `seen ${input.at}`, files: [] }),
};

let fixture: AgentFixture;
afterEach(() => fixture.close());

describe('a model that makes the same calls again and again', () => {
  const answer = (messages: BaseMessage[]): ScriptedTurn => ({
    calls: [{ name: 'look', args: { at: 1 }, id: `call_${messages.length}` }],
  });

  it('is stopped, and the run says why', async () => {
    const { end } = await run(answer);

    expect(end).toMatchObject({ outcome: 'done', stopReason: 'loop_capped' });
    const { messages } = valuesOf(end);
    expect(messages.filter(({ type }) => type === 'tool')).toHaveLength(4);
    expect(messages.at(-1)).toMatchObject({
      type: 'ai',
      content: 'I stopped here: the same tool calls were made again and again.',
      tool_calls: [],
    });
  });

  it('has its last words in the record as in the state', async () => {
    const { end } = await run(answer);

    const said = await recorded('ai_message');
    expect(said.map(({ content }) => content)).toEqual([
      expect.objectContaining({ id: valuesOf(end).messages.at(-1)?.id, tool_calls: [] }),
    ]);
  });

  it('is not reported in the run that follows', async () => {
    await run(answer);
    const { end } = await fixture.run('lead', {
      input: question('and now?'),
      context: { model_name: 'calm' },
    });

    expect(end).not.toHaveProperty('stopReason');
  });
});

describe('a tool that does not exist', () => {
  it('is refused without the names of tools that this run may not have', async () => {
    const { end } = await run((messages) =>
      isAnswered(messages) ? { text: 'Well.' } : { calls: [{ name: 'fly', args: {}, id: 'call_1' }] },
    );

    expect(valuesOf(end).messages[2]).toMatchObject({
      type: 'tool',
      status: 'error',
      name: 'fly',
      content: "Error: There is no tool 'fly'. Use those that you were offered, or do without.",
    });
  });
});

describe('many calls in one answer', () => {
  it('are all made, and Node reports no leak', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): number => warnings.push(warning);
    process.on('warning', onWarning);
    const calls = Array.from({ length: 30 }, (_, at) => ({ name: 'look', args: { at }, id: `call_${at}` }));
    const { end } = await run((messages) => (isAnswered(messages) ? { text: 'Well.' } : { calls }));
    await new Promise(setImmediate); // Node warns in a tick of its own.
    process.off('warning', onWarning);

    expect(valuesOf(end).messages.filter(({ type }) => type === 'tool')).toHaveLength(30);
    expect(warnings).toEqual([]);
  });
});

describe('ids that a provider gives out twice', () => {
  const waysToAnswer = [
    ['whole', ['values']],
    ['in pieces', ['values', 'messages-tuple']],
  ] as const;

  it.each(waysToAnswer)('do not become the ids of two messages that come %s', async (_how, streamModes) => {
    const answer = (messages: BaseMessage[]): ScriptedTurn => ({
      messageId: 'always-the-same',
      ...(isAnswered(messages)
        ? { text: 'Well.' }
        : { calls: [{ name: 'look', args: { at: 1 }, id: 'call_1' }] }),
    });
    const { end } = await run(answer, streamModes);

    const { messages } = valuesOf(end);
    expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(messages.at(-1)?.content).toBe('Well.');
    const said = [...(await recorded('ai_tool_call')), ...(await recorded('ai_message'))];
    const ids = said.map(({ content }) => (content as unknown as WireMessage).id);
    expect(ids).toEqual([messages[1]?.id, messages[3]?.id]);
  });

  it.each(waysToAnswer)(
    'do not become the ids of two calls in answers that come %s',
    async (_how, streamModes) => {
      const answer = (messages: BaseMessage[]): ScriptedTurn => {
        const answered = messages.filter(({ type }) => type === 'tool').length;
        if (answered >= 3) return { text: 'Well.' };
        const places = answered > 0 ? [3] : [1, 2];
        return { calls: places.map((at) => ({ name: 'look', args: { at }, id: 'call_0' })) };
      };
      const { end } = await run(answer, streamModes);

      const { messages } = valuesOf(end);
      const made = idsOf(messages);
      const results = messages.filter(({ type }) => type === 'tool');
      expect(made[0]).toBe('call_0');
      expect(new Set(made).size).toBe(3);
      expect(results.map(({ tool_call_id: id }) => id)).toEqual(made);
      expect(results.map(({ content }) => content)).toEqual(['seen 1', 'seen 2', 'seen 3']);
      // The stored state must agree, too.
      const stored = await fixture.states.current(fixture.thread('lead'));
      expect(idsOf(stored?.values.messages)).toEqual(made);
      expect(idsOf((await recorded('ai_tool_call')).map(({ content }) => content))).toEqual(made);
    },
  );
});

async function run(
  answer: (messages: BaseMessage[]) => ScriptedTurn,
  streamModes: readonly string[] = ['values'],
): Promise<Ran> {
  const wild = named(new ScriptedModel('wild', answer));
  const calm = named(new ScriptedModel('calm', () => ({ text: 'Calm.' })));
  const models = {
    of: async ({ name }: { name: string | null }) => (name === 'calm' ? calm : wild),
    configOf: () => undefined,
    fallbacksOf: () => [],
  };
  const graph = await loadLangchain(async () =>
    createLeadAgent({ models, turn, workflows: null, extraTools: [look], log: { warn: () => {} } }),
  );
  fixture = await openAgentFixture({ lead: graph });
  return fixture.run('lead', { input: question('look'), streamModes: [...streamModes] });
}

/** Gives the model a name, as a configured one has. */
function named(model: ScriptedModel): ScriptedModel {
  model.metadata = { [modelNameKey]: 'm' };
  return model;
}

function question(content: string): object {
  return { messages: [{ role: 'user', content }] };
}

function isAnswered(messages: BaseMessage[]): boolean {
  return messages.some(({ type }) => type === 'tool');
}

async function recorded(type: string) {
  const events = await fixture.journal.events({ user: 'user' }, { threadId: 'thread', limit: 1_000 });
  return events.filter(({ event_type }) => event_type === type);
}

interface WireMessage {
  type: string;
  id?: string;
  content: unknown;
  tool_call_id?: string;
  tool_calls?: { id?: string }[];
}

function valuesOf(end: Ran['end']): { messages: WireMessage[] } {
  if (end.outcome !== 'done') throw new Error(`The run failed: ${end.error.message}`);
  return end.state.values as { messages: WireMessage[] };
}

function idsOf(messages: unknown): (string | undefined)[] {
  return (messages as WireMessage[]).flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id));
}
