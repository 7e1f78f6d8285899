import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { type Attempt, attempts, type Names, type Own } from './support/conversation-attempts.ts';
import {
  type Answer,
  type ConversationCaller,
  says,
  threadIsMissing,
} from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

/** Two users on every route, with every id that can arrive in a path, a query or a body. */

let server: ConversationGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
let own: Own;
let gate: ReturnType<typeof closeGate>;
let endpoints: string[];
/** The ids of Ada's things, by their state. */
let hers: { ended: Names; running: Names; deleted: Names };
let before: string;

beforeAll(async () => {
  server = await startConversation();
  ({ ada, bob } = server);
  endpoints = await endpointsOfArea();
  gate = closeGate('isolation');
  hers = {
    ended: await makeThings(ada, 'harvest'),
    running: await makeThings(ada, 'voyage'),
    deleted: await makeThings(ada, 'burial'),
  };
  const { run_id } = await ada.run(hers.running.thread, {
    assistant_id: 'chat',
    input: says('count to 5 at gate isolation before 3'),
  });
  hers.running.run = run_id;
  await gate.reached;
  await ada.ok('DELETE', `/threads/${hers.deleted.thread}`);
  await ada.ok('DELETE', `/assistants/${hers.deleted.assistant}`);
  await ada.ok('DELETE', `/agents/${hers.deleted.word}`);
  await ada.ok('DELETE', `/scheduled-tasks/${hers.deleted.schedule}`);
  await ada.ok('DELETE', '/store/items', { namespace: [hers.deleted.word, 'deep'], key: 'k' });
  const thread = await bob.thread();
  own = { thread, run: await finishedRun(bob, thread, 'mine') };
  before = await everythingOf(ada);
});
afterAll(async () => {
  gate.open();
  await server.close();
});

async function finishedRun(caller: ConversationCaller, thread: string, text: string): Promise<string> {
  const { run_id } = await caller.run(thread, { assistant_id: 'chat', input: says(text) });
  await caller.ended(thread, run_id);
  return run_id;
}

/** One thing of each kind. */
async function makeThings(caller: ConversationCaller, word: string): Promise<Names> {
  const thread = await caller.thread({ metadata: { word } });
  const run = await finishedRun(caller, thread, `about ${word}`);
  const { checkpoint_id: checkpoint } = await caller.ok('GET', `/threads/${thread}/state`);
  const { feedback_id: feedback } = await caller.ok('PUT', `/threads/${thread}/runs/${run}/feedback`, {
    rating: 1,
    comment: word,
  });
  const { assistant_id: assistant } = await caller.ok('POST', '/assistants', {
    graph_id: 'chat',
    name: word,
    metadata: { word },
  });
  await caller.ok('PUT', '/store/items', { namespace: [word, 'deep'], key: 'k', value: { text: word } });
  await caller.ok('POST', '/agents', { name: word, soul: `soul of ${word}` });
  const { cron_id: schedule } = await caller.ok('POST', `/threads/${thread}/runs/crons`, {
    assistant_id: 'chat',
    schedule: '0 0 1 1 *',
    metadata: { word },
  });
  return { thread, run, checkpoint, feedback, assistant, schedule, word };
}

/** Ids of the same form that belong to no one. */
const unknown = (): Names => ({
  thread: randomUUID(),
  run: randomUUID().replace(/-4/, '-7'),
  checkpoint: hers.ended.checkpoint.replace(/^.{8}/, '00000000'),
  feedback: randomUUID(),
  assistant: randomUUID(),
  schedule: randomUUID(),
  word: `nothing${Math.random().toString(36).slice(2)}`,
});

/** Everything that a user can read of their own. */
async function everythingOf(caller: ConversationCaller): Promise<string> {
  const read: unknown[] = [];
  const threads = await caller.at('/api/langgraph').ok('POST', '/threads/search', { limit: 1000 });
  read.push(threads, await caller.ok('POST', '/assistants/search', { limit: 1000 }));
  read.push(await caller.ok('POST', '/store/items/search', { limit: 1000 }));
  read.push(await caller.ok('GET', '/scheduled-tasks'));
  const { agents } = await caller.ok('GET', '/agents');
  for (const { name } of agents) read.push(await caller.ok('GET', `/agents/${name}`));
  for (const { thread_id } of threads) {
    const runs = await caller.ok('GET', `/threads/${thread_id}/runs`);
    read.push(runs, await caller.ok('POST', `/threads/${thread_id}/history`, { limit: 1000 }));
    read.push(await caller.ok('GET', `/threads/${thread_id}/messages`));
    for (const { run_id } of runs) {
      read.push(await caller.ok('GET', `/threads/${thread_id}/runs/${run_id}/feedback`));
    }
  }
  return JSON.stringify(read);
}

interface Operation {
  'x-access': string;
  'x-area': string;
}

/** Without those of the doors, whose tests have other users, too. */
async function endpointsOfArea(): Promise<string[]> {
  const answer = await server.gateway.fetch('/openapi.json');
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> };
  const ofApi = Object.entries(paths).filter(([path]) => path.startsWith('/api/'));
  return ofApi.flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation['x-access'].startsWith('conversation:'))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
}

const mounts = ['/api', '/api/langgraph'] as const;
type Mount = (typeof mounts)[number];

function isRegistered(mount: Mount, key: string): boolean {
  return endpoints.includes(key.replace(' ', ` ${mount}`));
}

function split(endpoint: string): { mount: Mount; key: string } {
  const mount = endpoint.includes(' /api/langgraph/') ? '/api/langgraph' : '/api';
  return { mount, key: endpoint.replace(` ${mount}`, ' ') };
}

/** What an answer reveals, without the names that were in the request. */
function told({ status, text, headers }: Answer, names: Names): unknown {
  const words = Object.entries(names).sort(([, a], [, b]) => b.length - a.length);
  const named = words.reduce((all, [kind, name]) => all.replaceAll(name, `<${kind}>`), text);
  const plain = named.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
  const shown = [...headers.keys()].filter((name) => name !== 'x-request-id' && name !== 'content-length');
  return { status, text: plain, headers: shown.sort() };
}

/** Every request with her names must be answered like the same request with names that do not exist. */
async function expectNothingLearnt(
  intruder: ConversationCaller,
  { key, names }: { key: string; names: Names },
): Promise<void> {
  for (const [index, attempt] of (attempts[key]?.(names, own) ?? []).entries()) {
    const answer = await ask(intruder, key, attempt);
    const like = attempt.isCreation || attempt.isOpen ? hers.deleted : unknown();
    const other = attempts[key]?.(like, own)[index];
    if (!other) throw new Error('The attempts depend on the names.');
    const said = JSON.stringify(attempt);
    expect(told(answer, names), said).toEqual(told(await ask(intruder, key, other), like));
    if (attempt.isCreation || attempt.isOpen) expect(answer.status, said).toBe(404);
  }
}

async function ask(caller: ConversationCaller, key: string, { path, body }: Attempt): Promise<Answer> {
  // A stream that is opened by mistake would never end.
  const signal = AbortSignal.timeout(60_000);
  return caller.call(key.split(' ', 1)[0] ?? '', path, { ...(body !== undefined && { body }), signal });
}

it('has a case for every endpoint', () => {
  expect(endpoints.length).toBeGreaterThan(100);
  const known = new Set(Object.keys(attempts));
  expect(endpoints.map(split).filter(({ key }) => !known.has(key))).toEqual([]);
  const registered = new Set(endpoints.map((endpoint) => split(endpoint).key));
  expect([...known].filter((key) => !registered.has(key))).toEqual([]);
});

describe.each(mounts)('another user at %s', (mount) => {
  afterAll(async () => {
    for (const { assistant, word } of Object.values(hers)) {
      await bob.call('DELETE', `/assistants/${assistant}`);
      await bob.call('DELETE', `/agents/${word}`);
    }
  });

  it.each(Object.keys(attempts))('learns nothing by %s', async (key) => {
    if (!isRegistered(mount, key)) return;
    for (const names of Object.values(hers)) await expectNothingLearnt(bob.at(mount), { key, names });
  });
});

describe.each(mounts)('the user who deleted it, at %s,', (mount) => {
  it.each(Object.keys(attempts))('finds as little as others by %s', async (key) => {
    if (!isRegistered(mount, key)) return;
    const herOwn = { thread: hers.ended.thread, run: hers.ended.run };
    const isInPath = ({ path, isCreation }: Attempt) => !isCreation && path.includes(hers.deleted.thread);
    for (const attempt of (attempts[key]?.(hers.deleted, herOwn) ?? []).filter(isInPath)) {
      const answer = await ask(ada.at(mount), key, attempt);
      expect(answer, attempt.path).toMatchObject({
        status: 404,
        body: { detail: threadIsMissing(hers.deleted.thread) },
      });
    }
  });
});

it('has changed and stopped nothing of hers, and sees nothing of hers in their own things', async () => {
  expect(await everythingOf(ada)).toBe(before);
  const { thread, run } = hers.running;
  expect(await ada.ok('GET', `/threads/${thread}/runs/${run}`)).toMatchObject({ status: 'running' });
  const seen = await everythingOf(bob);
  for (const { thread: id, run: runId, word } of Object.values(hers)) {
    expect(seen).not.toContain(id);
    expect(seen).not.toContain(runId);
    expect(seen).not.toContain(`about ${word}`);
    expect(seen).not.toContain(`soul of ${word}`);
  }
  gate.open();
  expect(await ada.ended(thread, run)).toMatchObject({ status: 'success', last_ai_message: '1 2 3 4 5' });
});

describe('a run of one user', () => {
  it('never sees what another user stored, and never runs as another user', async () => {
    const say = async (caller: ConversationCaller, text: string) => {
      const { messages } = await caller.wait(await caller.thread(), {
        assistant_id: 'remembering',
        input: says(text),
        config: { configurable: { user_id: ada.userId, langgraph_auth_user_id: ada.userId } },
        context: { user_id: ada.userId },
      });
      return JSON.parse(messages.at(-1).content);
    };
    await say(ada, 'the secret of Ada');
    expect(await say(bob, 'hello')).toMatchObject({ before: 'nothing', user_id: bob.userId });
    expect(await say(ada, 'again')).toMatchObject({ before: 'the secret of Ada' });
  });
});

/** Rows from before there were owners, which no interface can create. */
describe('a shared record without an owner', () => {
  async function shared(): Promise<{ thread: string; run: string }> {
    const thread = await ada.thread({ metadata: { word: 'commons' } });
    const run = await finishedRun(ada, thread, 'for all');
    await ada.ok('PUT', `/threads/${thread}/runs/${run}/feedback`, { rating: 1 });
    await setOwner(thread, null);
    return { thread, run };
  }

  async function setOwner(thread: string, userId: string | null): Promise<void> {
    await server.gateway.context.database.write(async (trx) => {
      for (const table of ['threads', 'thread_metadata', 'thread_snapshots']) {
        await trx
          .updateTable(table as never)
          .set({ user_id: userId } as never)
          .where('thread_id' as never, '=', thread as never)
          .execute();
      }
    });
  }

  it('is read and written by every user who names it, and listed for none', async () => {
    const { thread } = await shared();
    for (const caller of [ada, bob]) {
      expect(await caller.ok('GET', `/threads/${thread}`)).toMatchObject({ metadata: { word: 'commons' } });
      expect((await caller.ok('GET', `/threads/${thread}/state`)).values.messages).toHaveLength(2);
      for (const body of [{ ids: [thread] }, { metadata: { word: 'commons' } }]) {
        expect(await caller.ok('POST', '/threads/search', body)).toEqual([]);
        expect(await caller.ok('POST', '/threads/count', body)).toBe(0);
      }
    }
    expect(await bob.ok('PATCH', `/threads/${thread}`, { metadata: { by: 'bob' } })).toMatchObject({
      metadata: { word: 'commons', by: 'bob' },
    });
    const { messages } = await bob.wait(thread, { assistant_id: 'chat', input: says('me too') });
    expect(messages).toHaveLength(4);
  });

  it('keeps the runs, events and feedback of each user separate', async () => {
    const { thread, run } = await shared();
    expect(await bob.ok('GET', `/threads/${thread}/runs`)).toEqual([]);
    expect(await bob.ok('GET', `/threads/${thread}/messages`)).toEqual([]);
    expect(await bob.ok('GET', `/threads/${thread}/messages/page`)).toMatchObject({ data: [] });
    expect(await bob.ok('GET', `/threads/${thread}/token-usage`)).toMatchObject({
      total_tokens: 0,
      total_runs: 0,
    });
    for (const [method, path, body] of [
      ['GET', ''],
      ['GET', '/join'],
      ['GET', '/stream'],
      ['GET', '/messages'],
      ['GET', '/events'],
      ['GET', '/feedback'],
      ['GET', '/feedback/stats'],
      ['PUT', '/feedback', { rating: -1 }],
      ['POST', '/cancel', {}],
      ['DELETE', ''],
    ] as const) {
      const answer = await bob.call(method, `/threads/${thread}/runs/${run}${path}`, {
        ...(body && { body }),
      });
      expect(answer, `${method} ${path}`).toMatchObject({
        status: 404,
        body: { detail: `Run ${run} not found` },
      });
    }
    const his = await finishedRun(bob, thread, 'of bob');
    expect((await ada.get(`/threads/${thread}/runs/${his}`)).status).toBe(404);
    expect(await ada.ok('GET', `/threads/${thread}/runs`)).toMatchObject([{ run_id: run }]);
    expect(await bob.ok('GET', `/threads/${thread}/runs`)).toMatchObject([
      { run_id: his, follow_up_to_run_id: null },
    ]);
    expect(await ada.ok('GET', `/threads/${thread}/runs/${run}/feedback`)).toMatchObject([{ rating: 1 }]);
  });

  it('is created by no request', async () => {
    const tries = [{ user_id: null }, { metadata: { user_id: null, owner_id: null } }];
    for (const requested of tries) {
      const thread = await ada.thread(requested);
      await ada.ok('PATCH', `/threads/${thread}`, { ...requested, metadata: { user_id: null } });
      await ada.wait(thread, {
        assistant_id: 'chat',
        input: says('x'),
        ...requested,
        metadata: { user_id: null },
      });
      expect((await bob.get(`/threads/${thread}`)).status).toBe(404);
    }
  });
});

describe('a thread without a record', () => {
  it('that has saved states is still readable, and no user can change it', async () => {
    const thread = await ada.thread();
    const run = await finishedRun(ada, thread, 'untracked');
    await server.gateway.context.database.write(async (trx) => {
      for (const table of ['threads', 'thread_metadata', 'thread_snapshots']) {
        await trx
          .deleteFrom(table as never)
          .where('thread_id' as never, '=', thread as never)
          .execute();
      }
    });
    for (const caller of [ada, bob]) {
      expect(await caller.ok('GET', `/threads/${thread}`)).toMatchObject({
        thread_id: thread,
        status: 'idle',
      });
      expect((await caller.ok('GET', `/threads/${thread}/state`)).values.messages).toHaveLength(2);
      for (const [method, path, body] of [
        ['PATCH', '', { metadata: {} }],
        ['DELETE', ''],
        ['POST', '/state', { values: {} }],
        ['POST', '/runs', { assistant_id: 'chat', input: says('x') }],
      ] as const) {
        const answer = await caller.call(method, `/threads/${thread}${path}`, { ...(body && { body }) });
        expect(answer, path).toMatchObject({ status: 404, body: { detail: `Thread ${thread} not found` } });
      }
    }
    expect(await bob.ok('GET', `/threads/${thread}/messages`)).toEqual([]);
    expect((await bob.get(`/runs/${run}/messages`)).status).toBe(404);
  });
});
