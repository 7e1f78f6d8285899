import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FreezableProxy } from '../testing/freezable-proxy.ts';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { fixtureAgents } from './support/conversation-gateway.ts';
import { startReplicas, testReplicas } from './support/replicas.ts';

const { title, isSkipped } = testReplicas('a replica that is cut off from Postgres');

describe.skipIf(isSkipped)(title, () => {
  let proxy: FreezableProxy;
  let gateway: DevGateway;
  let ada: ConversationCaller;
  let release: () => Promise<void>;
  beforeAll(async () => {
    const { config, stop } = await startReplicas(0, { agents: fixtureAgents });
    const url = new URL(config.database?.url ?? '');
    proxy = await FreezableProxy.start(`${url.searchParams.get('host')}/.s.PGSQL.5432`);
    const through = `postgres://switchyard@127.0.0.1:${proxy.port}${url.pathname}`;
    gateway = await startGateway({ config: { ...config, database: { ...config.database, url: through } } });
    ada = await ConversationCaller.of(gateway.url, await gateway.register('ada@example.com'));
    release = async () => {
      await gateway.stop();
      await proxy.close();
      await stop();
    };
  });
  afterAll(() => release());

  it('answers 503 and says when to try again, hangs nowhere, and heals by itself', async () => {
    const threadId = await ada.thread();
    proxy.freeze();
    const answers = await Promise.all([
      ada.get(`/threads/${threadId}`),
      ada.post('/threads'),
      ada.post(`/threads/${threadId}/runs`, { assistant_id: 'chat', input: says('x') }),
      ada.call('GET', '/threads/search'),
    ]);
    for (const { status, headers } of answers.slice(0, 3)) {
      expect(status).toBe(503);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const health = await fetch(new URL('/api/health', gateway.url));
    expect([health.status, ((await health.json()) as { data: object }).data]).toMatchObject([
      503,
      { status: 'degraded', database: 'disconnected', cache: 'connected' },
    ]);

    proxy.thaw();
    await expect.poll(async () => (await fetch(new URL('/readyz', gateway.url))).status).toBe(200);
    const values = await ada.wait(threadId, { assistant_id: 'chat', input: says('hello') });
    expect(values.messages.at(-1).content).toBe('You said: hello');
  });
});
