import { randomUUID } from 'node:crypto';
import { Client } from '@langchain/langgraph-sdk';
import { protocolLimits } from '@switchyard/contract/conversation/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { closeGate } from './fixtures/agents/gates.ts';
import { revokedKeys } from './fixtures/custom-auth/revoked-keys.ts';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { customAuthGateway } from './support/custom-auth-gateway.ts';
import { newName } from './support/custom-callers.ts';
import { closeSockets, isEnd, Line, socketOf, statusOf } from './support/protocol-line.ts';

/** WebSockets of protocol v2 for callers whom the `auth` of langgraph.json lets in. */

const { running, as, projects, askedAbout, accountChanger } = customAuthGateway();
afterEach(closeSockets);

const start = { assistant_id: 'whoami', input: {} };
const all = { channels: ['values', 'lifecycle'] };
const opening = ({ token }: ConversationCaller, threadId: string) =>
  statusOf(socketOf(running().url, threadId, { 'x-api-key': token }));

describe('a socket of an identity', () => {
  it('serves the official client', async () => {
    const name = newName();
    const client = new Client({ apiUrl: `${running().url}/api/langgraph`, apiKey: null });
    const thread = client.threads.stream({
      assistantId: 'whoami',
      transport: 'websocket',
      webSocketFactory: (url: string) => new WebSocket(url, { headers: { 'x-api-key': name } }) as never,
    } as never);
    await thread.run.start({ input: {} });

    expect(await thread.output).toMatchObject({ seen: [{ id: name }, { id: name }] });
    await thread.close();
  });

  it('asks the handlers about each command as about its request over HTTP, and who sends it', async () => {
    const name = newName();
    const threadId = randomUUID();
    const line = await Line.open(as(name), threadId);
    await line.ask('run.start', start);
    await line.ask('agent.getTree');

    const authenticate = `authenticate GET /threads/${threadId}/stream/events`;
    expect(await askedAbout(name)).toEqual([
      authenticate,
      'threads:read',
      authenticate,
      'threads:create_run',
      authenticate,
      'threads:read',
    ]);
  });

  it('stores what the handlers make of a command, for the identity', async () => {
    const { own, name } = projects();
    const threadId = randomUUID();
    const line = await Line.open(own, threadId);
    await line.ask('subscription.subscribe', all);
    await line.ask('run.start', { ...start, metadata: { project: 'y' } });
    await line.until(isEnd);

    const thread = await own.ok('GET', `/threads/${threadId}`);
    expect(thread.metadata).toMatchObject({ project: 'x', stamped: 'threads:create_run' });
    const { values } = await own.ok('GET', `/threads/${threadId}/state`);
    expect(values.seen[0]).toMatchObject({ id: name, user: { project: 'x' } });
  });

  it('is refused to other identities and filters, and to pages of other sites', async () => {
    const { whole, own, other } = projects();
    const threadId = await own.thread();
    const page = { cookie: `key=${whole.token}`, origin: 'https://evil.example' };

    expect(await opening(as(newName()), threadId)).toBe(404);
    expect(await opening(other, threadId)).toBe(404);
    expect(await opening(as('unknown-key'), threadId)).toBe(401);
    expect(await opening(as('odd'), threadId)).toBe(500);
    expect(await statusOf(socketOf(running().url, threadId, page))).toBe(403);
    expect(await opening(own, threadId)).toBe(101);
    expect((await own.get(`/threads/${threadId}/stream/events`)).status).toBe(426);
  });

  it('that waits for a thread gets nothing of it when the thread is hidden by then', async () => {
    const { own, other } = projects();
    const threadId = randomUUID();
    const [seeing, waiting] = [await Line.open(own, threadId), await Line.open(other, threadId)];
    for (const line of [seeing, waiting])
      expect(await line.ask('subscription.subscribe', all)).toMatchObject({ type: 'success' });
    await seeing.ask('run.start', start);
    await seeing.until(isEnd);

    await expect.poll(() => waiting.closeCode).toBe(4404);
    expect(waiting.events()).toEqual([]);
  });

  it('that was opened before its thread was hidden commands nothing in it', async () => {
    const { own, other } = projects();
    const threadId = randomUUID();
    const line = await Line.open(other, threadId);
    await own.ok('POST', '/threads', { thread_id: threadId });

    for (const [method, params] of [
      ['run.start', start],
      ['input.respond', { interrupt_id: 'q', response: 1 }],
      ['state.get', {}],
      ['agent.getTree', {}],
      ['subscription.subscribe', all],
    ] as const)
      expect(await line.ask(method, params)).toMatchObject({
        type: 'error',
        message: `Thread ${threadId} not found`,
      });
    expect(await own.ok('GET', `/threads/${threadId}/runs`)).toEqual([]);
  });

  it.each([
    ['forbidden', { error: 'permission_denied', message: 'You may not do this here.' }],
    ['broken', { error: 'unknown_error', message: expect.stringContaining("gateway's log says why") }],
  ])(
    'answers in the words of the protocol when a handler finds a command %s, and stores nothing',
    async (word, answer) => {
      const caller = as(newName());
      const threadId = randomUUID();
      const line = await Line.open(caller, threadId);

      expect(await line.ask('run.start', { ...start, input: { question: word } })).toMatchObject(answer);
      expect((await caller.get(`/threads/${threadId}`)).status).toBe(404);
      expect(await line.ask('run.start', start)).toMatchObject({ type: 'success' });
    },
  );
});

describe('a socket whose caller is no longer let in', () => {
  it('ends with the next command when the credential was revoked', async () => {
    const key = newName();
    const caller = as(key);
    const threadId = await caller.thread();
    const line = await Line.open(caller, threadId);
    revokedKeys.add(key);

    expect(await line.ask('run.start', start)).toMatchObject({
      error: 'permission_denied',
      message: 'This key is revoked',
    });
    await expect.poll(() => line.closeCode).toBe(4401);
    revokedKeys.delete(key);
    expect(await caller.ok('GET', `/threads/${threadId}/runs`)).toEqual([]);
  });

  it('ends with its account, and obeys no command that comes after that', async () => {
    const caller = as(newName());
    const threadId = await caller.thread();
    const userId = (await caller.get('/who')).body.user;
    const line = await Line.open(caller, threadId);
    const send = await accountChanger();
    line.socket.pause(); // It does not see that it is closed, and goes on.
    expect((await send(userId, 'PATCH', { body: { disabled: true } })).status).toBe(200);
    line.send('run.start', start);
    line.socket.resume();

    await expect.poll(() => line.closeCode).toBe(4401);
    expect((await send(userId, 'PATCH', { body: { disabled: false } })).status).toBe(200);
    expect(await caller.ok('GET', `/threads/${threadId}/runs`)).toEqual([]);
  });
});

describe('the limits of sockets', () => {
  it('hold for one identity, however many it opens at once', async () => {
    const caller = as(newName());
    const threadId = await caller.thread();
    const statuses = await Promise.all(
      Array.from({ length: protocolLimits.socketsPerUser + 10 }, () => opening(caller, threadId)),
    );

    expect(statuses.filter((status) => status === 101)).toHaveLength(protocolLimits.socketsPerUser);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });

  it('hold for one address while the handler thinks about who is calling', async () => {
    const gate = closeGate('custom-auth');
    const waiting = 100;
    const statuses: number[] = [];
    const all = Array.from({ length: waiting + 5 }, async () => {
      statuses.push(await opening(as('slow-key'), 'any-thread'));
    });

    await expect.poll(() => statuses).toEqual([503, 503, 503, 503, 503]);
    gate.open();
    await Promise.all(all);
    expect(statuses.filter((status) => status === 101)).toHaveLength(protocolLimits.socketsPerUser);
  });
});
