import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type FakeOpenAi,
  type FakeReply,
  type FakeRequest,
  startFakeOpenAi,
} from '@switchyard/dev-env/fake-openai';
import { startGateway } from '@switchyard/dev-env/gateway';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newDeferred } from '../src/lib/async/deferred.ts';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import {
  type ConversationGateway,
  fixtureAgents,
  startConversation,
} from './support/conversation-gateway.ts';
import type { Frame } from './support/conversation-stream.ts';

let provider: FakeOpenAi;
let server: ConversationGateway;
let ada: ConversationCaller;
/** What the model that judges answers, one after the other. The last one stays. */
let judgements: (object | FakeReply)[];
/** What the agent answers, one after the other; afterwards it counts. */
let answers: FakeReply[];

const models = () => readModels({ only: { base_url: provider.url, api_key: 'sk-x', model: 'm' } });
const title = { enabled: false };

beforeAll(async () => {
  provider = await startFakeOpenAi((request) => answer(request));
  server = await startConversation({ models: models(), title });
  ada = server.ada;
});
beforeEach(() => {
  provider.requests.length = 0;
  judgements = [satisfied];
  answers = [];
});
afterAll(async () => {
  await server?.close();
  await provider?.close();
});

const satisfied = {
  satisfied: true,
  blocker: 'none',
  reason: 'Ten is there.',
  evidence_summary: 'It said ten.',
};
const notYet = { satisfied: false, blocker: 'goal_not_met_yet', progress: true, reason: 'Five is next.' };
const usage = { input: 7, output: 3 };

function isJudge({ messages }: FakeRequest): boolean {
  return textOf(messages[0]?.content).startsWith('Judge whether the goal');
}
function answer(request: FakeRequest): FakeReply {
  if (!isJudge(request)) return answers.shift() ?? { text: `Count ${provider.requests.length}` };
  const next = (judgements.length > 1 ? judgements.shift() : judgements[0]) ?? satisfied;
  return 'satisfied' in next ? { text: JSON.stringify(next), usage } : next;
}
function textOf(content: unknown): string {
  return Array.isArray(content) ? content.map(({ text }) => text).join('') : String(content);
}

const ask = { assistant_id: 'lead_agent', input: says('Count to ten') };
const putGoal = (threadId: string, body: object = {}, by = ada) =>
  by.call('PUT', `/threads/${threadId}/goal`, { body: { objective: 'Count to ten', ...body } });
const goalOf = async (threadId: string) => (await ada.ok('GET', `/threads/${threadId}/goal`)).goal;
const standDownOf = async (threadId: string) => {
  const { last_evaluation: last, ...goal } = await goalOf(threadId);
  return { reason: last.stand_down_reason, blocker: last.blocker, count: goal.continuation_count };
};

async function withGoal(body: object = {}): Promise<string> {
  const threadId = await ada.thread();
  expect((await putGoal(threadId, body)).status).toBe(200);
  return threadId;
}
/** The frames of one run, up to its end. */
async function run(threadId: string, body: object = {}): Promise<Frame[]> {
  return (await ada.stream(threadId, { ...ask, ...body })).rest();
}
const goalsIn = (frames: Frame[]) =>
  frames.filter(({ event, data }) => event === 'values' && 'goal' in data).map(({ data }) => data.goal);

describe('the goal of a thread', () => {
  it('is given, read and cleared, and makes a thread that does not exist', async () => {
    const threadId = 'a-thread-that-a-goal-makes';
    expect(await goalOf(threadId)).toBeNull();
    const { status, body } = await putGoal(threadId, { objective: '  Count\n to   ten ' });
    expect(status).toBe(200);
    expect(body.goal).toEqual({
      objective: 'Count to ten',
      status: 'active',
      created_at: expect.any(String),
      updated_at: body.goal.created_at,
      continuation_count: 0,
      max_continuations: 8,
      no_progress_count: 0,
      max_no_progress_continuations: 2,
      last_evaluation: null,
    });
    expect(await goalOf(threadId)).toEqual(body.goal);
    expect((await ada.get(`/threads/${threadId}`)).status).toBe(200);
    await putGoal(threadId, { objective: 'Another', max_continuations: 0 });
    expect(await goalOf(threadId)).toMatchObject({ objective: 'Another', max_continuations: 0 });
    for (const _ of ['with a goal', 'without one'])
      expect(await ada.ok('DELETE', `/threads/${threadId}/goal`)).toEqual({ goal: null });
    expect(await goalOf(threadId)).toBeNull();
  });

  it.each([
    { objective: ' \n ' },
    { objective: '' },
    { objective: 'x'.repeat(4_001) },
    { max_continuations: 9 },
    { max_continuations: -1 },
    { objectives: 'x' },
  ])('is refused: %j', async (body) => {
    expect((await putGoal(await ada.thread(), body)).status).toBe(422);
  });

  it('is of no other user', async () => {
    const threadId = await withGoal();
    const { bob } = server;
    const missing = { status: 404, body: { detail: `Thread ${threadId} not found` } };
    expect(await bob.get(`/threads/${threadId}/goal`)).toMatchObject(missing);
    expect(await putGoal(threadId, {}, bob)).toMatchObject(missing);
    expect(await bob.call('DELETE', `/threads/${threadId}/goal`)).toMatchObject(missing);
    expect(await goalOf(threadId)).not.toBeNull();
  });

  it('goes with its thread', async () => {
    const threadId = await withGoal();
    await ada.ok('DELETE', `/threads/${threadId}`);
    expect((await ada.get(`/threads/${threadId}/goal`)).status).toBe(404);
    expect((await putGoal(threadId)).status).toBe(404);
  });
});

describe('after a run in a thread with a goal', () => {
  it('a model judges it, and a goal that is reached is cleared with a frame of values', async () => {
    const threadId = await withGoal();
    const frames = await run(threadId);
    expect(goalsIn(frames)).toEqual([null]);
    expect(frames.findLast(({ event }) => event === 'values')?.data).toMatchObject({ goal: null });
    expect(await goalOf(threadId)).toBeNull();
    const [made] = await ada.ok('GET', `/threads/${threadId}/runs`);
    expect(made).toMatchObject({ status: 'success' });
    const events = await ada.ok('GET', `/threads/${threadId}/runs/${made.run_id}/events`);
    const [told] = events.filter(
      ({ event_type }: { event_type: string }) => event_type === 'middleware:goal',
    );
    expect(told).toMatchObject({ category: 'middleware', content: { action: 'satisfied' } });
    const tokens = await ada.ok('GET', `/threads/${threadId}/token-usage`);
    expect(tokens.by_caller.middleware).toBe(usage.input + usage.output);
    const [judge] = provider.requests.filter(isJudge);
    expect(textOf(judge?.messages[0].content)).toContain('human: Count to ten');
    await run(threadId);
    expect(provider.requests.filter(isJudge)).toHaveLength(1);
  });

  it('the agent goes on by itself in the same run, told by a hidden message, until the goal is reached', async () => {
    const threadId = await withGoal();
    judgements = [notYet, notYet, satisfied];
    const frames = await run(threadId);
    expect(goalsIn(frames)).toMatchObject([{ continuation_count: 1 }, { continuation_count: 2 }, null]);
    const [made, ...others] = await ada.ok('GET', `/threads/${threadId}/runs`);
    expect(made).toMatchObject({ status: 'success' });
    expect(others).toEqual([]);
    const { messages } = (await ada.ok('GET', `/threads/${threadId}/state`)).values;
    expect(messages.map(({ type }: { type: string }) => type)).toEqual([
      'human',
      'ai',
      'human',
      'ai',
      'human',
      'ai',
    ]);
    expect(messages[2]).toMatchObject({
      content: expect.stringContaining('What is missing: Five is next.'),
      additional_kwargs: { hide_from_ui: true, deerflow_goal_continuation: true },
    });
    const { data } = await ada.ok('GET', `/threads/${threadId}/messages/page`);
    expect(data.map(({ event_type }: { event_type: string }) => event_type)).toEqual([
      'human_message',
      'ai_message',
      'ai_message',
      'ai_message',
    ]);
    expect(await goalOf(threadId)).toBeNull();
  });

  it('the agent goes on at most as often as the goal says', async () => {
    judgements = [notYet];
    const threadId = await withGoal({ max_continuations: 1 });
    const frames = await run(threadId);
    expect(goalsIn(frames)).toHaveLength(2);
    expect(await standDownOf(threadId)).toEqual({
      reason: 'max_continuations',
      blocker: 'goal_not_met_yet',
      count: 1,
    });
    const watched = await withGoal({ max_continuations: 0 });
    await run(watched);
    expect(await standDownOf(watched)).toMatchObject({ reason: 'max_continuations', count: 0 });
  });

  it('the agent stands down after two continuations without progress', async () => {
    judgements = [{ ...notYet, progress: false }];
    const threadId = await withGoal();
    await run(threadId);
    expect(await standDownOf(threadId)).toMatchObject({ reason: 'no_progress', count: 2 });
  });

  it.each(['needs_user_input', 'external_wait'])('the agent stands down for %s', async (blocker) => {
    judgements = [{ ...notYet, blocker }];
    const threadId = await withGoal();
    await run(threadId);
    expect(await standDownOf(threadId)).toEqual({ reason: blocker, blocker, count: 0 });
    judgements = [satisfied];
    await run(threadId);
    expect(await goalOf(threadId)).toBeNull();
  });

  it('a question of the agent and a failure stand it down, and no model is asked', async () => {
    const threadId = await withGoal();
    answers = [{ calls: [{ id: 'c', name: 'ask_clarification', args: { question: 'Up or down?' } }] }];
    await run(threadId);
    expect(await standDownOf(threadId)).toMatchObject({ reason: 'needs_user_input', count: 0 });
    await run(threadId, { interrupt_before: ['model_request'] });
    expect(await standDownOf(threadId)).toMatchObject({ reason: 'needs_user_input', count: 0 });
    const failing = await withGoal();
    answers = [{ status: 401 }];
    await run(failing);
    expect(await standDownOf(failing)).toMatchObject({ reason: 'run_failed', blocker: 'run_failed' });
    const [made] = await ada.ok('GET', `/threads/${failing}/runs`);
    expect(made).toMatchObject({ status: 'error' });
    expect(provider.requests.filter(isJudge)).toEqual([]);
  });

  it.each([{ text: 'I think so.' }, { status: 401 }])(
    'a model that does not judge stands it down: %j',
    async (reply) => {
      judgements = [reply];
      const threadId = await withGoal();
      await run(threadId);
      expect(await standDownOf(threadId)).toMatchObject({ reason: 'evaluation_failed', count: 0 });
      const [made] = await ada.ok('GET', `/threads/${threadId}/runs`);
      expect(made).toMatchObject({ status: 'success' });
    },
  );

  it('another run that waits has its turn', async () => {
    const threadId = await withGoal();
    const held = newDeferred<void>();
    judgements = [{ text: JSON.stringify(notYet), after: held.promise }, satisfied];
    const first = await ada.run(threadId, ask);
    await expect.poll(() => provider.requests.some(isJudge)).toBe(true);
    const second = await ada.run(threadId, { ...ask, multitask_strategy: 'enqueue' });
    held.resolve();
    await ada.ended(threadId, first.run_id);
    const events = await ada.ok('GET', `/threads/${threadId}/runs/${first.run_id}/events`);
    const [told] = events.filter(
      ({ event_type }: { event_type: string }) => event_type === 'middleware:goal',
    );
    expect(told.content).toMatchObject({
      action: 'stand_down',
      changes: { goal: { last_evaluation: { stand_down_reason: 'another_run_waits' } } },
    });
    expect((await ada.ended(threadId, second.run_id)).status).toBe('success');
    expect(await goalOf(threadId)).toBeNull();
  });
});

describe('while a run of the thread is in flight', () => {
  it('the goal stays as it is, and a stop in a continuation keeps what was said before', async () => {
    const threadId = await withGoal();
    judgements = [notYet];
    answers = [{ text: 'One' }, { text: 'Two', hangs: true }];
    const { run_id } = await ada.run(threadId, ask);
    await expect.poll(() => provider.requests.length).toBe(3);
    const refused = (what: string) => ({
      status: 409,
      body: { detail: `Thread has a run in flight. ${what} the goal after the run finishes.` },
    });
    expect(await putGoal(threadId)).toMatchObject(refused('Set'));
    expect(await ada.call('DELETE', `/threads/${threadId}/goal`)).toMatchObject(refused('Clear'));
    await ada.post(`/threads/${threadId}/runs/${run_id}/cancel?wait=1`);
    expect(await goalOf(threadId)).toMatchObject({ continuation_count: 1 });
    const { messages } = (await ada.ok('GET', `/threads/${threadId}/state`)).values;
    expect(messages.map(({ content }: { content: unknown }) => textOf(content))).toContain('One');
    expect(await ada.ok('DELETE', `/threads/${threadId}/goal`)).toEqual({ goal: null });
  });

  it('a stop while the goal is judged keeps the answer, and judges nothing', async () => {
    const threadId = await withGoal();
    judgements = [{ text: 'never', hangs: true }];
    answers = [{ text: 'One' }];
    const { run_id } = await ada.run(threadId, ask);
    await expect.poll(() => provider.requests.some(isJudge)).toBe(true);
    await ada.post(`/threads/${threadId}/runs/${run_id}/cancel?wait=1`);
    expect((await ada.ended(threadId, run_id)).status).toBe('interrupted');
    expect(await goalOf(threadId)).toMatchObject({ last_evaluation: null, continuation_count: 0 });
    const { messages } = (await ada.ok('GET', `/threads/${threadId}/state`)).values;
    expect(textOf(messages.at(-1).content)).toBe('One');
  });
});

it('a question is not edited while a goal is active', async () => {
  judgements = [{ ...notYet, blocker: 'needs_user_input' }];
  const threadId = await withGoal();
  const { messages } = await ada.wait(threadId, ask);
  const edited = await ada.post(`/threads/${threadId}/runs/edit-regenerate/prepare`, {
    human_message_id: messages[0].id,
    replacement_text: 'Count to five',
  });
  expect(edited).toMatchObject({ status: 409, body: { detail: 'Cannot edit while a goal is active' } });
});

it('a goal without a model to judge it stands down and says so', async () => {
  const demo = await startConversation();
  try {
    const threadId = await demo.ada.thread();
    await putGoal(threadId, {}, demo.ada);
    await demo.ada.wait(threadId, { assistant_id: 'lead_agent', input: says('hello') });
    const { goal } = await demo.ada.ok('GET', `/threads/${threadId}/goal`);
    expect(goal.last_evaluation).toMatchObject({ satisfied: false, stand_down_reason: 'no_model' });
  } finally {
    await demo.close();
  }
});

it('a goal is judged by the next process when the gateway stops meanwhile', async () => {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-goals-'));
  const config = { database: { backend: 'sqlite' as const }, agents: fixtureAgents, models: models(), title };
  let gateway = await startGateway({ home, config });
  try {
    const caller = await ConversationCaller.of(gateway.url, await gateway.register('ada@example.com'));
    const threadId = await caller.thread();
    await putGoal(threadId, {}, caller);
    judgements = [{ text: 'never', hangs: true }, notYet, satisfied];
    answers = [{ text: 'One' }, { text: 'Two' }];
    const { run_id } = await caller.run(threadId, ask);
    await expect.poll(() => provider.requests.some(isJudge)).toBe(true);
    await gateway.stop();
    gateway = await startGateway({ home, config });
    const later = caller.atReplica(gateway.url);
    expect((await later.ended(threadId, run_id)).status).toBe('success');
    expect((await later.ok('GET', `/threads/${threadId}/goal`)).goal).toBeNull();
    const { messages } = (await later.ok('GET', `/threads/${threadId}/state`)).values;
    const shown = messages.filter(({ type }: { type: string }) => type === 'ai');
    expect(shown.map(({ content }: { content: unknown }) => textOf(content))).toEqual(['One', 'Two']);
  } finally {
    await gateway.stop();
    rmSync(home, { recursive: true });
  }
});
