import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConversationCaller, says, threadIsMissing } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ada = server.ada;
});
afterAll(() => server.close());

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const timeOrderedId = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
);

describe('a run', () => {
  it('is answered when it is stored, continues by itself and ends with its totals', async () => {
    const threadId = await ada.thread();
    const { status, body, headers } = await ada.post(`/threads/${threadId}/runs`, {
      assistant_id: 'chat',
      input: says('hello'),
      metadata: { ticket: 7 },
    });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        run_id: timeOrderedId,
        thread_id: threadId,
        assistant_id: 'chat',
        graph_id: 'chat',
        status: 'pending',
        metadata: { ticket: 7 },
        multitask_strategy: 'enqueue',
        created_at: iso,
        updated_at: iso,
        ended_at: null,
      },
    });
    expect(headers.get('content-location')).toBe(`/api/threads/${threadId}/runs/${body.run_id}`);
    expect(await ada.ended(threadId, body.run_id)).toMatchObject({
      status: 'success',
      attempt: 1,
      model_name: 'scripted-1',
      message_count: 2,
      first_human_message: 'hello',
      last_ai_message: 'You said: hello',
      llm_call_count: 1,
      total_input_tokens: 1,
      total_output_tokens: 3,
      total_tokens: 4,
      lead_agent_tokens: 4,
      subagent_tokens: 0,
      middleware_tokens: 0,
      unknown_tokens: 0,
      token_usage_by_model: {
        'scripted-1': { tokens: 4, input_tokens: 1, output_tokens: 3, calls: 1 },
      },
      error: null,
      ended_at: iso,
    });
  });

  it('that a client waits for answers its final values and its id', async () => {
    const threadId = await ada.thread();
    const answer = await ada.post(`/threads/${threadId}/runs/wait`, {
      assistant_id: 'chat',
      input: says('hello'),
    });
    expect(answer.status).toBe(200);
    expect(answer.body.messages).toMatchObject([
      { type: 'human', content: 'hello', id: expect.any(String) },
      { type: 'ai', content: 'You said: hello', id: expect.any(String) },
    ]);
    const runId = answer.headers.get('x-run-id');
    expect(answer.headers.get('content-location')).toBe(`/api/threads/${threadId}/runs/${runId}`);
    expect(await ada.ok('GET', `/threads/${threadId}/runs/${runId}`)).toMatchObject({ status: 'success' });
    expect(await ada.ok('GET', `/threads/${threadId}/runs/${runId}/join`)).toEqual(answer.body);
  });

  it('that fails never looks like a success to a waiting client', async () => {
    const threadId = await ada.thread();
    const values = await ada.wait(threadId, { assistant_id: 'failing', input: says('go') });
    expect(values).toMatchObject({
      messages: [{ content: 'go' }, { content: 'So far so good.' }],
      __error__: { error: 'CustomError', message: 'Boo!' },
    });
    const [run] = await ada.ok('GET', `/threads/${threadId}/runs`);
    expect(run).toMatchObject({ status: 'error', error: 'Boo!' });
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'error', error: 'Boo!' });
    expect(await ada.ok('GET', `/threads/${threadId}/runs/${run.run_id}/join`)).toEqual(values);
  });

  it('continues from the state of the thread', async () => {
    const threadId = await ada.thread();
    await ada.wait(threadId, { assistant_id: 'chat', input: says('one') });
    const { messages } = await ada.wait(threadId, { assistant_id: 'chat', input: says('two') });
    expect(messages.map(({ content }: { content: string }) => content)).toEqual([
      'one',
      'You said: one',
      'two',
      'You said: two',
    ]);
  });

  it('without an assistant uses the lead agent, which gives the thread a title', async () => {
    const threadId = await ada.thread();
    const { messages, title } = await ada.wait(threadId, { input: says('what can you do?') });
    expect(messages.at(-1)).toMatchObject({ type: 'ai', content: expect.stringContaining('demo model') });
    expect(title).toEqual(expect.any(String));
    const found = await ada.ok('POST', '/threads/search', { ids: [threadId] });
    expect(found).toMatchObject([{ values: { title }, status: 'idle' }]);
    const [run] = await ada.ok('GET', `/threads/${threadId}/runs`);
    expect(run).toMatchObject({ graph_id: 'lead_agent', assistant_id: 'lead_agent' });
  });

  it('marks its thread, so that clients find it by its agent', async () => {
    const threadId = await ada.thread({ metadata: { topic: 'x' } });
    await ada.wait(threadId, { assistant_id: 'chat', input: says('hello') });
    const { metadata } = await ada.ok('GET', `/threads/${threadId}`);
    expect(metadata).toMatchObject({ topic: 'x', graph_id: 'chat', assistant_id: expect.any(String) });
    const { assistant_id } = metadata;
    const found = await ada.ok('POST', '/threads/search', { metadata: { graph_id: 'chat', assistant_id } });
    expect(found.map(({ thread_id }: { thread_id: string }) => thread_id)).toContain(threadId);
  });

  it('accepts an assistant by name or by id, and no other', async () => {
    const threadId = await ada.thread();
    const idOfAgent = 'fe096781-5601-53d2-b2f6-0d3403f7e9ca'; // the id of a graph named agent, as every server derives it
    const [chat] = await ada.ok('POST', '/assistants/search', { graph_id: 'chat' });
    expect(chat.assistant_id).not.toBe(idOfAgent);
    const { messages } = await ada.wait(threadId, { assistant_id: chat.assistant_id, input: says('hello') });
    expect(messages).toHaveLength(2);
    for (const unknown of ['nobody', idOfAgent]) {
      const answer = await ada.post(`/threads/${threadId}/runs`, { assistant_id: unknown, input: says('x') });
      expect(answer).toMatchObject({ status: 404, body: { detail: `Assistant ${unknown} not found` } });
    }
    expect(await ada.ok('GET', `/threads/${threadId}/runs`)).toHaveLength(1);
  });

  it('of an agent with a faulty file fails with the reason, and other agents work', async () => {
    const threadId = await ada.thread();
    const answer = await ada.post(`/threads/${threadId}/runs/wait`, {
      assistant_id: 'broken',
      input: says('x'),
    });
    expect(answer.text).toContain('broken.ts');
    expect(answer.text).not.toMatch(/\/packages\/server/);
  });
});

describe('the list of runs', () => {
  it('has the newest first, in pages, by status and by field', async () => {
    const threadId = await ada.thread();
    const ids: string[] = [];
    for (const assistant_id of ['chat', 'failing', 'chat']) {
      const { run_id } = await ada.run(threadId, { assistant_id, input: says('x') });
      await ada.ended(threadId, run_id);
      ids.unshift(run_id);
    }
    const idsOf = async (query: string) =>
      (await ada.ok('GET', `/threads/${threadId}/runs${query}`)).map(
        ({ run_id }: { run_id: string }) => run_id,
      );
    expect(await idsOf('')).toEqual(ids);
    expect(await idsOf('?limit=1&offset=1')).toEqual([ids[1]]);
    expect(await idsOf('?status=error')).toEqual([ids[1]]);
    expect(await idsOf('?status=running')).toEqual([]);
    expect(await ada.ok('GET', `/threads/${threadId}/runs?select=run_id&select=status&limit=1`)).toEqual([
      { run_id: ids[0], status: 'success' },
    ]);
    for (const query of ['?limit=0', '?limit=1001', '?offset=-1', '?status=asleep', '?select=secrets']) {
      expect((await ada.get(`/threads/${threadId}/runs${query}`)).status, query).toBe(422);
    }
  });
});

describe('a run on a thread without a record', () => {
  it('is refused on both mounts, unless it asks to create the thread', async () => {
    for (const caller of [ada, ada.at('/api/langgraph')]) {
      for (const end of ['', '/stream', '/wait']) {
        const threadId = `${caller === ada ? 'gone' : 'lost'}${end.replace('/', '-')}`;
        const path = `/threads/${threadId}/runs${end}`;
        for (const requested of [{}, { if_not_exists: 'reject' }, { if_not_exists: null }]) {
          const answer = await caller.post(path, { assistant_id: 'chat', input: says('x'), ...requested });
          expect(answer).toMatchObject({ status: 404, body: { detail: threadIsMissing(threadId) } });
        }
        const made = await caller.post(path, {
          assistant_id: 'chat',
          input: says('x'),
          if_not_exists: 'create',
          metadata: { from: 'run' },
        });
        expect(made.status, made.text).toBe(200);
        expect(await caller.ok('GET', `/threads/${threadId}`)).toMatchObject({ metadata: { from: 'run' } });
      }
    }
  });
});

describe('a delayed run', () => {
  it('is pending until its time and blocks neither others nor its own cancellation', async () => {
    const threadId = await ada.thread();
    const later = await ada.run(threadId, {
      assistant_id: 'chat',
      input: says('later'),
      after_seconds: 3600,
    });
    expect(later).toMatchObject({ status: 'pending', run_at: iso });
    expect(Date.parse(later.run_at) - Date.parse(later.created_at)).toBe(3_600_000);
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'busy' });
    const now = await ada.wait(threadId, { assistant_id: 'chat', input: says('now') });
    expect(now.messages.at(-1).content).toBe('You said: now');
    const update = await ada.post(`/threads/${threadId}/state`, { values: { messages: [] } });
    expect(update.status).toBe(409);
    expect((await ada.post(`/threads/${threadId}/runs/${later.run_id}/cancel?wait=1`)).status).toBe(204);
    expect(await ada.ok('GET', `/threads/${threadId}/runs/${later.run_id}`)).toMatchObject({
      status: 'interrupted',
      started_at: null,
    });
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'idle' });
  });

  it('begins by itself at its time', async () => {
    const threadId = await ada.thread();
    const values = await ada.wait(threadId, {
      assistant_id: 'chat',
      input: says('soon'),
      after_seconds: 0.05,
    });
    expect(values.messages.at(-1).content).toBe('You said: soon');
    const [run] = await ada.ok('GET', `/threads/${threadId}/runs`);
    expect(Date.parse(run.started_at)).toBeGreaterThanOrEqual(Date.parse(run.run_at));
  });
});

describe('the run that a run follows', () => {
  it('is the latest that succeeded, or the one that the request names in the same thread', async () => {
    const threadId = await ada.thread();
    const go = async (assistant_id: string, more: object = {}) =>
      ada.ended(threadId, (await ada.run(threadId, { assistant_id, input: says('x'), ...more })).run_id);
    const first = await go('chat');
    expect(first.follow_up_to_run_id).toBeNull();
    const failed = await go('failing');
    expect(failed).toMatchObject({ status: 'error', follow_up_to_run_id: first.run_id });
    const third = await go('chat');
    expect(third.follow_up_to_run_id).toBe(first.run_id);
    const named = await go('chat', { follow_up_to_run_id: failed.run_id });
    expect(named.follow_up_to_run_id).toBe(failed.run_id);
    const [event] = await ada.ok(
      'GET',
      `/threads/${threadId}/runs/${named.run_id}/events?event_types=human_message`,
    );
    expect(event.metadata).toMatchObject({ follow_up_to_run_id: failed.run_id });

    const elsewhere = await ada.thread();
    for (const follow_up_to_run_id of [first.run_id, 'nothing']) {
      const answer = await ada.post(`/threads/${elsewhere}/runs`, {
        assistant_id: 'chat',
        input: says('x'),
        follow_up_to_run_id,
      });
      expect(answer).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'follow_up_to_run_id'], type: 'value_error' }] },
      });
    }
    expect(await ada.ok('GET', `/threads/${elsewhere}/runs`)).toEqual([]);
  });
});

describe('a request for a run', () => {
  const refused: [string, object][] = [
    ['feedback_keys', { feedback_keys: ['a'] }],
    ['langsmith_tracer', { langsmith_tracer: { project_name: 'x' } }],
    ['multitask_strategy', { multitask_strategy: 'hope' }],
    ['on_disconnect', { on_disconnect: 'sulk' }],
    ['on_completion', { on_completion: 'party' }],
    ['if_not_exists', { if_not_exists: 'perhaps' }],
    ['durability', { durability: 'eternal' }],
    ['after_seconds', { after_seconds: -1 }],
    ['after_seconds', { after_seconds: 1e9 }],
    ['interrupt_before', { interrupt_before: 7 }],
    ['stream_mode', { stream_mode: 7 }],
    ['config', { config: { recursion_limit: 0 } }],
    ['config', { config: { recursion_limit: 5000 } }],
    ['config', { config: 'fast' }],
    ['metadata', { metadata: [] }],
    ['assistant_id', { assistant_id: '' }],
  ];
  it.each(refused)('with an unsupported option is refused by its name: %s', async (field, requested) => {
    const threadId = await ada.thread();
    const answer = await ada.post(`/threads/${threadId}/runs`, {
      assistant_id: 'chat',
      input: says('x'),
      ...requested,
    });
    expect(answer.status, answer.text).toBe(422);
    for (const { loc } of answer.body.detail) expect(loc.slice(0, 2)).toEqual(['body', field]);
    expect(await ada.ok('GET', `/threads/${threadId}/runs`)).toEqual([]);
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'idle' });
  });

  it('with null in every field counts as empty', async () => {
    const threadId = await ada.thread();
    const nothing = Object.fromEntries(
      [
        'command metadata config context checkpoint checkpoint_id interrupt_before interrupt_after stream_mode',
        'stream_subgraphs stream_resumable multitask_strategy on_disconnect on_completion if_not_exists',
        'after_seconds durability checkpoint_during webhook feedback_keys langsmith_tracer follow_up_to_run_id',
      ].flatMap((names) => names.split(' ').map((name) => [name, null])),
    );
    const values = await ada.wait(threadId, { assistant_id: 'chat', input: says('x'), ...nothing });
    expect(values.messages).toHaveLength(2);
  });

  it('with unknown fields is accepted, and the answer names them', async () => {
    const threadId = await ada.thread();
    const answer = await ada.post(`/threads/${threadId}/runs/wait`, {
      assistant_id: 'chat',
      input: says('x'),
      colour: 'blue',
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-ignored-fields')).toBe('colour');
  });

  it('keeps its limit of steps: a graph that needs more fails', async () => {
    const threadId = await ada.thread();
    const values = await ada.wait(threadId, {
      assistant_id: 'steps',
      input: { name: 'limited' },
      config: { recursion_limit: 2 },
    });
    expect(values.__error__).toMatchObject({ error: 'GraphRecursionError' });
    expect(values.steps).toEqual(['limited:first', 'limited:second']);
  });

  it.each(['sync', 'async', 'exit'])('keeps the durability %s', async (durability) => {
    const threadId = await ada.thread();
    await ada.wait(threadId, { assistant_id: 'steps', input: { name: 'kept' }, durability });
    const history = await ada.ok('POST', `/threads/${threadId}/history`, {});
    expect(history).toHaveLength(durability === 'exit' ? 1 : 5);
    expect(history[0].values.steps).toEqual(['kept:first', 'kept:second', 'kept:third']);
  });
});

describe('the information for an agent', () => {
  const told = async (threadId: string, body: object) => {
    const { messages } = await ada.wait(threadId, { assistant_id: 'remembering', ...body });
    return JSON.parse(messages.at(-1).content);
  };

  it('about thread, run and user is the truth, whatever the request says', async () => {
    const threadId = await ada.thread();
    const answer = await ada.post(`/threads/${threadId}/runs/wait`, {
      assistant_id: 'remembering',
      input: says('x'),
      config: {
        configurable: {
          run_id: 'mine',
          user_id: 'somebody',
          langgraph_auth_user_id: 'somebody',
          __secret: 1,
          tone: 'warm',
        },
      },
    });
    const said = JSON.parse(answer.body.messages.at(-1).content);
    expect(said).toMatchObject({
      thread_id: threadId,
      run_id: answer.headers.get('x-run-id'),
      user_id: ada.userId,
    });
    expect(said.others).toContain('tone');
    expect(said.others).not.toContain('__secret');
  });

  it('contains no request headers', async () => {
    const threadId = await ada.thread();
    const answer = await ada.call('POST', `/threads/${threadId}/runs/wait`, {
      body: { assistant_id: 'remembering', input: says('x') },
      headers: { 'x-user-id': 'somebody', 'x-tone': 'cold', 'x-csrf-token': 'secret' },
    });
    const said = JSON.parse(answer.body.messages.at(-1).content);
    expect(said.others.filter((key: string) => /^x-|tone|csrf/.test(key))).toEqual([]);
    const [state] = await ada.at('/api/langgraph').ok('POST', `/threads/${threadId}/history`, { limit: 1 });
    expect(JSON.stringify(state.metadata)).not.toContain('secret');
  });

  it('in its store is what the same user stored there', async () => {
    const threadId = await ada.thread();
    await told(threadId, { input: says('the first thing') });
    expect(await told(await ada.thread(), { input: says('x') })).toMatchObject({ before: 'the first thing' });
    const { items } = await ada.ok('POST', '/store/items/search', { namespace_prefix: ['notes'] });
    expect(items).toMatchObject([{ namespace: ['notes'], key: 'last', value: { text: 'x' } }]);
  });
});

describe('a run without a thread', () => {
  it('gets one, which is kept under /api and deleted under /api/langgraph, unless the request says otherwise', async () => {
    const threadOf = async (caller: ConversationCaller, requested: object) => {
      const answer = await caller.post('/runs/wait', {
        assistant_id: 'chat',
        input: says('x'),
        ...requested,
      });
      expect(answer.body.messages, answer.text).toHaveLength(2);
      const place = answer.headers.get('content-location') ?? '';
      const [, threadId] = /\/threads\/([^/]+)\//.exec(place) ?? [];
      expect(threadId, place).toBeDefined();
      return async () => (await caller.get(`/threads/${threadId}`)).status;
    };
    const langgraph = ada.at('/api/langgraph');
    const kept = [await threadOf(ada, {}), await threadOf(langgraph, { on_completion: 'keep' })];
    const gone = [await threadOf(ada, { on_completion: 'delete' }), await threadOf(langgraph, {})];
    // The answer does not wait until the thread is deleted.
    for (const status of gone) await expect.poll(status).toBe(404);
    for (const status of kept) expect(await status()).toBe(200);
  });

  it('may name a thread of the caller', async () => {
    const threadId = await ada.thread();
    const config = { configurable: { thread_id: threadId } };
    await ada.ok('POST', '/runs/wait', { assistant_id: 'chat', input: says('x'), config });
    expect(await ada.ok('GET', `/threads/${threadId}/runs`)).toHaveLength(1);
  });

  it('starts in batches', async () => {
    const runs = await ada.ok(
      'POST',
      '/runs/batch',
      ['a', 'b', 'c'].map((word) => ({ assistant_id: 'chat', input: says(word) })),
    );
    expect(runs).toHaveLength(3);
    expect(new Set(runs.map(({ thread_id }: { thread_id: string }) => thread_id)).size).toBe(3);
    for (const { thread_id, run_id } of runs) {
      expect(await ada.ended(thread_id, run_id)).toMatchObject({ status: 'success' });
    }
  });
});

describe('deleting a run', () => {
  it('removes its events and feedback too, once it has ended', async () => {
    const threadId = await ada.thread();
    const { run_id } = await ada.run(threadId, { assistant_id: 'chat', input: says('x') });
    await ada.ended(threadId, run_id);
    await ada.ok('PUT', `/threads/${threadId}/runs/${run_id}/feedback`, { rating: 1 });
    expect((await ada.call('DELETE', `/threads/${threadId}/runs/${run_id}`)).status).toBe(204);
    for (const path of [
      `/threads/${threadId}/runs/${run_id}`,
      `/threads/${threadId}/runs/${run_id}/join`,
      `/threads/${threadId}/runs/${run_id}/stream`,
      `/runs/${run_id}/messages`,
      `/runs/${run_id}/feedback`,
    ]) {
      expect(await ada.get(path), path).toMatchObject({
        status: 404,
        body: { detail: `Run ${run_id} not found` },
      });
    }
    expect(await ada.ok('GET', `/threads/${threadId}/messages`)).toEqual([]);
  });

  it('is refused at once while the run is at work', async () => {
    const threadId = await ada.thread();
    const { run_id } = await ada.run(threadId, {
      assistant_id: 'chat',
      input: says('x'),
      after_seconds: 600,
    });
    expect((await ada.call('DELETE', `/threads/${threadId}/runs/${run_id}`)).status).toBe(409);
  });
});
