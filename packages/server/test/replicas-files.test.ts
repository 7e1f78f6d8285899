import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { startGateway } from '@switchyard/dev-env/gateway';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConversationCaller } from './support/conversation-caller.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { type Replicas, startReplicas, testReplicas } from './support/replicas.ts';

const replicas = testReplicas('files of replicas');
const ada = { email: 'ada@example.com', password: 'correct horse battery' };

describe.skipIf(replicas.isSkipped)(replicas.title, () => {
  let cluster: Replicas;
  let onA: DispatchCaller;
  let onB: DispatchCaller;
  let talksOnA: ConversationCaller;
  let talksOnB: ConversationCaller;

  beforeAll(async () => {
    cluster = await startReplicas(2);
    const [a, b] = urls();
    talksOnA = await ConversationCaller.of(a, await HttpSession.register(a, ada));
    talksOnB = await ConversationCaller.of(b, await HttpSession.login(b, ada));
    onA = await DispatchCaller.login(a, ada.email);
    onB = await DispatchCaller.login(b, ada.email);
  });

  afterAll(() => cluster.stop());

  function urls(): [string, string] {
    const [a, b] = cluster.gateways.map(({ url }) => url);
    return [a ?? '', b ?? ''];
  }

  it('a file that was uploaded to one replica is downloaded from another, by its id and by its signed link', async () => {
    const bytes = Buffer.from('seen by every replica');
    const { fileId, url } = await onA.upload('note.txt', bytes);
    const { data } = await onB.call('GET', '/api/files?limit=10');
    expect(data.items.map((item: { fileId: string }) => item.fileId)).toContain(fileId);
    for (const gateway of urls()) {
      const answer = await fetch(new URL(new URL(url).pathname + new URL(url).search, gateway));
      expect(await answer.text(), gateway).toBe(bytes.toString());
    }
  });

  it('content that two replicas store at the same moment is kept once, and outlives the deletion of one of its files', async () => {
    const bytes = Buffer.from('the same content, sent to both');
    const uploads = await Promise.all([onA.upload('a.txt', bytes), onB.upload('b.txt', bytes)]);
    const [one, other] = uploads;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const blob = join(cluster.sharedHome, 'files', sha256.slice(0, 2), sha256);
    expect(statSync(blob).size).toBe(bytes.length);
    const longAgo = new Date(Date.now() - 7_200_000);
    utimesSync(blob, longAgo, longAgo);

    expect((await onB.call('DELETE', `/api/files/${one.fileId}`)).code).toBe(200);
    expect((await onA.call('GET', '/api/files?limit=50')).data.items).not.toContainEqual(
      expect.objectContaining({ fileId: one.fileId }),
    );
    const kept = await fetch(new URL(new URL(other.url).pathname + new URL(other.url).search, urls()[0]));
    expect(await kept.text()).toBe(bytes.toString());
  });

  it('the files of a thread, custom agents and profiles of one replica are there on another', async () => {
    const threadId = await talksOnA.thread();
    const form = new FormData();
    form.append('files', new Blob(['on A']), 'plan.txt');
    const sent = await fetch(new URL(`/api/threads/${threadId}/uploads`, talksOnA.url), {
      method: 'POST',
      headers: { 'x-api-key': talksOnA.token },
      body: form,
    });
    expect(sent.status).toBe(200);
    const listed = await talksOnB.get(`/threads/${threadId}/uploads/list`);
    expect(listed.body.files).toMatchObject([{ filename: 'plan.txt' }]);

    const agent = { name: 'helper', description: 'Helps.', soul: 'Be brief.' };
    expect((await talksOnA.call('POST', '/agents', { body: agent })).status).toBe(201);
    expect((await talksOnB.get('/agents/helper')).body).toMatchObject({ name: 'helper', soul: 'Be brief.' });
    await talksOnB.call('PUT', '/user-profile', { body: { content: 'I write tests.' } });
    expect((await talksOnA.get('/user-profile')).body).toMatchObject({ content: 'I write tests.' });
  });

  it('each replica keeps its lock and its address in its own data home, and nothing of that in the shared folder', () => {
    const shared = readdirSync(cluster.sharedHome);
    expect(shared).toContain('users');
    for (const { home } of cluster.gateways) {
      expect(readdirSync(home)).toEqual(expect.arrayContaining(['gateway.json', 'home.lock']));
      expect(readdirSync(home)).not.toContain('users');
      expect(readdirSync(home)).not.toContain('files');
    }
    expect(shared.filter((name) => /lock|gateway\.json|jwt|pid/.test(name))).toEqual([]);
  });

  it('replicas that start one after the other agree on the password of the first administrator', async () => {
    const fresh = await startReplicas(3, { auth: { bootstrap: 'auto' } });
    const file = readFileSync(join(fresh.sharedHome, 'admin_initial_credentials.txt'), 'utf8');
    const password = /^password: (.+)$/m.exec(file)?.[1] ?? '';
    for (const { url } of fresh.gateways) {
      await HttpSession.login(url, { email: 'admin@example.com', password });
    }
    expect(file).not.toContain('reset');
    await fresh.stop();
  });

  it('a replica that sees another folder does not start, and names the setting', async () => {
    const elsewhere = temporaryFolder();
    const config = { ...cluster.config, files: { shared_home: elsewhere.path } };
    await expect(startGateway({ config })).rejects.toThrow(
      `files.shared_home (${elsewhere.path}) is not the folder that the replicas of this database use`,
    );
    elsewhere.remove();
  });
});
