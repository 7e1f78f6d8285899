import { type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { type StructuredToolInterface, type ToolRunnableConfig, tool } from '@langchain/core/tools';
import { Command, interrupt } from '@langchain/langgraph';
import { createAgent } from 'langchain';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AgentFixture, openAgentFixture } from '../../../testing/agent-fixture.ts';
import { ScriptedModel, type ScriptedTurn } from '../../../testing/scripted-model.ts';
import { awaitLangchainCallbacks } from '../../config/env.ts';
import { callKeyOf, isStoppedForGood, requireRunHandle } from '../run-contract/run-handle.ts';
import { threadState } from '../state/thread-state.ts';
import { toolCallIdOf } from '../tools/tool-call-id.ts';
import { generalPurpose } from './subagent-settings.ts';
import { subagents } from './subagents.ts';

let fixture: AgentFixture;
beforeAll(() => awaitLangchainCallbacks());
afterEach(() => fixture.close());

describe('a sub-agent', () => {
  it('continues where it was after a crash, and repeats effects outside of the run under the same key', async () => {
    const crash = new AbortController();
    const keys: string[] = [];
    const act = worldly('act', async (config) => {
      const run = requireRunHandle(config);
      await run.beforeActing();
      keys.push(callKeyOf(run, toolCallIdOf(config)));
      // Both sub-agents have acted, but their results were not stored.
      if (keys.length === 2) crash.abort(Object.assign(new Error('gone'), { how: { kind: 'lost' } }));
      if (keys.length <= 2) await new Promise(() => undefined);
      return 'acted';
    });
    const { model } = await openWith([act]);
    await expect(run({ signal: crash.signal, runId: 'r1' })).rejects.toThrow('gone');
    const { end } = await run({ runId: 'r1', attempt: 2 });

    expect([...keys.slice(0, 2)].sort()).toEqual(['r1:call_a:call_1', 'r1:call_b:call_1']);
    expect([...keys.slice(2)].sort()).toEqual([...keys.slice(0, 2)].sort());
    // The model is not asked for its first answer again.
    expect(model.calls).toBe(4);
    expect(valuesOf(end).messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'tool', 'ai']);
    const events = await fixture.journal.events({ user: 'user' }, { threadId: 'thread', limit: 1_000 });
    const asked = events.filter(({ metadata }) => metadata.caller === 'subagent:general-purpose');
    expect(asked.filter(({ event_type: type }) => type === 'llm_response')).toHaveLength(4);
    const steps = events.filter(({ event_type: type }) => type === 'subagent.step');
    for (const taskId of ['call_a', 'call_b']) {
      const own = steps.filter(({ metadata }) => metadata.task_id === taskId);
      const shown = own.map(({ content }) => content as { message_index: number; kind: string });
      expect(shown.map(({ message_index, kind }) => [message_index, kind])).toEqual([
        [1, 'ai'],
        [2, 'tool'],
        [3, 'ai'],
      ]);
    }
  });

  it('says what it has cost so far, and in the end with which model', async () => {
    const answer = (messages: BaseMessage[]): ScriptedTurn =>
      messages.at(-1)?.type === 'tool'
        ? { text: 'acted', usage: [30, 4] }
        : { calls: [{ name: 'act', args: {}, id: 'call_1' }], usage: [20, 3] };
    await openWith([worldly('act', async () => 'acted')], { calls: ['call_a'], answer });
    const { end, frames } = await run();

    const running = custom(frames).filter(({ type }) => type === 'task_running');
    const [first, both] = [
      { input_tokens: 20, output_tokens: 3, total_tokens: 23 },
      { input_tokens: 50, output_tokens: 7, total_tokens: 57 },
    ];
    expect(running.map(({ usage }) => usage)).toMatchObject([first, both]);
    expect(valuesOf(end).messages[2]?.additional_kwargs).toEqual({
      subagent_token_usage: both,
      subagent_model_name: 'sub',
    });
  });

  it('that takes too long is stopped with what it has started, and the lead agent continues', async () => {
    let fire = (): void => undefined;
    let isWorldStopped = false;
    const wait = worldly('act', async ({ signal }) => {
      fire();
      await new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          isWorldStopped = isStoppedForGood(signal);
          reject(signal.reason);
        });
      });
      return '';
    });
    const timer = (action: () => void) => {
      fire = () => setImmediate(action);
      return () => undefined;
    };
    await openWith([wait], { timer, calls: ['call_a'] });
    const { end, frames } = await run();

    expect(isWorldStopped).toBe(true);
    const why = "The sub-agent 'general-purpose' took longer than 900 seconds and was stopped.";
    expect(valuesOf(end).messages[2]).toMatchObject({
      status: 'error',
      content: `Task timed out. Error: ${why}`,
    });
    expect(custom(frames).at(-1)).toEqual({ type: 'task_timed_out', task_id: 'call_a', error: why });
  });

  it.each([
    ['ends', undefined, 'Task Succeeded.'],
    ['fails', 'out of words', 'Task failed. Error: out of words'],
  ])('hands what it has made to the thread, whether it %s', async (_how, fails, text) => {
    const make = tool(
      (_input: object, config) =>
        new Command({
          update: {
            artifacts: ['/mnt/user-data/outputs/a.png'],
            messages: [new ToolMessage({ content: 'made', tool_call_id: toolCallIdOf(config) })],
          },
        }),
      { name: 'act', description: 'Makes.', schema: z.object({}) },
    );
    const answer = (messages: BaseMessage[]): ScriptedTurn =>
      messages.at(-1)?.type === 'tool'
        ? { text: 'made', ...(fails !== undefined && { fails }) }
        : { calls: [{ name: 'act', args: {}, id: 'call_1' }] };
    await openWith([make], { answer });
    const { end } = await run();

    expect(valuesOf(end).messages[2]?.content).toContain(text);
    expect(valuesOf(end).artifacts).toEqual(['/mnt/user-data/outputs/a.png']);
  });

  it('waits for a human inside its tools, as the lead agent does', async () => {
    const ask = worldly('act', async () => `The answer is ${interrupt('May I?')}.`);
    await openWith([ask], { calls: ['call_a'] });
    const first = await run();
    const second = await run({ command: { resume: 'yes' } });

    expect(first.end).toMatchObject({ outcome: 'done', state: { next: ['tools'] } });
    expect(custom(first.frames).map(({ type }) => type)).toEqual(['task_started', 'task_running']);
    expect(valuesOf(second.end).messages[2]).toMatchObject({
      content: 'Task Succeeded. Result: The answer is yes.',
    });
  });

  it('gets its own answer when several wait for a human', async () => {
    const ask = worldly('act', async () => `The answer is ${interrupt('May I?')}.`);
    await openWith([ask]);
    const { end } = await run();
    if (end.outcome !== 'done') throw new Error('The run failed.');
    const waiting = Object.values(end.state.interrupts).flat();
    const resume = Object.fromEntries(waiting.map(({ id }, index) => [id, index === 0 ? 'yes' : 'no']));
    const second = await run({ command: { resume } });

    expect(waiting).toHaveLength(2);
    const results = valuesOf(second.end).messages.slice(2, 4);
    expect(results.map(({ content }) => content).sort()).toEqual([
      'Task Succeeded. Result: The answer is no.',
      'Task Succeeded. Result: The answer is yes.',
    ]);
  });

  it('of a kind that is configured with tools has no other tools', async () => {
    let acts = 0;
    const act = worldly('act', async () => `acted ${++acts}`);
    const other = worldly('other', async () => 'other');
    await openWith([act, other], { calls: ['call_a'], tools: ['other'] });
    const { end } = await run();

    expect(acts).toBe(0);
    expect(valuesOf(end).messages[2]?.content).toContain("does not have the tool 'act'");
  });

  it('that calls tools for ever ends with its last turn', async () => {
    const act = worldly('act', async () => 'acted');
    let turn = 0;
    const answer = (): ScriptedTurn => {
      turn += 1;
      return { calls: [{ name: 'act', args: { turn }, id: `call_${turn}` }] };
    };
    await openWith([act], { calls: ['call_a'], answer, maxTurns: 3 });
    const { end } = await run();

    expect(turn).toBe(3);
    expect(valuesOf(end).messages[2]).toMatchObject({
      content: 'Task Succeeded. Result: I did not finish within my turns.',
    });
  });
});

interface Given {
  /** Tool calls of the lead agent, each of which starts a sub-agent. */
  calls?: string[];
  answer?: (messages: BaseMessage[]) => ScriptedTurn;
  maxTurns?: number;
  tools?: string[];
  timer?: (action: () => void, delayMs: number) => () => void;
}

/** Opens a lead agent whose sub-agents call `act` and answer with its result. */
async function openWith(
  tools: StructuredToolInterface[],
  given: Given = {},
): Promise<{ model: ScriptedModel }> {
  const { calls = ['call_a', 'call_b'], maxTurns = 50, timer = () => () => undefined } = given;
  const once = (messages: BaseMessage[]): ScriptedTurn =>
    messages.at(-1)?.type === 'tool'
      ? { text: messages.at(-1)?.text ?? '' }
      : { calls: [{ name: 'act', args: {}, id: 'call_1' }] };
  const model = new ScriptedModel('sub', given.answer ?? once);
  const args = { description: 'Act', prompt: 'Act now', subagent_type: 'general-purpose' };
  const lead = new ScriptedModel('lead', (messages) =>
    messages.at(-1)?.type === 'tool'
      ? { text: 'Done.' }
      : { calls: calls.map((id) => ({ name: 'task', args, id })) },
  );
  const type = { ...generalPurpose({ maxTurns, timeoutMs: 900_000 }), tools: given.tools ?? null };
  const settings = { types: [type], maxConcurrent: 3 };
  const models = { of: async () => model as never, configOf: () => undefined, fallbacksOf: () => [] };
  const log = { warn: () => undefined };
  const middleware = [subagents({ settings, tools, middleware: [], models, timer, log })];
  const agent = createAgent({ model: lead, stateSchema: threadState, middleware });
  fixture = await openAgentFixture({ lead: agent.graph });
  return { model };
}

function run(options: Parameters<AgentFixture['run']>[1] = {}) {
  return fixture.run('lead', {
    input: { messages: [{ role: 'user', content: 'Act' }] },
    context: { subagent_enabled: true },
    streamModes: ['custom'],
    ...options,
  });
}

/** A tool with an effect outside of the graph. */
function worldly(name: string, act: (config: ToolRunnableConfig) => Promise<string>) {
  return tool((_input: object, config) => act(config), {
    name,
    description: 'Acts.',
    schema: z.looseObject({}),
  });
}

function custom(
  frames: { event: string; data: { type: string; usage?: unknown } }[],
): { type: string; usage?: unknown }[] {
  return frames.filter(({ event }) => event === 'custom').map(({ data }) => data);
}

type Values = { messages: Record<string, unknown>[]; artifacts: string[] };

function valuesOf(end: Awaited<ReturnType<AgentFixture['run']>>['end']): Values {
  if (end.outcome !== 'done') throw new Error(`The run failed: ${end.error.message}`);
  return end.state.values as unknown as Values;
}
