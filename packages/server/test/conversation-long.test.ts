import {
  type FakeOpenAi,
  type FakeReply,
  type FakeRequest,
  startFakeOpenAi,
} from '@switchyard/dev-env/fake-openai';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

const turns = 60;
const trigger = 14;
const keep = 5;

/** Each kind of call costs a different amount, so that a sum tells which calls are in it. */
const usages = {
  lead: { input: 1_000, output: 1 },
  subagent: { input: 100_000, output: 10 },
  title: { input: 7, output: 3 },
  summarize: { input: 50_000_000, output: 70 },
};
type Kind = keyof typeof usages;

let provider: FakeOpenAi;
let server: ConversationGateway;
let ada: ConversationCaller;
let threadId: string;
/** The number of calls of each kind, by the model that was called. */
const asked: Record<Kind, number> = { lead: 0, subagent: 0, title: 0, summarize: 0 };
let maxRequestLength = 0;
const runIds: string[] = [];

beforeAll(async () => {
  provider = await startFakeOpenAi(answer);
  const keys = { base_url: provider.url, api_key: 'sk-1' };
  server = await startConversation({
    models: readModels({ main: { ...keys, model: 'gpt-main' }, cheap: { ...keys, model: 'gpt-cheap' } }),
    summarization: { model_name: 'cheap', trigger_messages: trigger, keep_messages: keep },
  });
  ada = server.ada;
  threadId = await ada.thread();
  for (let turn = 1; turn <= turns; turn += 1) {
    const run = await ada.run(threadId, { input: says(`Q${turn}`), context: { subagent_enabled: true } });
    runIds.push(run.run_id);
    await ada.ended(threadId, run.run_id);
  }
}, 300_000);
afterAll(async () => {
  await server?.close();
  await provider?.close();
});

describe('a long conversation', () => {
  it('stays whole and in order on display', async () => {
    const pages: StoredEvent[][] = [];
    for (let before: number | null = null; ; ) {
      const query: string = before === null ? '' : `&before_seq=${before}`;
      const page = await ada.ok('GET', `/threads/${threadId}/messages/page?limit=17${query}`);
      pages.unshift(page.data);
      before = page.next_before_seq;
      if (!page.has_more) break;
    }
    const shown = pages.flat();

    expect(shown.map(textOf)).toEqual(expectedTexts());
    expectAscending(shown);
    expect(new Set(shown.map(({ content }) => content.id)).size).toBe(shown.length);
  });

  it('is recorded run by run, each message once', async () => {
    const recorded: string[] = [];
    for (const runId of runIds) {
      const { data } = await ada.ok('GET', `/threads/${threadId}/runs/${runId}/messages?limit=200`);
      expectAscending(data);
      recorded.push(...data.map(textOf));
    }

    expect(recorded).toEqual(expectedTexts());
  });

  it('has a limited state, and requests to the model of limited size', async () => {
    const { values } = await ada.ok('GET', `/threads/${threadId}/state`);
    const { messages } = values;

    expect(messages.length).toBeLessThan(trigger);
    // Including the system prompt before them.
    expect(maxRequestLength).toBeLessThanOrEqual(trigger);
    expect(messages[0]).toMatchObject({ type: 'human', name: 'summary' });
    expect(messages.filter(({ name }: { name: string }) => name === 'summary')).toHaveLength(1);
    expect(messages.at(-1).content).toBe(`A${turns}`);
  });

  it('records two events for each summary, and replaces each message once', async () => {
    const short = await eventsOf('middleware:summarize');
    const long = await eventsOf('summarization');

    expect(asked.summarize).toBeGreaterThan(5);
    expect(short).toHaveLength(asked.summarize);
    expect(long).toHaveLength(asked.summarize);
    expect(short.map(({ category }) => category)).toEqual(short.map(() => 'middleware'));
    expect(long.map(({ category }) => category)).toEqual(long.map(() => 'middleware:summarize'));
    const content = { role: 'system', content: expect.stringContaining('So far they counted.') };
    for (const [index, { content: told, metadata }] of short.entries()) {
      expect(told).toEqual(content);
      expect(long[index]?.content).toEqual(told);
      expect(long[index]?.metadata.replaced_count).toBe(metadata.replaced_count);
    }
    const replaced = long.flatMap(({ metadata }) => metadata.replaced_message_ids as string[]);
    expect(new Set(replaced).size).toBe(replaced.length);
    const { values } = await ada.ok('GET', `/threads/${threadId}/state`);
    const present = values.messages.map(({ id }: { id: string }) => id);
    expect(replaced.filter((id) => present.includes(id))).toEqual([]);
    // Everything that was ever said is either still there or was replaced.
    const shown: StoredEvent[] = await ada.ok('GET', `/threads/${threadId}/messages?limit=200`);
    const known = new Set([...replaced, ...present]);
    expect(shown.filter(({ content: { id } }) => !known.has(String(id)))).toEqual([]);
  });

  it('has its tokens counted by caller and by model', async () => {
    const usage = await ada.ok('GET', `/threads/${threadId}/token-usage`);
    const total = (kind: Kind): number => asked[kind] * (usages[kind].input + usages[kind].output);
    const middleware = total('title') + total('summarize');

    expect(asked).toMatchObject({ lead: turns + turns / 5, subagent: turns / 5, title: 1 });
    expect(usage).toMatchObject({
      total_runs: turns,
      total_tokens: total('lead') + total('subagent') + middleware,
      by_caller: { lead_agent: total('lead'), subagent: total('subagent'), middleware, unknown: 0 },
      by_model: {
        main: { tokens: total('lead') + total('subagent') + total('title'), runs: turns },
        cheap: { tokens: total('summarize') },
      },
    });
    const kinds = new Map<string, number>();
    for (const { metadata } of await eventsOf('llm_response')) {
      const caller = String(metadata.caller);
      kinds.set(caller, (kinds.get(caller) ?? 0) + 1);
    }
    expect(Object.fromEntries(kinds)).toEqual({
      lead_agent: asked.lead,
      'subagent:general-purpose': asked.subagent,
      'middleware:title': asked.title,
      'middleware:summarize': asked.summarize,
    });
  });

  it('has its first question in its title, and the newest answer in the record of its last run', async () => {
    const runs = await ada.ok('GET', `/threads/${threadId}/runs?limit=1`);
    const { values } = await ada.ok('GET', `/threads/${threadId}`);

    expect(values.title).toBe('They count');
    expect(runs[0]).toMatchObject({ run_id: runIds.at(-1), status: 'success' });
    expect(await eventsOf('middleware:title')).toHaveLength(1);
  });
});

interface StoredEvent {
  seq: number;
  event_type: string;
  category: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever is on the wire
  content: any;
  metadata: Record<string, unknown>;
}

/** Each turn has a question and an answer; every tenth looks at the pool, and five turns later two sub-agents are asked. */
function expectedTexts(): string[] {
  return Array.from({ length: turns }, (_, index) => index + 1).flatMap((turn) => [
    `Q${turn}`,
    ...callsOf(turn)
      .map(({ name }) => `calls ${name}`)
      .slice(0, 1),
    ...callsOf(turn).map(({ name }) => `result of ${name}`),
    `A${turn}`,
  ]);
}

function callsOf(turn: number): NonNullable<FakeReply['calls']> {
  if (turn % 10 === 0) return [{ id: `look_${turn}`, name: 'list_instances', args: {} }];
  if (turn % 10 !== 5) return [];
  const args = { description: 'Count', prompt: `Count for ${turn}`, subagent_type: 'general-purpose' };
  return ['a', 'b'].map((part) => ({ id: `task_${turn}_${part}`, name: 'task', args }));
}

function textOf({ content }: StoredEvent): string {
  if (content.type === 'tool') return `result of ${content.name}`;
  return content.tool_calls?.length > 0 ? `calls ${content.tool_calls[0].name}` : content.content;
}

function expectAscending(events: StoredEvent[]): void {
  const order = events.map(({ seq }) => seq);
  expect(order).toEqual([...new Set(order)].sort((one, other) => one - other));
}

async function eventsOf(type: string): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  for (const runId of runIds) {
    all.push(...(await ada.ok('GET', `/threads/${threadId}/runs/${runId}/events?event_types=${type}`)));
  }
  return all;
}

function answer(request: FakeRequest): FakeReply {
  const kind = kindOf(request);
  asked[kind] += 1;
  const usage = usages[kind];
  switch (kind) {
    case 'title':
      return { text: 'They count', usage };
    case 'summarize':
      return { text: 'So far they counted.', usage };
    case 'subagent':
      return { text: 'Counted.', usage };
    case 'lead':
      maxRequestLength = Math.max(maxRequestLength, request.messages.length);
      return { ...leadAnswer(request), usage };
  }
}

function leadAnswer({ messages }: FakeRequest): FakeReply {
  const question = messages.findLast(({ role, content }) => role === 'user' && /^Q\d+$/.test(content));
  const turn = Number(String(question?.content).slice(1));
  const calls = callsOf(turn);
  return calls.length > 0 && messages.at(-1)?.role === 'user' ? { calls } : { text: `A${turn}` };
}

function kindOf({ messages }: FakeRequest): Kind {
  const first = JSON.stringify(messages[0]?.content);
  if (first.includes('Write a title')) return 'title';
  if (first.includes('Summarise this conversation')) return 'summarize';
  return first.includes('You are a sub-agent') ? 'subagent' : 'lead';
}
