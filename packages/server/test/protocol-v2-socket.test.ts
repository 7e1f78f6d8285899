import { randomUUID } from 'node:crypto';
import { Client } from '@langchain/langgraph-sdk';
import { protocolLimits } from '@switchyard/contract/conversation/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { closeGate } from './fixtures/agents/gates.ts';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { closeSockets, isEnd, Line, type Message, socketOf, statusOf } from './support/protocol-line.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ada = server.ada.at('/api/langgraph');
});
afterAll(() => server.close());

afterEach(closeSockets);

const socketAt = (threadId: string, headers: Record<string, string>) => socketOf(ada.url, threadId, headers);

describe('a socket of a thread', () => {
  it('serves the official client', async () => {
    const client = new Client({
      apiUrl: `${ada.url}/api/langgraph`,
      apiKey: null,
      callerOptions: { maxRetries: 0 },
    });
    const thread = client.threads.stream({
      assistantId: 'chat',
      transport: 'websocket',
      webSocketFactory: (url: string) => new WebSocket(url, { headers: { 'x-api-key': ada.token } }) as never,
    } as never);
    await thread.run.start({ input: says('hello') });
    const output = (await thread.output) as { messages: { text: string }[] };
    expect(output.messages.map(({ text }) => text)).toEqual(['hello', 'You said: hello']);
    expect(await thread.agent.getTree()).toMatchObject({ tree: { namespace: [], status: 'completed' } });
    await thread.close();
  });

  it('waits for a thread that does not exist yet, and answers before it replays', async () => {
    const threadId = randomUUID();
    const line = await Line.open(ada, threadId);
    expect(await line.ask('subscription.subscribe', { channels: ['values', 'lifecycle'] })).toMatchObject({
      type: 'success',
    });
    await line.ask('run.start', { assistant_id: 'chat', input: says('hello') });
    await line.until(isEnd);
    const late = await Line.open(ada, threadId);
    const answer = await late.ask('subscription.subscribe', { channels: ['values', 'lifecycle'] });
    await late.until(isEnd);
    expect(late.messages[0]).toEqual(answer);
    expect(late.events()).toEqual(line.events());
  });

  it('says with a subscription how many of its events are kept and come before the live ones', async () => {
    const threadId = await ada.thread();
    const gate = closeGate('v2-replayed');
    const channels = ['values', 'messages', 'lifecycle'];
    const first = await Line.open(ada, threadId);
    const { result: none } = await first.ask('subscription.subscribe', { channels });
    await first.ask('run.start', { assistant_id: 'chat', input: says('hello') });
    await first.until(isEnd);
    await first.ask('run.start', {
      assistant_id: 'chat',
      input: says('count to 3 at gate v2-replayed before 2'),
    });
    await gate.reached;

    const late = await Line.open(ada, threadId);
    const { result: some } = await late.ask('subscription.subscribe', { channels });
    const { result: rest } = await late.ask('subscription.subscribe', {
      channels,
      since: first.events().at(-1).seq,
    });
    const { result: other } = await late.ask('subscription.subscribe', { channels: ['custom'] });
    // Nothing comes live while the run is held.
    await expect.poll(() => late.events().length).toBe(some.replayed_events + rest.replayed_events);
    expect(none.replayed_events).toBe(0);
    expect(some.replayed_events).toBeGreaterThan(10);
    expect(rest.replayed_events).toBeLessThan(some.replayed_events);
    expect(other.replayed_events).toBe(0);
    gate.open();
  });

  it('sends no more events of a subscription that has ended, and says when there is none', async () => {
    const threadId = await ada.thread();
    const line = await Line.open(ada, threadId);
    const { result } = await line.ask('subscription.subscribe', { channels: ['values'] });
    await line.ask('subscription.subscribe', { channels: ['lifecycle'] });
    const ended = { subscription_id: result.subscription_id };
    expect(await line.ask('subscription.unsubscribe', ended)).toMatchObject({ type: 'success', result: {} });
    expect(await line.ask('subscription.unsubscribe', ended)).toMatchObject({
      error: 'no_such_subscription',
    });
    await line.ask('run.start', { assistant_id: 'chat', input: says('hello') });
    await line.until(isEnd);
    expect(new Set(line.events().map(({ method }) => method))).toEqual(new Set(['lifecycle']));
  });

  it('answers what is not a command in the words of the protocol, and goes on', async () => {
    const line = await Line.open(ada, await ada.thread());
    line.socket.send('{"id": 1,');
    await line.until(
      ({ type, id, error }) => type === 'error' && id === null && error === 'invalid_argument',
    );
    expect(await line.ask('run.begin')).toMatchObject({ error: 'unknown_command' });
    expect(await line.ask('subscription.subscribe', { channels: [] })).toMatchObject({
      error: 'invalid_argument',
    });
    expect(await line.ask('agent.getTree')).toMatchObject({ type: 'success' });
  });

  it('has a limit of subscriptions', async () => {
    const line = await Line.open(ada, await ada.thread());
    for (let count = 0; count < protocolLimits.subscriptionsPerSocket; count += 1)
      expect(await line.ask('subscription.subscribe', { channels: ['values'] })).toMatchObject({
        type: 'success',
      });
    expect(await line.ask('subscription.subscribe', { channels: ['values'] })).toMatchObject({
      error: 'invalid_argument',
    });
  });

  it('is closed when commands arrive much faster than they can be answered', async () => {
    const threadId = await ada.thread();
    const gate = closeGate('v2-flood');
    const line = await Line.open(ada, threadId);
    await line.ask('run.start', {
      assistant_id: 'chat',
      input: says('count to 3 at gate v2-flood before 2'),
    });
    await gate.reached;
    const early = { method: 'input.respond', params: { interrupt_id: 'q', response: 1 } };
    for (let id = 10; id < 20 + protocolLimits.commandsWaiting; id += 1)
      line.socket.send(JSON.stringify({ id, ...early }));
    await expect.poll(() => line.closeCode).toBe(4429);
    gate.open();
  });

  it('is refused for another user, without credentials, with a foreign origin and beyond the limit', async () => {
    const threadId = await ada.thread();
    expect(await statusOf(socketAt(threadId, { 'x-api-key': server.bob.token }))).toBe(404);
    expect(await statusOf(socketAt(threadId, {}))).toBe(401);
    const session = await server.gateway.register('cookie@example.com');
    const cookie = session.cookieHeader;
    const own = (await session.post<{ thread_id: string }>('/api/threads', {})).thread_id;
    expect(await statusOf(socketAt(own, { cookie, origin: 'https://elsewhere.example' }))).toBe(403);
    expect(await statusOf(socketAt(own, { cookie, origin: ada.url }))).toBe(101);
    for (let count = 1; count < protocolLimits.socketsPerUser; count += 1)
      expect(await statusOf(socketAt(own, { cookie }))).toBe(101);
    expect(await statusOf(socketAt(own, { cookie }))).toBe(429);
  });

  it('lets a token that may only read watch, and not start runs', async () => {
    const session = await server.gateway.register('reader@example.com');
    const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', {
      name: 'reader',
      scopes: ['conversation:read'],
    });
    const threadId = (await session.post<{ thread_id: string }>('/api/threads', {})).thread_id;
    const socket = socketAt(threadId, { 'x-api-key': token });
    const answers: Message[] = [];
    socket.on('message', (data) => answers.push(JSON.parse(String(data))));
    expect(await statusOf(socket)).toBe(101);
    socket.send(
      JSON.stringify({ id: 1, method: 'run.start', params: { assistant_id: 'chat', input: says('x') } }),
    );
    socket.send(JSON.stringify({ id: 2, method: 'agent.getTree', params: {} }));
    await expect
      .poll(() => answers)
      .toMatchObject([
        { type: 'error', id: 1, error: 'permission_denied' },
        { type: 'success', id: 2 },
      ]);
  });

  it('asks a client without an upgrade to make one', async () => {
    const threadId = await ada.thread();
    expect((await ada.get(`/threads/${threadId}/stream/events`)).status).toBe(426);
    expect((await server.bob.at('/api/langgraph').get(`/threads/${threadId}/stream/events`)).status).toBe(
      404,
    );
  });
});
