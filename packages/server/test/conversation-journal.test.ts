import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

interface Event {
  event_type: string;
  category: string;
  seq: number;
  run_id: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever is on the wire
  content: any;
  // biome-ignore lint/suspicious/noExplicitAny: whatever is on the wire
  metadata: any;
}

let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ada = server.ada;
});
afterAll(() => server.close());

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

async function finished(threadId: string, body: object): Promise<string> {
  const { run_id } = await ada.run(threadId, { assistant_id: 'chat', ...body });
  await ada.ended(threadId, run_id);
  return run_id;
}

const eventsOf = (threadId: string, runId: string, query = ''): Promise<Event[]> =>
  ada.ok('GET', `/threads/${threadId}/runs/${runId}/events${query}`);
const types = (events: Event[]) => events.map(({ event_type }) => event_type);
const seqs = (events: Event[]) => events.map(({ seq }) => seq);

describe('the stored record of a run', () => {
  it('contains everything that happened, in order, and the messages unchanged', async () => {
    const threadId = await ada.thread();
    const runId = await finished(threadId, { input: says('look up cats') });
    const events = await eventsOf(threadId, runId);
    expect(types(events)).toEqual([
      'human_message',
      'run_start',
      'llm_request',
      'llm_response',
      'ai_tool_call',
      'tool_start',
      'tool_end',
      'tool_result',
      'llm_request',
      'llm_response',
      'ai_message',
      'run_end',
    ]);
    expect(seqs(events)).toEqual(seqs(events).toSorted((a, b) => a - b));
    expect(events.filter(({ category }) => category === 'message')).toMatchObject([
      {
        thread_id: threadId,
        run_id: runId,
        user_id: ada.userId,
        content: { type: 'human', content: 'look up cats' },
        created_at: iso,
      },
      {
        content: { type: 'ai', tool_calls: [{ name: 'look_up', args: { topic: 'cats' } }] },
        metadata: { finish_reason: 'tool_calls', model_name: 'scripted-1', content_is_dict: true },
      },
      {
        content: { type: 'tool', tool_call_id: 'call_look_up', name: 'look_up', content: 'all about cats' },
        metadata: { tool_name: 'look_up', status: 'success' },
      },
      {
        content: { type: 'ai', content: 'Found: all about cats', tool_calls: [] },
        metadata: { finish_reason: 'stop', model_name: 'scripted-1' },
      },
    ]);
    const traces = events.filter(({ event_type }) => event_type.startsWith('llm_'));
    expect(traces.map(({ metadata }) => [metadata.llm_call_index, metadata.caller])).toEqual([
      [1, 'lead_agent'],
      [1, 'lead_agent'],
      [2, 'lead_agent'],
      [2, 'lead_agent'],
    ]);
    expect(
      events.filter(({ category }) => category === 'lifecycle').map(({ event_type }) => event_type),
    ).toEqual(['run_start', 'run_end']);
    expect(await eventsOf(threadId, runId, '?event_types=tool_result,run_end')).toEqual(
      events.filter(({ event_type }) => ['tool_result', 'run_end'].includes(event_type)),
    );
    expect(await eventsOf(threadId, runId, `?limit=3&after_seq=${events[2]?.seq}`)).toEqual(
      events.slice(3, 6),
    );
  });

  it('has the messages under the ids that they have in the state', async () => {
    const threadId = await ada.thread();
    await finished(threadId, { input: says('look up dogs') });
    const { values } = await ada.ok('GET', `/threads/${threadId}/state`);
    const stored: Event[] = await ada.ok('GET', `/threads/${threadId}/messages`);
    expect(stored.map(({ content }) => content.id)).toEqual(
      values.messages.map(({ id }: { id: string }) => id),
    );
  });

  it('contains the reason of a failure', async () => {
    const threadId = await ada.thread();
    const runId = await finished(threadId, { assistant_id: 'failing', input: says('x') });
    expect((await eventsOf(threadId, runId)).at(-1)).toMatchObject({
      event_type: 'run_error',
      category: 'lifecycle',
      content: 'Boo!',
      metadata: { error_type: 'CustomError' },
    });
  });

  it('is cut, by bytes and with a note, when it is a long trace; messages stay whole', async () => {
    const threadId = await ada.thread();
    const long = 'ü'.repeat(12_000);
    const runId = await finished(threadId, { input: says(long) });
    const events = await eventsOf(threadId, runId);
    const request = events.find(({ event_type }) => event_type === 'llm_request');
    expect(request?.metadata).toMatchObject({
      content_truncated: true,
      original_byte_length: expect.any(Number),
    });
    expect(Buffer.byteLength(request?.content)).toBeLessThanOrEqual(10_240);
    expect(request?.content).not.toContain('\ufffd');
    expect(events[0]?.content.content).toBe(long);
  });
});

describe('pages of messages', () => {
  let threadId: string;
  let runIds: string[];
  let all: Event[];
  beforeAll(async () => {
    threadId = await ada.thread();
    runIds = [];
    for (const word of ['a', 'b', 'c', 'd', 'e']) {
      runIds.push(await finished(threadId, { input: says(`look up ${word}`) }));
    }
    all = await ada.ok('GET', `/threads/${threadId}/messages?limit=200`);
  });

  it('go forwards with no gaps and no duplicates', async () => {
    expect(all).toHaveLength(20);
    const seen: Event[] = [];
    for (let after = 1; ; ) {
      const query = seen.length === 0 ? 'after_seq=1' : `after_seq=${after}`;
      const page: Event[] = await ada.ok('GET', `/threads/${threadId}/messages?limit=3&${query}`);
      if (page.length === 0) break;
      seen.push(...page);
      after = page.at(-1)?.seq ?? 0;
    }
    expect(seen).toEqual(all.filter(({ seq }) => seq > 1));
  });

  it('go backwards with no gaps and no duplicates', async () => {
    const seen: Event[] = [];
    for (let query = ''; ; ) {
      const page: Event[] = await ada.ok('GET', `/threads/${threadId}/messages?limit=3${query}`);
      if (page.length === 0) break;
      seen.unshift(...page);
      query = `&before_seq=${page[0]?.seq}`;
    }
    expect(seen).toEqual(all);
  });

  it('of one run say whether there are more, at both addresses', async () => {
    const runId = runIds[2];
    const own = all.filter(({ run_id }) => run_id === runId).map(({ seq }) => seq);
    for (const path of [`/threads/${threadId}/runs/${runId}/messages`, `/runs/${runId}/messages`]) {
      const read = async (query: string) => {
        const { data, has_more } = await ada.ok('GET', path + query);
        return { seqs: seqs(data), has_more };
      };
      expect(await read('')).toEqual({ seqs: own, has_more: false });
      expect(await read('?limit=3')).toEqual({ seqs: own.slice(1), has_more: true });
      expect(await read(`?limit=3&before_seq=${own[2]}`)).toEqual({ seqs: own.slice(0, 2), has_more: false });
      expect(await read(`?limit=2&after_seq=${own[0]}`)).toEqual({ seqs: own.slice(1, 3), has_more: true });
      expect(await read(`?limit=2&after_seq=${own[1]}`)).toEqual({ seqs: own.slice(2), has_more: false });
    }
  });

  it('for display go backwards, each from where the previous one began', async () => {
    const seen: Event[] = [];
    let next: number | null = null;
    do {
      const query: string = next === null ? '' : `&before_seq=${next}`;
      const page = await ada.ok('GET', `/threads/${threadId}/messages/page?limit=6${query}`);
      expect(page.next_before_seq).toBe(page.has_more ? page.data[0].seq : null);
      seen.unshift(...page.data);
      next = page.next_before_seq;
    } while (next !== null);
    expect(seqs(seen)).toEqual(seqs(all));
  });

  it('refuse limits and cursors outside of their range', async () => {
    const run = `/threads/${threadId}/runs/${runIds[0]}`;
    const wrong = [
      `/threads/${threadId}/messages?limit=0`,
      `/threads/${threadId}/messages?limit=201`,
      `/threads/${threadId}/messages?before_seq=0`,
      `/threads/${threadId}/messages?after_seq=x`,
      `/threads/${threadId}/messages/page?after_seq=3`,
      `${run}/messages?limit=201`,
      `${run}/events?limit=2001`,
      `/runs/${runIds[0]}/messages?after_seq=-1`,
    ];
    for (const path of wrong) {
      const { status, body } = await ada.get(path);
      expect({ path, status, loc: body.detail[0].loc[0] }).toEqual({ path, status: 422, loc: 'query' });
    }
  });
});

describe('a regenerated answer', () => {
  it('is shown in the place of the old one, and everything stays stored', async () => {
    const threadId = await ada.thread();
    const first = await finished(threadId, { input: says('hello') });
    const shown = async () =>
      (await ada.ok('GET', `/threads/${threadId}/messages/page`)).data.map(({ run_id }: Event) => run_id);
    expect(await shown()).toEqual([first, first]);
    const again = { regenerate_from_run_id: first };
    const failed = await finished(threadId, {
      assistant_id: 'failing',
      input: says('hello'),
      metadata: again,
    });
    expect(await shown()).toContain(first);
    const second = await finished(threadId, { input: says('hello'), metadata: again });
    expect(await shown()).not.toContain(first);
    expect((await shown()).filter((id: string) => id === second)).toHaveLength(2);
    const stored = (await ada.ok('GET', `/threads/${threadId}/messages`)).map(({ run_id }: Event) => run_id);
    expect(new Set(stored)).toEqual(new Set([first, failed, second]));
  });
});

describe('tokens of a thread', () => {
  it('are those of its runs, by model and by caller', async () => {
    const threadId = await ada.thread();
    expect(await ada.ok('GET', `/threads/${threadId}/token-usage`)).toEqual({
      thread_id: threadId,
      total_tokens: 0,
      total_input_tokens: 0,
      total_output_tokens: 0,
      total_runs: 0,
      by_model: {},
      by_caller: { lead_agent: 0, subagent: 0, middleware: 0, unknown: 0 },
      context_usage: null,
    });
    await finished(threadId, { input: says('hello') }); // 1 in, 3 out
    await finished(threadId, { input: says('hello') }); // 3 in, 3 out
    await finished(threadId, { assistant_id: 'failing', input: says('x') });
    expect(await ada.ok('GET', `/threads/${threadId}/token-usage`)).toEqual({
      thread_id: threadId,
      total_tokens: 10,
      total_input_tokens: 4,
      total_output_tokens: 6,
      total_runs: 3,
      by_model: { 'scripted-1': { tokens: 10, runs: 2 } },
      by_caller: { lead_agent: 10, subagent: 0, middleware: 0, unknown: 0 },
      context_usage: { token_count: expect.any(Number), max_context_tokens: null, percentage: null },
    });
  });

  it('are not counted when that is switched off, but messages are', async () => {
    const quiet = await startConversation({ run_events: { track_tokens: false } });
    try {
      const threadId = await quiet.ada.thread();
      await quiet.ada.wait(threadId, { assistant_id: 'chat', input: says('hello') });
      const [run] = await quiet.ada.ok('GET', `/threads/${threadId}/runs`);
      expect(run).toMatchObject({ total_tokens: 0, llm_call_count: 0, message_count: 2 });
    } finally {
      await quiet.close();
    }
  });

  it('of the demo model are simulated, and the title has its own event', async () => {
    const threadId = await ada.thread();
    const runId = await finished(threadId, { assistant_id: 'lead_agent', input: says('hello') });
    const events = await eventsOf(threadId, runId);
    const title = events.find(({ event_type }) => event_type === 'middleware:title');
    expect(title).toMatchObject({
      category: 'middleware',
      content: { changes: { title: expect.any(String) } },
    });
    expect(events.filter(({ event_type }) => event_type === 'ai_message')).toHaveLength(1);
    expect(await ada.ok('GET', `/threads/${threadId}/runs/${runId}`)).toMatchObject({ message_count: 2 });
  });
});

describe('feedback', () => {
  it('exists once for each run and user, and new feedback replaces the old', async () => {
    const threadId = await ada.thread();
    const runId = await finished(threadId, { input: says('x') });
    const path = `/threads/${threadId}/runs/${runId}/feedback`;
    expect(await ada.ok('GET', path)).toEqual([]);
    expect(await ada.ok('GET', `${path}/stats`)).toEqual({
      run_id: runId,
      total: 0,
      positive: 0,
      negative: 0,
      rating_sum: 0,
    });
    const first = await ada.ok('PUT', path, { rating: 1, comment: 'good', message_id: 'm1' });
    expect(first).toEqual({
      feedback_id: expect.any(String),
      thread_id: threadId,
      run_id: runId,
      user_id: ada.userId,
      message_id: 'm1',
      rating: 1,
      comment: 'good',
      created_at: iso,
    });
    const second = await ada.ok('POST', path, { rating: -1 });
    expect(second).toMatchObject({
      feedback_id: first.feedback_id,
      rating: -1,
      comment: null,
      message_id: null,
    });
    expect(await ada.ok('GET', path)).toEqual([second]);
    expect(await ada.ok('GET', `/runs/${runId}/feedback`)).toEqual([second]);
    expect(await ada.ok('GET', `${path}/stats`)).toMatchObject({
      total: 1,
      positive: 0,
      negative: 1,
      rating_sum: -1,
    });
    const shown = await ada.ok('GET', `/threads/${threadId}/messages`);
    expect(shown.map(({ feedback }: { feedback: unknown }) => feedback)).toEqual([
      null,
      { feedback_id: first.feedback_id, rating: -1, comment: null },
    ]);
    expect((await ada.call('DELETE', `${path}/nothing`)).body).toEqual({
      detail: 'Feedback nothing not found',
    });
    expect(await ada.ok('DELETE', `${path}/${first.feedback_id}`)).toEqual({ success: true });
    expect(await ada.call('DELETE', path)).toMatchObject({
      status: 404,
      body: { detail: 'No feedback found for this run' },
    });
  });

  it('is up or down and nothing else', async () => {
    const threadId = await ada.thread();
    const runId = await finished(threadId, { input: says('x') });
    const path = `/threads/${threadId}/runs/${runId}/feedback`;
    for (const rating of [0, 2, -5]) {
      expect(await ada.call('PUT', path, { body: { rating } })).toMatchObject({
        status: 400,
        body: { detail: 'rating must be +1 or -1' },
      });
    }
    for (const body of [{}, { rating: 'good' }, { rating: 1.5 }, { rating: 1, comment: 7 }]) {
      expect((await ada.call('PUT', path, { body })).status).toBe(422);
    }
    for (const method of ['PUT', 'POST', 'DELETE', 'GET']) {
      const body = method === 'PUT' || method === 'POST' ? { body: { rating: 1 } } : {};
      const answer = await ada.call(method, `/threads/${threadId}/runs/nothing/feedback`, body);
      expect(answer, method).toMatchObject({ status: 404, body: { detail: 'Run nothing not found' } });
    }
  });

  it('is not available without a database, but everything else is', async () => {
    const forgetful = await startConversation({ database: { backend: 'memory' } });
    try {
      const { ada: caller } = forgetful;
      const threadId = await caller.thread();
      await caller.wait(threadId, { assistant_id: 'chat', input: says('x') });
      const [{ run_id }] = await caller.ok('GET', `/threads/${threadId}/runs`);
      for (const [method, path] of [
        ['GET', `/runs/${run_id}/feedback`],
        ['GET', `/threads/${threadId}/runs/${run_id}/feedback`],
        ['GET', `/threads/${threadId}/runs/${run_id}/feedback/stats`],
        ['PUT', `/threads/${threadId}/runs/${run_id}/feedback`],
        ['POST', `/threads/${threadId}/runs/${run_id}/feedback`],
        ['DELETE', `/threads/${threadId}/runs/${run_id}/feedback`],
      ] as const) {
        const answer = await caller.call(method, path, {
          ...((method === 'PUT' || method === 'POST') && { body: { rating: 1 } }),
        });
        expect(answer, `${method} ${path}`).toMatchObject({
          status: 503,
          body: { detail: 'Feedback not available' },
        });
      }
      expect(await caller.ok('GET', `/threads/${threadId}/messages`)).toHaveLength(2);
    } finally {
      await forgetful.close();
    }
  });
});
