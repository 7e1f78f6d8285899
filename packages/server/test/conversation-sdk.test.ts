import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server } from 'node:net';
import { Client } from '@langchain/langgraph-sdk';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

/** The client of LangGraph's own SDK, unmodified, with every method that has a meaning here. */

let server: ConversationGateway;
let session: HttpSession;
beforeAll(async () => {
  server = await startConversation();
  session = await server.gateway.register('browser@example.com');
});
afterAll(() => server.close());

type ClientConfig = NonNullable<ConstructorParameters<typeof Client>[0]>;

const callerOptions = { maxRetries: 0 };
const says = (content: string) => ({ messages: [{ role: 'user', content }] });

const credentials: [string, string, () => ClientConfig][] = [
  ['an access token', '/api/langgraph', () => ({ apiKey: server.ada.token })],
  [
    'a cookie and a CSRF header for each request',
    '/api/langgraph',
    () => ({
      apiKey: null,
      onRequest: (_, init) => ({ ...init, headers: { ...init.headers, ...browserHeaders() } }),
    }),
  ],
  [
    'a cookie and a CSRF header from the start',
    '/api',
    () => ({ apiKey: null, defaultHeaders: browserHeaders() }),
  ],
];

function browserHeaders(): Record<string, string> {
  const { cookieHeader } = session;
  return { cookie: cookieHeader, 'x-csrf-token': /csrf_token=([^;]+)/.exec(cookieHeader)?.[1] ?? '' };
}

/** The data of a stream, by event. */
async function read(stream: AsyncIterable<{ event: string; data: unknown; id?: string }>) {
  const frames = [];
  for await (const frame of stream) frames.push(frame);
  return { frames, events: [...new Set(frames.map(({ event }) => event))].sort() };
}

// biome-ignore lint/suspicious/noExplicitAny: the values of a graph, which the SDK leaves open
const open = (values: unknown) => values as any;

describe.each(credentials)('the SDK with %s at %s', (_, mount, credential) => {
  let client: Client;
  const makeClient = (config: ClientConfig = {}) =>
    new Client({ apiUrl: server.gateway.url + mount, callerOptions, ...credential(), ...config });
  beforeAll(() => {
    client = makeClient();
  });
  const isPlatform = mount === '/api/langgraph';

  it('finds the assistants of the graphs', async () => {
    const [chat] = await client.assistants.search({ graphId: 'chat' });
    if (!chat) throw new Error('There is no assistant of the graph.');
    expect(chat).toMatchObject({
      graph_id: 'chat',
      name: 'chat',
      version: 1,
      metadata: { created_by: 'system' },
    });
    expect(await client.assistants.get(chat.assistant_id)).toEqual(chat);
    expect(await client.assistants.get('chat')).toEqual(chat);
    const page = await client.assistants.search({
      limit: 2,
      sortBy: 'name',
      sortOrder: 'asc',
      includePagination: true,
    });
    expect(page.assistants).toHaveLength(2);
    expect(page.next).toBe('2');
    expect(await client.assistants.search({ graphId: 'chat', select: ['name'] })).toEqual([{ name: 'chat' }]);
    expect(await client.assistants.count({ graphId: 'chat' })).toBe(1);
    expect(await client.assistants.search({ graphId: 'nothing' })).toEqual([]);
    await expect(client.assistants.get('nothing')).rejects.toThrow('HTTP 404');
  });

  it('reads the structure of a graph', async () => {
    const schemas = await client.assistants.getSchemas('approval');
    expect(schemas).toMatchObject({ graph_id: 'approval' });
    for (const name of ['input_schema', 'output_schema', 'state_schema', 'config_schema', 'context_schema']) {
      expect(schemas).toHaveProperty(name);
    }
    const { nodes, edges } = await client.assistants.getGraph('approval');
    expect(nodes.map(({ id }) => id)).toEqual(['__start__', 'prepare', 'approve', 'finish', '__end__']);
    expect(edges).toContainEqual(expect.objectContaining({ source: 'prepare', target: 'approve' }));
    const whole = await client.assistants.getGraph('nested', { xray: true });
    expect(whole.nodes.map(({ id }) => String(id)).some((id) => id.includes('inner_model'))).toBe(true);
    const all = await client.assistants.getSubgraphs('nested');
    expect(Object.keys(all)).toEqual(['inner']);
    expect(await client.assistants.getSubgraphs('nested', { namespace: 'inner', recurse: true })).toEqual(
      all,
    );
    expect(await client.assistants.getSubgraphs('chat')).toEqual({});
  });

  it('creates, changes and deletes an assistant, and returns to a version', async () => {
    const made = await client.assistants.create({
      graphId: 'chat',
      name: 'Counter',
      description: 'Counts.',
      metadata: { team: 'a' },
      config: { recursion_limit: 9 },
    });
    expect(made).toMatchObject({ graph_id: 'chat', name: 'Counter', version: 1, metadata: { team: 'a' } });
    const { assistant_id: id } = made;
    await expect(client.assistants.create({ graphId: 'chat', assistantId: id })).rejects.toThrow('HTTP 409');
    expect(
      await client.assistants.create({ graphId: 'chat', assistantId: id, ifExists: 'do_nothing' }),
    ).toEqual(made);
    const changed = await client.assistants.update(id, { name: 'Teller', metadata: { more: 1 } });
    expect(changed).toMatchObject({ name: 'Teller', version: 2, metadata: { team: 'a', more: 1 } });
    expect((await client.assistants.getVersions(id)).map(({ version }) => version)).toEqual([2, 1]);
    expect(await client.assistants.setLatest(id, 1)).toMatchObject({ name: 'Counter', version: 1 });
    const { thread_id } = await client.threads.create();
    const values = open(await client.runs.wait(thread_id, id, { input: says('hello') }));
    expect(values.messages.at(-1).content).toBe('You said: hello');
    expect((await client.runs.list(thread_id))[0]?.assistant_id).toBe(id);
    await client.assistants.delete(id);
    await expect(client.assistants.get(id)).rejects.toThrow('HTTP 404');
    await expect(client.assistants.delete('chat')).rejects.toThrow(/HTTP 4/);
  });

  it('creates, finds, changes, copies, counts and deletes threads', async () => {
    const mark = `threads of ${mount} ${Math.random()}`;
    const thread = await client.threads.create({ metadata: { mark }, graphId: 'chat' });
    expect(thread).toMatchObject({ status: 'idle', metadata: { mark, graph_id: 'chat' }, values: {} });
    const { thread_id: id } = thread;
    const again = { threadId: id };
    expect(await client.threads.create({ ...again, ifExists: 'do_nothing' })).toEqual(thread);
    await expect(client.threads.create({ ...again, ifExists: 'raise' })).rejects.toThrow('HTTP 409');
    if (isPlatform) await expect(client.threads.create(again)).rejects.toThrow('HTTP 409');
    else expect(await client.threads.create(again)).toEqual(thread);

    expect(await client.threads.get(id)).toEqual(thread);
    expect(await client.threads.update(id, { metadata: { seen: true } })).toMatchObject({
      metadata: { mark, seen: true },
    });
    await client.threads.update(id, { metadata: { seen: 2 }, returnMinimal: true });
    const copy = await client.threads.copy(id);
    expect(copy).toMatchObject({ metadata: { mark, seen: 2, thread_id: copy.thread_id } });
    const found = await client.threads.search({ metadata: { mark }, sortBy: 'created_at', sortOrder: 'asc' });
    expect(found.map(({ thread_id }) => thread_id)).toEqual([id, copy.thread_id]);
    expect(await client.threads.search({ ids: [id], select: ['thread_id'] })).toEqual([{ thread_id: id }]);
    expect(await client.threads.count({ metadata: { mark } })).toBe(2);
    expect(await client.threads.prune([copy.thread_id])).toEqual({ pruned_count: 1 });
    expect(await client.threads.count({ metadata: { mark } })).toBe(1);
    await client.threads.delete(id);
    await expect(client.threads.get(id)).rejects.toThrow('HTTP 404');
    await expect(client.threads.delete(id)).rejects.toThrow('HTTP 404');
  });

  it('reads, changes and lists states', async () => {
    const { thread_id: id } = await client.threads.create();
    expect(await client.threads.getState(id)).toMatchObject({
      values: {},
      next: [],
      tasks: [],
      checkpoint: null,
    });
    await client.runs.wait(id, 'approval', { input: { plan: 'tour' } });
    const state = await client.threads.getState<{ log: string[] }>(id, undefined, { subgraphs: true });
    expect(state).toMatchObject({ values: { log: ['prepared tour'] }, next: ['approve'] });
    expect(await client.threads.getState(id, state.checkpoint)).toMatchObject({ values: state.values });
    const checkpointId = state.checkpoint.checkpoint_id ?? '';
    expect(await client.threads.getState(id, checkpointId)).toMatchObject({ values: state.values });
    const update = await client.threads.updateState(id, { values: { log: ['by hand'] }, asNode: 'approve' });
    expect(update).toMatchObject({ checkpoint: { thread_id: id, checkpoint_ns: '' } });
    const history = await client.threads.getHistory<{ log?: string[] }>(id, { limit: 100 });
    expect(history.map(({ values }) => values.log?.length ?? 0)).toEqual([2, 1, 0, 0]);
    // At /api a history has ids in place of checkpoints.
    const { checkpoint_id } = history[1] as unknown as { checkpoint_id: string };
    const checkpoint = { thread_id: id, checkpoint_id, checkpoint_ns: '', checkpoint_map: null };
    const older = await client.threads.getHistory(id, {
      before: { configurable: checkpoint } as never,
      limit: 1,
    });
    expect(older).toEqual([history[2]]);
    const fork = await client.threads.updateState(id, {
      values: { log: ['a fork'] },
      asNode: 'approve',
      checkpoint,
    });
    expect(open(fork).checkpoint.checkpoint_id).not.toBe(open(update).checkpoint.checkpoint_id);
    const end = open(await client.runs.wait(id, 'approval', { input: null }));
    expect(end.log).toEqual(['prepared tour', 'a fork', 'finished tour']);
  });

  const modes: [string, string[]][] = [
    ['values', ['metadata', 'values']],
    ['updates', ['metadata', 'updates']],
    ['messages-tuple', ['messages', 'metadata']],
    ['messages', ['messages/complete', 'messages/metadata', 'messages/partial', 'metadata']],
    ['custom', ['custom', 'metadata']],
    ['events', ['events', 'metadata']],
    ['debug', ['debug', 'metadata']],
    ['tasks', ['metadata', 'tasks']],
    ['checkpoints', ['checkpoints', 'metadata']],
    ['tools', ['metadata', 'tools']],
  ];
  it.each(modes)('streams %s', async (streamMode, events) => {
    const { thread_id } = await client.threads.create();
    const created: unknown[] = [];
    const stream = client.runs.stream(thread_id, 'chat', {
      input: says('look up cats'),
      streamMode: streamMode as 'values',
      onRunCreated: (run) => created.push(run),
    });
    const { frames, events: seen } = await read(stream);
    expect(seen).toEqual(events);
    const { run_id } = open(frames[0]?.data);
    expect(created).toEqual([{ run_id, thread_id }]);
  });

  it('streams subgraphs under their names, and a failure as its last frame', async () => {
    const { thread_id } = await client.threads.create();
    const nested = await read(
      client.runs.stream(thread_id, 'nested', {
        input: says('x'),
        streamMode: ['updates'],
        streamSubgraphs: true,
      }),
    );
    expect(nested.events).toEqual(['metadata', 'updates', expect.stringMatching(/^updates\|inner:/)]);
    const failing = await client.threads.create();
    const { frames } = await read(client.runs.stream(failing.thread_id, 'failing', { input: says('x') }));
    expect(frames.at(-1)).toMatchObject({
      event: 'error',
      data: { error: 'CustomError', message: 'Boo!' },
    });
    expect(await client.threads.get(failing.thread_id)).toMatchObject({ status: 'error' });
    const { tasks } = await client.threads.getState(failing.thread_id);
    expect(tasks).toMatchObject([{ name: 'fall', error: 'CustomError: Boo!' }]);
  });

  it('creates, lists, reads, joins and deletes runs', async () => {
    const { thread_id: id } = await client.threads.create();
    const created: unknown[] = [];
    const run = await client.runs.create(id, 'chat', {
      input: says('hello'),
      metadata: { a: 1 },
      onRunCreated: (params) => created.push(params),
    });
    expect(created).toEqual([{ run_id: run.run_id, thread_id: id }]);
    expect(run).toMatchObject({ thread_id: id, metadata: { a: 1 }, multitask_strategy: 'enqueue' });
    const values = open(await client.runs.join(id, run.run_id));
    expect(values.messages.at(-1).content).toBe('You said: hello');
    expect(await client.runs.get(id, run.run_id)).toMatchObject({ status: 'success' });
    expect(
      await client.runs.list(id, { limit: 5, offset: 0, status: 'success', select: ['run_id'] }),
    ).toEqual([{ run_id: run.run_id }]);
    expect(await client.runs.list(id, { status: 'error' })).toEqual([]);
    await client.runs.delete(id, run.run_id);
    await expect(client.runs.get(id, run.run_id)).rejects.toThrow('HTTP 404');
    await expect(client.runs.create(id, 'nobody')).rejects.toThrow('HTTP 404');
    await expect(client.runs.create('no-such-thread', 'chat')).rejects.toThrow('HTTP 404');
    const made = await client.runs.wait(`made-${Math.random()}`.replace('.', ''), 'chat', {
      input: says('x'),
      ifNotExists: 'create',
    });
    expect(open(made).messages).toHaveLength(2);
  });

  it('throws the error of a run that it waits for, unless it is asked not to', async () => {
    const { thread_id: id } = await client.threads.create();
    await expect(client.runs.wait(id, 'failing', { input: says('x') })).rejects.toThrow('CustomError: Boo!');
    const values = open(await client.runs.wait(id, 'failing', { input: says('x'), raiseError: false }));
    expect(values.__error__).toEqual({ error: 'CustomError', message: 'Boo!' });
  });

  it('joins a stream: all of it, from a given frame on, and live', async () => {
    const { thread_id: id } = await client.threads.create();
    const original = await read(
      client.runs.stream(id, 'chat', { input: says('count to 9'), streamMode: ['messages-tuple', 'values'] }),
    );
    const { run_id } = open(original.frames[0]?.data);
    const join = async (lastEventId?: string) =>
      (await read(client.runs.joinStream(id, run_id, lastEventId === undefined ? {} : { lastEventId })))
        .frames;
    expect(await join('-1')).toEqual(original.frames);
    expect(await join()).toEqual(original.frames);
    expect(await join(original.frames[4]?.id)).toEqual(original.frames.slice(5));
    const values = await read(
      client.runs.joinStream(id, run_id, { lastEventId: '-1', streamMode: ['values'] }),
    );
    expect(values.events).toEqual(['metadata', 'values']);
    expect((await read(client.runs.joinStream(null, run_id, { lastEventId: '-1' }))).frames).toEqual(
      original.frames,
    );

    const name = `live-${mount}`;
    const gate = closeGate(name);
    const live = await client.runs.create(id, 'chat', {
      input: says(`count to 4 at gate ${name} before 3`),
      streamMode: ['messages-tuple'],
      streamResumable: true,
    });
    await gate.reached;
    const joined = read(client.runs.joinStream(id, live.run_id, { cancelOnDisconnect: true }));
    gate.open();
    expect((await joined).events).toEqual(['messages', 'metadata']);
  });

  it('cancels one run, with and without waiting, with rollback, and several runs', async () => {
    const { thread_id: id } = await client.threads.create();
    const start = async (name: string) => {
      const gate = closeGate(`${name}:second`);
      const { run_id } = await client.runs.create(id, 'steps', { input: { name } });
      await gate.reached;
      return run_id;
    };
    const prefix = mount + Math.random();
    const one = await start(`${prefix}one`);
    await client.runs.cancel(id, one, true);
    expect(await client.runs.get(id, one)).toMatchObject({ status: 'interrupted' });
    const before = await client.threads.getState(id);
    const two = await start(`${prefix}two`);
    await client.runs.cancel(id, two, true, 'rollback');
    expect(await client.threads.getState(id)).toEqual(before);
    const three = await start(`${prefix}three`);
    await client.runs.cancel(id, three);
    await client.runs.join(id, three);
    const four = await start(`${prefix}four`);
    await client.runs.cancelMany({ threadId: id, runIds: [four] });
    await client.runs.join(id, four);
    expect(await client.runs.get(id, four)).toMatchObject({ status: 'interrupted' });
    expect(await client.threads.get(id)).toMatchObject({ status: 'idle' });
    await expect(client.runs.cancel(id, 'nothing')).rejects.toThrow('HTTP 404');
  });

  it('refuses, queues, interrupts and rolls back a run that is at work', async () => {
    const held = async (strategy: string) => {
      const { thread_id: id } = await client.threads.create();
      const name = `${mount}${Math.random()}${strategy}`;
      const gate = closeGate(`${name}:second`);
      const { run_id } = await client.runs.create(id, 'steps', { input: { name } });
      await gate.reached;
      return { id, run_id, gate };
    };
    const next = (multitaskStrategy: 'reject' | 'enqueue' | 'interrupt' | 'rollback') => ({
      input: { name: 'next' },
      multitaskStrategy,
    });
    const rejected = await held('reject');
    await expect(client.runs.create(rejected.id, 'steps', next('reject'))).rejects.toThrow('HTTP 409');
    const queued = await client.runs.create(rejected.id, 'steps', next('enqueue'));
    rejected.gate.open();
    expect(open(await client.runs.join(rejected.id, queued.run_id)).steps).toHaveLength(6);
    for (const [strategy, kept] of [
      ['interrupt', 4],
      ['rollback', 3],
    ] as const) {
      const { id, run_id } = await held(strategy);
      expect(open(await client.runs.wait(id, 'steps', next(strategy))).steps).toHaveLength(kept);
      expect(await client.runs.get(id, run_id)).toMatchObject({ status: 'interrupted' });
    }
  });

  it('answers a question, and stops at a node', async () => {
    const { thread_id: id } = await client.threads.create();
    const asked = await read(
      client.runs.stream(id, 'approval', { input: { plan: 'go' }, streamMode: ['values', 'updates'] }),
    );
    const interrupts = [{ id: expect.any(String), value: { question: 'May I go?' } }];
    expect(asked.frames.at(-1)).toMatchObject({ event: 'values', data: { __interrupt__: interrupts } });
    expect(await client.threads.get(id)).toMatchObject({ status: 'interrupted' });
    const answered = await read(client.runs.stream(id, 'approval', { command: { resume: { ok: true } } }));
    expect(open(answered.frames.at(-1)?.data).log.at(-1)).toBe('finished go');
    const other = await client.threads.create();
    await client.runs.wait(other.thread_id, 'approval', {
      input: { plan: 'stop' },
      interruptBefore: ['finish'],
    });
    const ended = open(
      await client.runs.wait(other.thread_id, 'approval', { command: { resume: 1 }, interruptBefore: '*' }),
    );
    expect(ended.log).toEqual(['prepared stop', 'answered 1']);
    expect((await client.threads.getState(other.thread_id)).next).toEqual(['finish']);
  });

  it('continues from an earlier state', async () => {
    const { thread_id: id } = await client.threads.create();
    await client.runs.wait(id, 'chat', { input: says('one') });
    const { checkpoint } = await client.threads.getState(id);
    await client.runs.wait(id, 'chat', { input: says('two') });
    const { thread_id: _, ...place } = checkpoint;
    const forked = open(await client.runs.wait(id, 'chat', { input: says('three'), checkpoint: place }));
    expect(forked.messages.map(({ content }: { content: string }) => content)).toEqual([
      'one',
      'You said: one',
      'three',
      'You said: three',
    ]);
  });

  it('runs without a thread, alone and in batches', async () => {
    const streamed = await read(
      client.runs.stream(null, 'chat', { input: says('x'), streamMode: 'updates' }),
    );
    expect(streamed.events).toEqual(['metadata', 'updates']);
    const { thread_id } = open(streamed.frames[0]?.data);
    if (isPlatform) await expect(client.threads.get(thread_id)).rejects.toThrow('HTTP 404');
    else expect(await client.threads.get(thread_id)).toMatchObject({ status: 'idle' });
    expect(open(await client.runs.wait(null, 'chat', { input: says('x') })).messages).toHaveLength(2);
    const run = await client.runs.create(null, 'chat', {
      input: says('x'),
      onCompletion: 'keep' as 'complete',
    });
    expect(open(await client.runs.join(run.thread_id, run.run_id)).messages).toHaveLength(2);
    const batch = await client.runs.createBatch(
      ['a', 'b'].map((word) => ({ assistantId: 'chat', input: says(word), on_completion: 'keep' })) as never,
    );
    expect(batch).toHaveLength(2);
    for (const { thread_id: id, run_id } of batch) {
      expect(open(await client.runs.join(id, run_id)).messages).toHaveLength(2);
    }
  });

  it('stores, reads, finds and deletes items', async () => {
    const { store } = client;
    const top = `tour${Math.random()}`.replace('.', '');
    await store.putItem([top, 'food'], 'first', { likes: 'soup', level: 3 });
    await store.putItem([top, 'food'], 'second', { likes: 'cake', level: 5 }, { ttl: 60 });
    await store.putItem([top, 'work'], 'third', { likes: 'peace' }, { index: false });
    expect(await store.getItem([top, 'food'], 'first')).toMatchObject({
      namespace: [top, 'food'],
      key: 'first',
      value: { likes: 'soup', level: 3 },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await store.getItem([top, 'food'], 'nothing')).toBeNull();
    const { items } = await store.searchItems([top], { limit: 10 });
    expect(items.map(({ key }) => key).sort()).toEqual(['first', 'second', 'third']);
    const liked = await store.searchItems([top, 'food'], { filter: { likes: 'cake' } });
    expect(liked.items.map(({ key }) => key)).toEqual(['second']);
    expect(await store.listNamespaces({ prefix: [top] })).toEqual({
      namespaces: expect.arrayContaining([
        [top, 'food'],
        [top, 'work'],
      ]),
    });
    expect(await store.listNamespaces({ prefix: [top], maxDepth: 1 })).toEqual({ namespaces: [[top]] });
    await store.deleteItem([top, 'food'], 'first');
    expect(await store.getItem([top, 'food'], 'first')).toBeNull();
  });

  it('reads what the server is', async () => {
    if (!isPlatform) return;
    const base = server.gateway.url + mount;
    expect(await (await fetch(`${base}/ok`)).json()).toEqual({ ok: true });
    expect(await (await fetch(`${base}/info`)).json()).toMatchObject({
      version: expect.any(String),
      flags: { assistants: true, crons: true },
    });
  });

  it('reconnects by itself when the connection broke, and gets each frame once', async () => {
    const { thread_id: id } = await client.threads.create();
    const proxy = await startCuttingProxy(new URL(server.gateway.url).port);
    try {
      const behind = makeClient({ apiUrl: proxy.url + mount });
      const gate = closeGate(`cut-${mount}`);
      const stream = behind.runs.stream(id, 'chat', {
        input: says(`count to 8 at gate cut-${mount} before 5`),
        streamMode: ['messages-tuple'],
        streamResumable: true,
      });
      const frames: { event: string; id?: string; data: unknown }[] = [];
      let hasBegun: () => void = () => undefined;
      const begun = new Promise<void>((resolve) => {
        hasBegun = resolve;
      });
      const reading = (async () => {
        for await (const frame of stream) {
          frames.push(frame);
          hasBegun();
        }
      })();
      await Promise.all([gate.reached, begun]);
      proxy.cut();
      gate.open();
      await reading;
      const { run_id } = open(frames[0]?.data);
      const { frames: whole } = await read(client.runs.joinStream(id, run_id, { lastEventId: '-1' }));
      expect(frames).toEqual(whole);
      expect(proxy.connections).toBeGreaterThan(1);
    } finally {
      await proxy.close();
    }
  });
});

/** Stands between a client and the gateway, and breaks open connections on request. */
async function startCuttingProxy(port: string) {
  const sockets = new Set<{ destroy(): void }>();
  let connections = 0;
  const proxy: Server = createServer((client) => {
    connections += 1;
    const gateway = connect(Number(port), '127.0.0.1');
    for (const socket of [client, gateway]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    client.pipe(gateway).pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    cut,
    close: async () => {
      cut();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
