import type { BaseMessage } from '@langchain/core/messages';
import { MemorySaver } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { PoolFilesInMemory } from '../../../testing/pool-files-fixture.ts';
import { savedWorkflows } from '../../../testing/saved-workflows-fixture.ts';
import { AppError } from '../../lib/app-error.ts';
import { DemoModel } from '../demo/demo-model.ts';
import type { AgentGraph } from '../loading/agents.ts';
import { titleOfQuestion } from '../message-text.ts';
import { runHandleKey } from '../run-contract/run-handle.ts';
import type { SavedWorkflow, WorkflowRunner } from '../tools/workflow-runner.ts';
import { createLeadAgent } from './lead-agent.ts';

const log = { warn: () => {} };
const models = {
  of: async () => new DemoModel({ paceMs: 0 }),
  configOf: () => undefined,
  fallbacksOf: () => [],
};
const turn = {
  title: { enabled: true, model: null },
  summarization: { enabled: true, model: null, tokens: 1_000, messages: 10, keep: 4 },
};

describe('the lead agent', () => {
  it('runs a workflow with its tool and reports the result', async () => {
    const { messages } = await ask(agent(), 'invert a picture');

    expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(messages.at(-1)?.text).toBe('Done. Task t1 made 1 file:\n- [a.png](http://gate/a.png)');
  });

  it('repeats the error of its tool and continues', async () => {
    const refuse = async () => {
      throw new AppError('no_capable_instance', {
        details: [{ path: 'workflow.5', message: 'ImageInvert' }],
      });
    };
    const { messages } = await ask(agent({ submit: refuse }), 'invert a picture');

    expect(messages[2]).toMatchObject({ type: 'tool', status: 'error' });
    expect(messages[2]?.text).toContain(
      "Error: Tool 'run_workflow' failed with no_capable_instance: No instance",
    );
    expect(messages[2]?.text).toContain('workflow.5');
    expect(messages[3]?.text).toContain('That did not work.');
  });

  it('does not reveal an internal error of a tool', async () => {
    const explode = async () => {
      throw new Error('connect ECONNREFUSED 10.0.0.7:5432');
    };
    const { messages } = await ask(agent({ submit: explode }), 'invert a picture');

    expect(messages[2]?.text).toContain('failed with internal_error');
    expect(messages[2]?.text).not.toContain('10.0.0.7');
  });

  it('streams progress of a task as custom events', async () => {
    const events: unknown[] = [];
    const stream = await agent().stream(question('invert a picture'), { ...config(), streamMode: 'custom' });
    for await (const event of stream) events.push(event);

    expect(events).toMatchObject([
      { type: 'worker_task_progress', progress: 40 },
      { type: 'worker_task_completed' },
    ]);
  });

  it('runs the saved workflows of its user as tools of their own', async () => {
    const kite = { id: 'w1', name: 'Red kite', description: 'Draws one.', schema: kiteSchema };
    const saved = savedWorkflows([kite]);
    const graph = agent({ saved }, [kite]);
    const { messages } = await ask(graph, 'run red kite with width = 512');

    expect(saved.orders).toEqual([
      {
        workflowId: 'w1',
        params: { width: 512 },
        userId: 'u1',
        threadId: 't1',
        runId: 'r1',
        toolCallId: expect.stringMatching(/^call_/),
        idempotencyKey: expect.stringMatching(/^r1:call_/),
        paramsToSubmit: expect.any(Function),
      },
    ]);
    expect(messages.at(-1)?.text).toContain('Task saved-1 made 1 file');
  });

  it('submits no saved workflow with arguments that its schema refuses', async () => {
    const kite = { id: 'w1', name: 'Red kite', description: '', schema: kiteSchema };
    const saved = savedWorkflows([kite]);
    const { messages } = await ask(agent({ saved }, [kite]), 'run red kite with width = wide');

    expect(saved.orders).toEqual([]);
    expect(messages[2]).toMatchObject({ type: 'tool', status: 'error' });
  });

  it('lists the saved workflows of its user', async () => {
    const kite = { id: 'w1', name: 'Red kite', description: '', schema: kiteSchema };
    const { messages } = await ask(agent({}, [kite]), 'list workflows');

    expect(JSON.parse(messages[2]?.text ?? '')).toEqual({
      workflows: [{ name: 'Red kite', tool: 'workflow_red_kite', params: ['width'] }],
    });
  });

  it('makes three checkpoints in a plain turn, also in the one that gives the title', async () => {
    const graph = agent();
    const made = [];
    for (const text of ['hello', 'who are you?']) {
      await graph.invoke(question(text), config());
      const steps = [];
      for await (const { metadata } of graph.getStateHistory(config())) steps.push(metadata?.source);
      made.push(steps.length);
    }
    expect(made).toEqual([3, 6]);
  });

  it('gives the thread its title once, with the first whole answer', async () => {
    const graph = agent();
    const first = await states(graph, 'invert a picture');
    const second = await states(graph, 'and who are you?');

    const [titled] = first.filter(({ title }) => title);
    expect(titled?.messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(new Set(second.map(({ title }) => title))).toEqual(new Set(['invert a picture']));
  });

  it('gives no title when titles are switched off, and keeps an existing one', async () => {
    const title = { enabled: false, model: null };
    const graph = createLeadAgent({ models, turn: { ...turn, title }, workflows: null, log });
    graph.checkpointer = new MemorySaver();
    const untitled = await states(graph, 'hello');

    expect(untitled.at(-1)?.messages.map(({ type }) => type)).toEqual(['human', 'ai']);
    expect(untitled.filter(({ title }) => title)).toEqual([]);
    expect(await graph.invoke({ ...question('hello'), title: 'Mine' }, config())).toMatchObject({
      title: 'Mine',
    });
  });

  it('keeps the title that the thread has', async () => {
    const { title } = await agent().invoke({ ...question('hello'), title: 'Mine' }, config());

    expect(title).toBe('Mine');
  });

  it('adds artifacts to those that the thread has, each once', async () => {
    const graph = agent();
    await graph.invoke({ ...question('hello'), artifacts: ['a', 'b'] }, config());
    const { artifacts } = await graph.invoke({ ...question('hello'), artifacts: ['b', 'c'] }, config());

    expect(artifacts).toEqual(['a', 'b', 'c']);
  });

  it('works without the tools of the pool when there is no pool', async () => {
    const graph = createLeadAgent({ models, turn, workflows: null, log });
    graph.checkpointer = new MemorySaver();
    const { messages } = await ask(graph, 'list instances');

    expect(messages.at(-1)?.text).toContain('this gateway has no pool');
  });
});

describe('a title', () => {
  it.each([
    ['What is this?', 'What is this?'],
    ['  many\n\nspaces  here ', 'many spaces here'],
    ['', 'New Conversation'],
    ['x'.repeat(50), 'x'.repeat(50)],
    [`${'x'.repeat(49)} yz`, `${'x'.repeat(49)}...`],
    ['🎨'.repeat(51), `${'🎨'.repeat(50)}...`],
  ])('of %j', (text, title) => {
    expect(titleOfQuestion(text)).toBe(title);
  });
});

const kiteSchema = {
  type: 'object',
  properties: { width: { type: 'integer' } },
  required: [],
  additionalProperties: false,
};

function agent(
  differences: Partial<WorkflowRunner> = {},
  exposed: readonly SavedWorkflow[] = [],
): AgentGraph {
  const workflows: WorkflowRunner = {
    submit: async () => ({ taskId: 't1' }),
    async *watch() {
      yield { type: 'progress', progress: 40, node: 'Invert', instance: 'one' };
      const file = { fileId: 'f1', filename: 'a.png', url: 'http://gate/a.png' };
      yield { type: 'completed', files: [{ ...file, contentType: 'image/png', sizeBytes: 3 }], texts: [] };
    },
    cancel: async () => {},
    cancelOfRun: async () => {},
    instances: async () => [],
    saved: savedWorkflows([]),
    files: new PoolFilesInMemory(),
    approvals: null,
    ...differences,
  };
  const graph = createLeadAgent({ models, turn, workflows, saved: exposed, log });
  graph.checkpointer = new MemorySaver();
  return graph;
}

async function ask(graph: AgentGraph, text: string): Promise<{ messages: BaseMessage[] }> {
  return graph.invoke(question(text), config());
}

async function states(
  graph: AgentGraph,
  text: string,
): Promise<{ title?: string; messages: BaseMessage[] }[]> {
  const found: { title?: string; messages: BaseMessage[] }[] = [];
  const stream = await graph.stream(question(text), { ...config(), streamMode: 'values' });
  for await (const state of stream) found.push(state);
  return found;
}

function question(text: string) {
  return { messages: [{ role: 'user', content: text }] };
}

function config() {
  const handle = { runId: 'r1', threadId: 't1', userId: 'u1', beforeActing: async () => {} };
  return { configurable: { thread_id: 't1', [runHandleKey]: handle } };
}
