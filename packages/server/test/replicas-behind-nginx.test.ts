import { holdPort } from '@switchyard/dev-env/cluster';
import { startNginx, testNginx } from '@switchyard/dev-env/nginx';
import { type OwnPostgres, startOwnPostgres } from '@switchyard/dev-env/own-postgres';
import type { RunningProxy } from '@switchyard/dev-env/proxy-process';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConversationCaller } from './support/conversation-caller.ts';
import { type Replicas, startReplicas, testReplicas } from './support/replicas.ts';

const about = "replicas behind the guide's nginx";
const replicasHere = testReplicas(about);
const { title, isSkipped } = replicasHere.title === about ? testNginx(about) : replicasHere;

describe.skipIf(isSkipped)(title, () => {
  let postgres: OwnPostgres;
  let replicas: Replicas;
  let nginx: RunningProxy;
  let ada: ConversationCaller;
  const folder = temporaryFolder();
  beforeAll(async () => {
    postgres = await startOwnPostgres();
    const held = await holdPort();
    replicas = await startReplicas(
      3,
      { server: { public_url: `http://127.0.0.1:${held.port}` } },
      { postgres },
    );
    await held.release();
    const replicaPorts = replicas.gateways.map(({ url }) => Number(new URL(url).port));
    nginx = await startNginx({ folder: folder.path, port: held.port, replicaPorts });
    const [first] = replicas.gateways;
    if (!first) throw new Error('There are three replicas.');
    ada = (await ConversationCaller.of(first.url, await first.register('ada@example.com'))).atReplica(
      nginx.url,
    );
  });
  afterAll(async () => {
    await nginx?.stop();
    await replicas?.stop();
    await postgres?.stop();
    folder.remove();
  });

  it('pass their 503 with Retry-After on while Postgres is away, for every request, and serve when it is back', async () => {
    const threadId = await ada.thread();
    await postgres.end();
    for (const { url } of replicas.gateways)
      await expect.poll(async () => (await fetch(new URL('/readyz', url))).status).toBe(503);
    const seen = new Map<string, number>();
    for (let turn = 0; turn < 30; turn += 1) {
      const answers = await Promise.all([
        ...Array.from({ length: 6 }, () => ada.get(`/threads/${threadId}`)),
        ...Array.from({ length: 6 }, () => ada.post('/threads')),
      ]);
      for (const { status, headers } of answers) {
        const what = `${status}${Number(headers.get('retry-after')) > 0 ? ' with Retry-After' : ''}`;
        seen.set(what, (seen.get(what) ?? 0) + 1);
      }
    }
    expect(Object.fromEntries(seen)).toEqual({ '503 with Retry-After': 360 });

    await postgres.restart();
    for (const { url } of replicas.gateways)
      await expect.poll(async () => (await fetch(new URL('/readyz', url))).status).toBe(200);
    expect((await ada.get(`/threads/${threadId}`)).status).toBe(200);
  });
});
