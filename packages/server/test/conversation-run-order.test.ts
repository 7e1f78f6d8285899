import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { customAuthGateway } from './support/custom-auth-gateway.ts';
import { RawConnection } from './support/raw-connection.ts';

const pairs = 400;
let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ada = server.ada;
});
afterAll(() => server.close());

/** Connections that are open already, each for one request at a time. */
const warm = [1, 2].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
afterAll(() => {
  for (const agent of warm) agent.destroy();
});

interface Posted {
  path: string;
  body: object;
}

/** Sends the requests one right after the other, each over a connection of its own, and returns their statuses. */
function postAll(url: string, requests: readonly Posted[]): Promise<(number | undefined)[]> {
  const headers = { 'x-api-key': ada.token, 'content-type': 'application/json' };
  const answers = requests.map(async ({ path, body }, at) => {
    const sent = request(new URL(path, url), { method: 'POST', headers, agent: warm[at] });
    sent.end(JSON.stringify(body));
    const [answer] = await once(sent, 'response');
    await text(answer);
    return answer.statusCode;
  });
  return Promise.all(answers);
}

const runsOf = (threadId: string) => `/api/threads/${threadId}/runs`;
const run = (name: string) => ({
  assistant_id: 'steps',
  input: { name },
  metadata: { name },
  if_not_exists: 'create',
});

/** The names of the runs of a thread, in the order in which they were admitted. */
async function admitted(threadId: string, caller = ada): Promise<string[]> {
  const runs = await caller.ok('GET', `/threads/${threadId}/runs`);
  return runs.map(({ metadata }: { metadata: { name: string } }) => metadata.name).reverse();
}

/** A server that does nothing but note in which order it has read the bodies. */
async function bareServer() {
  const names: string[] = [];
  const bare = createServer(async (request, response) => {
    names.push(JSON.parse(await text(request)).metadata.name);
    response.end('{}');
  });
  await once(bare.listen(0, '127.0.0.1'), 'listening');
  const { port } = bare.address() as AddressInfo;
  return { names, url: `http://127.0.0.1:${port}`, close: () => bare.close() };
}

/** Posts two runs to each thread. */
async function postPairs(url: string, threadIds: readonly string[]): Promise<void> {
  for (const threadId of threadIds) {
    const pair = ['1', '2'].map((name) => ({
      path: runsOf(threadId),
      // A run is admitted when it is stored, so none of them has to work.
      body: { ...run(name), after_seconds: 3_600 },
    }));
    expect(await postAll(url, pair)).toEqual([200, 200]);
  }
}

describe('runs that are posted one right after the other', () => {
  it('swap no more often than at a bare server, over two warm connections', async () => {
    const bare = await bareServer();
    const threadIds = Array.from({ length: pairs }, () => randomUUID());
    await postPairs(bare.url, threadIds);
    bare.close();
    await postPairs(server.gateway.url, threadIds);
    let swapped = 0;
    for (const threadId of threadIds) if ((await admitted(threadId))[0] === '2') swapped += 1;
    const swappedBare = bare.names.filter((name, at) => at % 2 === 0 && name === '2').length;
    expect(swapped, `Swapped of ${pairs}; the bare server: ${swappedBare}.`).toBeLessThanOrEqual(swappedBare);
  });

  it.each([
    ['a request to the thread and one that names it in its body', '/api/runs'],
    ['a request of each mount', '/api/langgraph/runs/wait'],
  ])('are admitted in the order of their arrival: %s', async (_what, path) => {
    for (let round = 0; round < 20; round += 1) {
      const threadId = randomUUID();
      const named = { ...run('1'), config: { configurable: { thread_id: threadId } } };
      const second = { path: runsOf(threadId), body: run('2') };
      expect(await postAll(server.gateway.url, [{ path, body: named }, second])).toEqual([200, 200]);
      expect(await admitted(threadId)).toEqual(['1', '2']);
    }
  });
});

describe('a run does not wait for an earlier request to its thread', () => {
  it.each([
    ['whose body has not arrived', () => ada.token],
    ['of a stranger, whose body has not arrived', () => 'sy_pat_unknown'],
    ['of another user, whose body has not arrived', () => server.bob.token],
  ])('%s', async (_which, token) => {
    const threadId = await ada.thread();
    const slow = await RawConnection.open(server.gateway.url);
    const body = JSON.stringify(run('slow'));
    slow.request(
      [
        `POST ${runsOf(threadId)} HTTP/1.1`,
        `X-Api-Key: ${token()}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ],
      body.slice(0, 10),
    );
    expect(await ada.run(threadId, run('quick'))).toMatchObject({ status: 'pending' });
    slow.write(body.slice(10));
    await expect.poll(() => slow.statuses.length).toBe(1);
    expect((await admitted(threadId))[0]).toBe('quick');
    slow.destroy();
  });

  it('that was refused', async () => {
    const threadId = await ada.thread();
    const [refused, good] = await Promise.all([
      ada.post(`/threads/${threadId}/runs`, { ...run('1'), assistant_id: 'unknown' }),
      ada.post(`/threads/${threadId}/runs`, run('2')),
    ]);
    expect([refused.status, good.status]).toEqual([404, 200]);
  });

  it('whose run is still at work, although its stream or its answer is open', async () => {
    const threadId = await ada.thread();
    const gate = closeGate('held:second');
    const stream = await ada.stream(threadId, run('held'));
    await gate.reached;
    expect(await ada.run(threadId, run('next'))).toMatchObject({ status: 'pending' });
    gate.open();
    await stream.rest();
  });
});

describe('a run whose authentication takes longer', () => {
  const { as, askedAbout } = customAuthGateway();
  const post = (key: string, threadId: string, name: string) =>
    as(key).post(`/threads/${threadId}/runs`, { ...run(name), assistant_id: 'whoami', input: {} });

  it('is admitted before a later one of the same credential in its thread', async () => {
    const threadId = randomUUID();
    const gate = closeGate('custom-auth');
    const first = post('slow-key', threadId, '1');
    await gate.reached;
    closeGate('custom-auth').open();
    expect((await post('slow-key', randomUUID(), 'elsewhere')).status).toBe(200);
    const second = post('slow-key', threadId, '2');
    const asked = async () => (await askedAbout('slow-key')).filter((kind) => kind === 'threads:create_run');
    await expect.poll(asked).toHaveLength(2);
    gate.open();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    expect(await admitted(threadId, as('slow-key'))).toEqual(['1', '2']);
  });

  it('holds up no run of another caller in that thread', async () => {
    const threadId = randomUUID();
    expect((await post('owner', threadId, '1')).status).toBe(200);
    const gate = closeGate('custom-auth');
    const foreign = post('slow-key', threadId, 'foreign');
    await gate.reached;
    expect((await post('owner', threadId, '2')).status).toBe(200);
    gate.open();
    expect((await foreign).status).toBe(404);
  });
});
