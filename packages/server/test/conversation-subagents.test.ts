import {
  type FakeOpenAi,
  type FakeReply,
  type FakeRequest,
  startFakeOpenAi,
} from '@switchyard/dev-env/fake-openai';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { readModels } from '@switchyard/server/config/models';
import { readSubagents } from '@switchyard/server/config/subagents';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import type { Frame } from './support/conversation-stream.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';

let provider: FakeOpenAi;
let worker: FakeWorker;
let server: ConversationGateway;
let ada: ConversationCaller;
let adaInDispatch: DispatchCaller;
/** The answer of a sub-agent's model, set by each test. */
let subagent: (request: FakeRequest) => FakeReply;
/** The first calls of the lead agent. */
let asked: NonNullable<FakeReply['calls']>;

beforeAll(async () => {
  provider = await startFakeOpenAi((request) => {
    if (isSubagent(request)) return subagent(request);
    if (isTitle(request)) return { text: 'Delegated' };
    return request.messages.at(-1)?.role === 'user' ? { calls: asked } : { text: 'All done.' };
  });
  worker = await FakeWorker.start({
    nodeClasses: ['EmptyImage', 'ImageInvert', 'SaveImage'],
    outputBytes: 64,
  });
  const keys = { base_url: provider.url, api_key: 'sk-1' };
  const models = readModels({ fast: { ...keys, model: 'gpt-fast' }, deep: { ...keys, model: 'gpt-deep' } });
  const agents = readSubagents({
    looker: {
      description: 'Looks at the pool.',
      system_prompt: 'You are a sub-agent that looks.',
      tools: ['list_instances', 'nothing_like_it'],
      model: 'deep',
      max_turns: 2,
    },
  });
  server = await startConversation({ models, subagents: { agents } });
  ada = server.ada;
  const admin = await DispatchCaller.initialize(server.gateway.url);
  await admin.useWorkers([worker.port]);
  adaInDispatch = await DispatchCaller.login(server.gateway.url, 'ada@example.com');
});
beforeEach(() => {
  provider.requests.length = 0;
  asked = [task('call_a', 'Count the red ones'), task('call_b', 'Count the blue ones')];
  subagent = ({ messages }) => ({ text: `Counted: ${messages[1].content.slice(-9)}` });
});
afterAll(async () => {
  await server?.close();
  await worker?.close();
  await provider?.close();
});

describe('sub-agents', () => {
  it('work for the lead agent at the same time, and the stream shows it', async () => {
    const { frames, values } = await delegate(['custom', 'values', 'messages-tuple']);

    const told = frames.filter(({ event }) => event === 'custom').map(({ data }) => data);
    expect(told.filter(({ task_id }) => task_id === 'call_a')).toEqual([
      { type: 'task_started', task_id: 'call_a', description: 'Count' },
      {
        type: 'task_running',
        task_id: 'call_a',
        message: expect.objectContaining({ type: 'ai', content: 'Counted:  red ones' }),
        message_index: 1,
        total_messages: 1,
        usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
      },
      { type: 'task_completed', task_id: 'call_a', result: 'Counted:  red ones' },
    ]);
    expect(told.map(({ type }) => type).slice(0, 2)).toEqual(['task_started', 'task_started']);
    expect(values.messages.slice(2, 4)).toMatchObject([
      { tool_call_id: 'call_a', name: 'task', content: 'Task Succeeded. Result: Counted:  red ones' },
      { tool_call_id: 'call_b', name: 'task', content: 'Task Succeeded. Result: Counted: blue ones' },
    ]);
  });

  it('add nothing to the conversation: neither to its state nor to its stream nor on display', async () => {
    const { frames, values, threadId } = await delegate(['values', 'updates', 'messages-tuple', 'messages']);

    expect(values.messages.map(({ type }: { type: string }) => type)).toEqual([
      'human',
      'ai',
      'tool',
      'tool',
      'ai',
    ]);
    const streamed = frames.filter(({ event }) => event.startsWith('messages'));
    expect(streamed.length).toBeGreaterThan(0);
    const words = JSON.stringify(streamed.filter(({ data }) => !JSON.stringify(data).includes('"tool"')));
    expect(words).not.toContain('Counted');
    const { data } = await ada.ok('GET', `/threads/${threadId}/messages/page`);
    expect(data.map(({ event_type }: { event_type: string }) => event_type)).toEqual([
      'human_message',
      'ai_tool_call',
      'tool_result',
      'tool_result',
      'ai_message',
    ]);
  });

  it.each([
    [['events', 'custom', 'values']],
    [['debug', 'tasks', 'checkpoints', 'tools', 'updates', 'custom', 'values']],
  ])('work in runs with the stream modes %j', async (modes) => {
    const { frames, values, run } = await delegate(modes);

    expect(run.status).toBe('success');
    expect(values.messages).toHaveLength(5);
    const ended = frames.filter(({ data }) => data?.type === 'task_completed');
    expect(ended.map(({ event }) => event)).toEqual(['custom', 'custom']);
  });

  it('are visible to clients that ask for subgraphs', async () => {
    const { frames } = await delegate(['messages-tuple'], { stream_subgraphs: true });

    const within = frames.filter(({ event }) => /^messages\|tools:/.test(event));
    expect(within.map(({ data }) => data[0].content).join('')).toContain('Counted');
  });

  it('have model calls and tokens counted as their own', async () => {
    subagent = () => ({ text: 'Counted.', usage: { input: 100, output: 20 } });
    const { threadId, run } = await delegate();
    const events = await ada.ok(
      'GET',
      `/threads/${threadId}/runs/${run.run_id}/events?event_types=llm_response,task_started,task_completed`,
    );

    expect(run).toMatchObject({ subagent_tokens: 240, lead_agent_tokens: 30, middleware_tokens: 15 });
    const ofType = (type: string) => events.filter((event: StoredEvent) => event.event_type === type);
    const calls = ofType('llm_response').map(({ metadata }: StoredEvent) => [
      metadata.caller,
      metadata.subagent_task_id,
    ]);
    expect(calls).toHaveLength(5);
    expect(calls).toContainEqual(['subagent:general-purpose', 'call_a']);
    expect(calls).toContainEqual(['subagent:general-purpose', 'call_b']);
    expect(calls).toContainEqual(['lead_agent', undefined]);
    expect(ofType('task_started').map(({ metadata }: StoredEvent) => metadata)).toEqual([
      expect.objectContaining({ task_id: 'call_a', subagent_type: 'general-purpose', description: 'Count' }),
      expect.objectContaining({ task_id: 'call_b' }),
    ]);
    expect(ofType('task_completed')).toHaveLength(2);
  });

  it('leave their steps with the run: what each model said, what each tool returned, and the tokens', async () => {
    asked = [task('call_a', 'Look')];
    subagent = ({ messages }) =>
      messages.at(-1).role === 'tool'
        ? { text: 'x'.repeat(9_000), usage: { input: 100, output: 20 } }
        : { calls: [{ id: 'call_1', name: 'list_instances', args: {} }], usage: { input: 50, output: 5 } };
    const { threadId, run } = await delegate();
    const path = `/threads/${threadId}/runs/${run.run_id}/events?event_types=subagent.step&task_id=call_a`;
    const steps = await ada.ok('GET', path);

    const common = { event_type: 'subagent.step', category: 'subagent' };
    expect(steps).toEqual([
      expect.objectContaining({
        ...common,
        content: {
          task_id: 'call_a',
          message_index: 1,
          kind: 'ai',
          text: '',
          truncated: false,
          tool_calls: [{ name: 'list_instances', args: {} }],
        },
        metadata: expect.objectContaining({
          task_id: 'call_a',
          message_index: 1,
          model_name: 'fast',
          usage: expect.objectContaining({ input_tokens: 50, output_tokens: 5, total_tokens: 55 }),
        }),
      }),
      expect.objectContaining({
        ...common,
        content: expect.objectContaining({ message_index: 2, kind: 'tool', tool_name: 'list_instances' }),
        metadata: expect.objectContaining({ tool_call_id: 'call_1', status: 'success' }),
      }),
      expect.objectContaining({
        ...common,
        content: expect.objectContaining({ message_index: 3, text: 'x'.repeat(8_192), truncated: true }),
        metadata: expect.objectContaining({ usage: expect.objectContaining({ total_tokens: 120 }) }),
      }),
    ]);
    const after = `${path}&limit=1&after_seq=${steps[0].seq}`;
    expect(await ada.ok('GET', after)).toEqual([steps[1]]);
    const messages = await ada.ok('GET', `/threads/${threadId}/messages`);
    expect(messages.map(({ category }: { category: string }) => category)).not.toContain('subagent');
  });

  it('have the tools of the lead agent, but neither questions nor sub-agents', async () => {
    await delegate();
    const ofLead = provider.requests.find((request) => !isSubagent(request))?.tools ?? [];
    const ofSubagent = provider.requests.find(isSubagent)?.tools;

    expect(ofLead).toEqual(expect.arrayContaining(['task', 'ask_clarification', 'run_workflow']));
    const without = ['task', 'ask_clarification', 'write_todos'];
    expect(ofSubagent).toEqual(ofLead.filter((name) => !without.includes(name)));
  });

  it('of a configured kind have its tools, its model and its turns', async () => {
    asked = [{ ...task('call_a', 'Look'), args: { ...task('', 'Look').args, subagent_type: 'looker' } }];
    subagent = ({ body }) =>
      body.tool_choice === 'none'
        ? { text: 'No one is there.' }
        : { calls: [{ id: 'call_1', name: 'list_instances', args: {} }] };
    const { values, threadId, run } = await delegate();
    const requests = provider.requests.filter(isSubagent);

    expect(requests.map(({ model, tools }) => [model, tools])).toEqual([
      ['gpt-deep', ['list_instances']],
      ['gpt-deep', ['list_instances']],
    ]);
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain('your last turn');
    expect(values.messages[2].content).toBe('Task Succeeded. Result: No one is there.');
    expect(Object.keys(run.token_usage_by_model).sort()).toEqual(['deep', 'fast']);
    const path = `/threads/${threadId}/runs/${run.run_id}/events?event_types=tool_end`;
    expect(await ada.ok('GET', path)).toMatchObject([
      { metadata: { tool_name: 'list_instances', subagent_task_id: 'call_a' } },
      { metadata: { tool_name: 'task' } },
    ]);
  });

  it('of a custom agent have no tool that the agent lacks, and it may have no sub-agents', async () => {
    await ada.ok('POST', '/agents', { name: 'solo', tool_groups: ['workflows'], soul: 'You paint.' });
    await ada.ok('POST', '/agents', {
      name: 'boss',
      tool_groups: ['subagents', 'file:read'],
      soul: 'You lead.',
    });
    await delegate(['values'], { assistant_id: 'boss' });
    const ofSubagent = provider.requests.find(isSubagent)?.tools;
    provider.requests.length = 0;
    const { values } = await delegate(['values'], { assistant_id: 'solo' });

    expect(ofSubagent).toContain('read_file');
    expect(ofSubagent).not.toContain('run_workflow');
    expect(provider.requests.filter(isSubagent)).toEqual([]);
    expect(JSON.stringify(provider.requests[0]?.messages)).not.toContain('sub-agents');
    expect(values.messages[2]).toMatchObject({ name: 'task', status: 'error' });
  });

  it('do not affect the others and the turn when they fail', async () => {
    subagent = ({ messages }) =>
      messages[1].content.includes('red') ? { status: 400 } : { text: 'Counted blue.' };
    const { frames, values, run } = await delegate(['custom', 'values']);

    expect(values.messages.slice(2)).toMatchObject([
      { status: 'error', content: expect.stringContaining('Task failed. Error: 400') },
      { status: 'success', content: 'Task Succeeded. Result: Counted blue.' },
      { content: 'All done.' },
    ]);
    expect(run.status).toBe('success');
    const failed = frames.find(({ data }) => data.type === 'task_failed');
    expect(failed?.data).toMatchObject({ task_id: 'call_a', error: expect.stringContaining('400') });
  });

  it.each([
    [{}, 3],
    [{ max_concurrent_subagents: 2 }, 2],
    [{ max_concurrent_subagents: 9 }, 4],
    [{ max_concurrent_subagents: 0 }, 2],
  ])('work no more than so many at a time: %j', async (context, most) => {
    asked = ['1', '2', '3', '4', '5'].map((id) => task(`call_${id}`, `Part ${id}`));
    const { values } = await delegate(['values'], { context: { subagent_enabled: true, ...context } });

    const results = values.messages.slice(2, 7);
    expect(results.map(({ status }: { status: string }) => status)).toEqual([
      ...Array(most).fill('success'),
      ...Array(5 - most).fill('error'),
    ]);
    expect(results[4].content).toContain(`at most ${most} sub-agents work at the same time`);
    expect(provider.requests.filter(isSubagent)).toHaveLength(most);
  });

  it('exist only in runs that ask for them', async () => {
    const { values } = await delegate(['values'], { context: {} });

    expect(provider.requests[0]?.tools).not.toContain('task');
    expect(values.messages[2]).toMatchObject({
      status: 'error',
      content: expect.stringContaining('this run has no sub-agents'),
    });
    expect(provider.requests.filter(isSubagent)).toHaveLength(0);
  });

  it('run workflows on the pool, each its own, even when their models choose the same ids', async () => {
    subagent = ({ messages }) =>
      messages.at(-1).role === 'tool'
        ? { text: 'Painted.' }
        : { calls: [{ id: 'call_1', name: 'run_workflow', args: { workflow } }] };
    const { frames, values, threadId } = await delegate(['custom', 'values']);

    const done = frames.filter(({ data }) => data.type === 'worker_task_completed').map(({ data }) => data);
    expect(new Set(done.map(({ task_id }) => task_id)).size).toBe(2);
    const { items } = (await adaInDispatch.call('GET', '/api/tasks')).data;
    const own = items.filter((item: { conversation: { threadId: string } | null }) => {
      return item.conversation?.threadId === threadId;
    });
    expect(own).toMatchObject([
      { status: 'completed', conversation: { toolCallId: 'call_1' } },
      { status: 'completed', conversation: { toolCallId: 'call_1' } },
    ]);
    expect(new Set(values.artifacts).size).toBe(2);
  });

  it.each(['lead_agent', 'subagent:x', 'middleware:title'])(
    'cannot be imitated by a tag of the client: %s',
    async (tag) => {
      const { status, body: answer } = await ada.post(`/threads/${await ada.thread()}/runs`, {
        ...body(['values']),
        config: { tags: ['mine', tag] },
      });

      expect(status).toBe(422);
      expect(answer.detail[0].loc).toEqual(['body', 'config', 'tags', 1]);
    },
  );

  it('end with the run that is cancelled', async () => {
    subagent = () => ({ text: 'Counting', hangs: true });
    const threadId = await ada.thread();
    const stream = await ada.stream(threadId, body(['custom', 'values']));
    await stream.until(({ data }) => data.type === 'task_started' && data.task_id === 'call_b');
    const [run] = await ada.ok('GET', `/threads/${threadId}/runs`);
    await ada.ok('POST', `/threads/${threadId}/runs/${run.run_id}/cancel?wait=1`);
    const frames = await stream.rest();

    const cancelled = frames.filter(({ data }) => data.type === 'task_cancelled').map(({ data }) => data);
    expect(cancelled.map(({ task_id }) => task_id).sort()).toEqual(['call_a', 'call_b']);
    expect(cancelled[0].error).toBe('The run was cancelled.');
    const path = `/threads/${threadId}/runs/${run.run_id}/events?event_types=task_cancelled`;
    expect(await ada.ok('GET', path)).toHaveLength(2);
  });

  it('end the tasks that they started on the pool when the run is cancelled', async () => {
    asked = [task('call_a', 'Paint')];
    subagent = () => ({ calls: [{ id: 'call_1', name: 'run_workflow', args: { workflow } }] });
    worker.behaviour.runMs = 60_000;
    const before = worker.stats.accepted;
    const threadId = await ada.thread();
    const { run_id: runId } = await ada.run(threadId, body(['values']));
    await ada.until(
      async () => worker.stats.accepted,
      (accepted) => accepted > before,
    );
    await ada.ok('POST', `/threads/${threadId}/runs/${runId}/cancel?wait=1`);

    const { items } = (await adaInDispatch.call('GET', '/api/tasks')).data;
    const begun = items.find((item: { conversation: { runId: string } | null }) => {
      return item.conversation?.runId === runId;
    });
    expect(await adaInDispatch.ended(begun.id)).toMatchObject({ error: { code: 'cancelled' } });
    worker.behaviour.runMs = 0;
  });
});

interface StoredEvent {
  event_type: string;
  metadata: Record<string, unknown>;
}

const workflow = {
  '1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'sub' } },
};

function task(id: string, prompt: string) {
  return { id, name: 'task', args: { description: 'Count', prompt, subagent_type: 'general-purpose' } };
}

function isSubagent({ messages }: FakeRequest): boolean {
  return JSON.stringify(messages[0]?.content).includes('You are a sub-agent');
}

function isTitle({ messages }: FakeRequest): boolean {
  return String(messages[0]?.content).startsWith('Write a title');
}

function body(stream_mode: string[], more: object = {}) {
  return {
    assistant_id: 'lead_agent',
    input: { messages: [{ role: 'user', content: 'Count them all' }] },
    context: { subagent_enabled: true },
    stream_mode,
    ...more,
  };
}

/** Starts a run in which the lead agent uses sub-agents. */
async function delegate(streamModes = ['values'], more: object = {}) {
  const threadId = await ada.thread();
  const stream = await ada.stream(threadId, body(streamModes, more));
  const frames: Frame[] = await stream.rest();
  const [run] = await ada.ok('GET', `/threads/${threadId}/runs`);
  const values = frames.findLast(({ event }) => event === 'values')?.data;
  return { frames, values, threadId, run };
}
