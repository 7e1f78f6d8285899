import type { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { fixtureAgents } from './support/conversation-gateway.ts';
import { accountChanger } from './support/custom-callers.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow } from './support/dispatch-pool.ts';
import { type Replicas, startReplicas, testReplicas } from './support/replicas.ts';

const { title, isSkipped } = testReplicas('two replicas whose Redis goes away');

describe.skipIf(isSkipped)(title, () => {
  let replicas: Replicas;
  let urls: [string, string];
  let here: ConversationCaller;
  let there: ConversationCaller;
  let ada: DispatchCaller;
  let changeAccount: Awaited<ReturnType<typeof accountChanger>>;
  beforeAll(async () => {
    replicas = await startReplicas(2, { agents: fixtureAgents });
    const [first, second] = replicas.gateways;
    if (!first || !second) throw new Error('Two replicas are needed.');
    urls = [first.url, second.url];
    changeAccount = await accountChanger(first);
    const session = await first.register('ada@example.com');
    here = await ConversationCaller.of(first.url, session);
    there = await ConversationCaller.of(second.url, session.at(second.url));
    ada = await DispatchCaller.login(first.url, 'ada@example.com');
  });
  afterAll(() => replicas.stop());

  const cacheOf = async (url: string): Promise<string> => {
    const answer = await fetch(new URL('/api/health', url));
    const { data } = (await answer.json()) as { data: { cache: string } };
    return `${answer.status} ${data.cache}`;
  };

  const logIn = async (password: string): Promise<number> => {
    const body = new URLSearchParams({ username: 'ada@example.com', password });
    return (await fetch(new URL('/api/v1/auth/login/local', urls[0]), { method: 'POST', body })).status;
  };

  /** Returns for each of a user's credentials how the other replica answers it. */
  const knows = async (session: HttpSession, tokens: readonly string[]): Promise<number[]> => {
    const credentials = [
      { cookie: session.cookieHeader },
      ...tokens.map((token) => ({ authorization: `Bearer ${token}` })),
    ];
    const ask = async (headers: Record<string, string>) =>
      (await fetch(new URL('/api/tasks', urls[1]), { headers })).status;
    return Promise.all(credentials.map(ask));
  };

  it('say so, go on with what they can do alone, and are whole again when it is back, emptied', async () => {
    expect(await Promise.all(urls.map(cacheOf))).toEqual(['200 connected', '200 connected']);
    const session = await replicas.gateways[0]?.register('eve@example.com');
    if (!session) throw new Error('Two replicas are needed.');
    const eve = await ConversationCaller.of(urls[0], session, ['dispatch:read']);
    const tokens = [eve.token, (await DispatchCaller.login(urls[0], 'eve@example.com')).token];
    const gate = closeGate('redis-away');
    const threadId = await here.thread();
    const local = await here.stream(threadId, {
      assistant_id: 'chat',
      input: says('count to 5 at gate redis-away before 3'),
      stream_mode: ['values', 'messages-tuple'],
    });
    const runId = (await local.next())?.data.run_id;
    await gate.reached;
    const remote = await there.open('GET', `/threads/${threadId}/runs/${runId}/stream`);
    await remote.next();

    await replicas.redis.kill();
    await expect(remote.rest()).rejects.toThrow();
    for (const url of urls) await expect.poll(() => cacheOf(url)).toBe('200 disconnected');
    const metrics = await (await fetch(new URL('/metrics', urls[0]))).text();
    for (const line of [
      'switchyard_redis_up 0',
      'switchyard_redis_losses_total 1',
      'switchyard_database_up 1',
    ])
      expect(metrics).toContain(line);

    // An account that is disabled at one replica is refused at the other at once.
    expect(await knows(session, tokens)).toEqual([200, 200, 200]);
    await changeAccount(eve.userId, 'PATCH', { body: { disabled: true } });
    expect(await knows(session, tokens)).toEqual([401, 401, 401]);

    // Reads, new tasks and new runs.
    expect((await there.get(`/threads/${threadId}`)).status).toBe(200);
    const task = await ada.submit({ workflow: anyWorkflow });
    expect(await ada.at(urls[1]).task(task.id)).toMatchObject({ id: task.id });
    const values = await here.wait(await here.thread(), { assistant_id: 'chat', input: says('hello') });
    expect(values.messages.at(-1).content).toBe('You said: hello');
    // The run that was at work, and its stream where it works.
    gate.open();
    const frames = await local.rest();
    expect(frames.at(-1)?.data.messages.at(-1).content).toBe('1 2 3 4 5');
    // Each replica counts failed logins alone, and allows half as many.
    expect([await logIn('wrong'), await logIn('wrong'), await logIn('wrong')]).toEqual([401, 401, 429]);

    await replicas.redis.restart();
    for (const url of urls) await expect.poll(() => cacheOf(url)).toBe('200 connected');
    // The replica that wrote the stream copies it again once its own connection is back.
    await expect.poll(() => there.replay(threadId, runId)).toEqual(frames);
    expect(await logIn('correct horse battery')).toBe(200);
    const again = await there.wait(await there.thread(), { assistant_id: 'chat', input: says('again') });
    expect(again.messages.at(-1).content).toBe('You said: again');
  });
});
