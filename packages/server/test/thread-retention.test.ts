import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SystemReport } from '@switchyard/contract/system';
import { startGateway } from '@switchyard/dev-env/gateway';
import { HttpSession } from '@switchyard/dev-env/http-session';
import type { ConversationTables } from '@switchyard/server/conversation/tables';
import { expect, it } from 'vitest';
import { ConversationCaller } from './support/conversation-caller.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';

it('administrators see which old threads would go, and delete those of one user with their files', async () => {
  const yearMs = 365 * 86_400_000;
  const gateway = await startGateway({ config: { conversation: { thread_retention: yearMs } } });
  try {
    await DispatchCaller.initialize(gateway.url);
    const admin = await HttpSession.login(gateway.url, {
      email: 'admin@example.com',
      password: 'correct horse battery',
    });
    const session = await gateway.register('ada@example.com');
    const ada = await ConversationCaller.of(gateway.url, session);
    const [old, young] = [await ada.thread(), await ada.thread()];
    const body = new FormData();
    body.append('files', new Blob(['hello']), 'a.txt');
    const { userId } = ada;
    const folder = join(gateway.home, 'users', userId, 'threads', old);
    const headers = { 'x-api-key': ada.token };
    expect(
      (await gateway.fetch(`/api/threads/${old}/uploads`, { method: 'POST', headers, body })).status,
    ).toBe(200);
    expect(existsSync(folder)).toBe(true);
    const oldest = '2020-01-01T00:00:00.000Z';
    await gateway.context.database
      .withTables<ConversationTables>()
      .write((trx) =>
        trx.updateTable('threads').set({ updated_at: oldest }).where('thread_id', '=', old).execute(),
      );

    const { retention } = (await admin.get<{ data: SystemReport }>('/api/system')).data;
    expect(retention.find(({ what }) => what === 'threads')).toMatchObject({
      keptSeconds: yearMs / 1_000,
      nextAt: expect.any(String),
      count: 1,
      countIsMinimum: false,
    });

    const url = '/api/thread-retention';
    const asked = { older_than_seconds: 86_400, user: 'ada@example.com' };
    expect(await admin.get(`${url}?older_than_seconds=86400&user=ada@example.com`)).toMatchObject({
      threads: 1,
      users: [{ user_id: userId, email: 'ada@example.com', threads: 1, oldest }],
      users_left_out: 0,
    });
    await expect(session.post(url, asked)).rejects.toThrow(/403/);
    await expect(admin.post(url, { ...asked, user: 'bob@example.com' })).rejects.toThrow(/bob@example\.com/);
    expect(await admin.post(url, asked)).toMatchObject({ deleted: 1, kept: 0, more: false });
    expect((await ada.call('GET', `/threads/${old}`)).status).toBe(404);
    expect((await ada.call('GET', `/threads/${young}`)).status).toBe(200);
    expect(existsSync(folder)).toBe(false);
    const { items } = (await admin.get<{ data: { items: object[] } }>('/api/audit?action=threads.expired'))
      .data;
    expect(items).toMatchObject([
      { actorName: 'admin@example.com', target: `user:${userId}`, details: { threads: 1 } },
    ]);
  } finally {
    await gateway.stop();
  }
});
