import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { PushListener } from './support/push-listener.ts';

const small = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 255 } },
  '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
  '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'push' } },
};

describe('messages over the WebSocket', () => {
  let gateway: DevGateway;
  let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
  let admin: DispatchCaller;
  let user: DispatchCaller;

  beforeAll(async () => {
    gateway = await startGateway();
    worker = await startReferenceWorker();
    admin = await DispatchCaller.initialize(gateway.url);
    user = await DispatchCaller.register(gateway.url, 'user@example.com');
    await admin.useWorkers([worker.port]);
  });

  afterAll(async () => {
    await gateway.stop();
    await worker.close();
  });

  it('begin with a snapshot, then report each step of an own task with the request that caused it', async () => {
    const listener = await PushListener.open(gateway.url, user.token);
    const snapshot = await listener.next('global_status');
    expect(snapshot.data).toMatchObject({ tasks: { running: 0 }, serverTime: expect.any(String) });
    expect(snapshot.data.instances).toHaveLength(1);
    expect(listener.all[0]).toBe(snapshot);

    const requestId = '5f0c9b1e-2f0a-4f5c-9c53-0b1c7a3f9a10';
    const { data: task } = await user.call(
      'POST',
      '/api/tasks',
      { workflow: small },
      { 'x-request-id': requestId },
    );
    const completed = await listener.next('task_completed');
    expect(completed).toMatchObject({ requestId, data: { taskId: task.id, workflowId: null } });
    expect(completed.timestamp).toBeTypeOf('number');
    expect(completed.data.result.files).toEqual([expect.stringContaining('/uploads/')]);
    const types = listener.all.map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['task_created', 'task_started', 'instance_status']));
    expect(types.indexOf('task_created')).toBeLessThan(types.indexOf('task_started'));
    listener.close();
  });

  it('report a failure with its cause', async () => {
    const listener = await PushListener.open(gateway.url, user.token);
    await listener.next('global_status');
    const { data: task } = await user.call('POST', '/api/tasks', {
      workflow: {
        ...small,
        '1': { class_type: 'EmptyImage', inputs: { width: -5, height: 16, batch_size: 1, color: 0 } },
      },
    });
    const failed = await listener.next('task_failed');
    expect(failed.data).toMatchObject({
      taskId: task.id,
      attempt: 1,
      error: { code: 'invalid_workflow', node: '1', message: expect.any(String) },
    });
    listener.close();
  });

  it('show users their own tasks only, and administrators all', async () => {
    const [own, foreign, all] = await Promise.all([
      PushListener.open(gateway.url, user.token),
      DispatchCaller.register(gateway.url, 'other@example.com').then((other) =>
        PushListener.open(gateway.url, other.token),
      ),
      PushListener.open(gateway.url, admin.token),
    ]);
    await Promise.all([own, foreign, all].map((listener) => listener.next('global_status')));
    await user.call('POST', '/api/tasks', { workflow: small });
    await Promise.all([own.next('task_completed'), all.next('task_completed')]);
    expect(foreign.all.filter(({ type }) => type.startsWith('task_'))).toEqual([]);
    for (const listener of [own, foreign, all]) listener.close();
  });

  it('are limited to the subscribed topics', async () => {
    const listener = await PushListener.open(gateway.url, user.token);
    await listener.next('global_status');
    listener.send({ type: 'subscribe', data: { topics: ['tasks'] } });
    await listener.next('subscribed');
    await user.call('POST', '/api/tasks', { workflow: small });
    await listener.next('task_completed');
    // Before that, events of the previous test may still arrive.
    const types = listener.all.map(({ type }) => type);
    expect(new Set(types.slice(types.indexOf('subscribed') + 1))).toEqual(
      new Set(['task_created', 'task_started', 'task_completed']),
    );
    listener.close();
  });

  it('name the files that a user uploads, that a task makes and that are deleted, to their owner alone', async () => {
    const other = await DispatchCaller.register(gateway.url, 'files@example.com');
    const [own, foreign] = await Promise.all(
      [user, other].map(async ({ token }) => {
        const listener = await PushListener.open(gateway.url, token);
        await listener.next('global_status');
        return listener;
      }),
    );
    if (!own || !foreign) throw new Error('no listeners');
    const { fileId } = await user.upload('a.txt', Buffer.from('hello'));
    const created = (await own.next('files_created')).data.files;
    expect(created).toMatchObject([{ fileId, filename: 'a.txt', size: 5, source: 'upload', taskId: null }]);
    expect(created[0]).not.toHaveProperty('owner');
    const task = await user.submit({ workflow: small });
    const outputs = (await own.next('files_created')).data.files;
    expect(outputs).toMatchObject([{ source: 'output', taskId: task.id, contentType: 'image/png' }]);
    await user.call('DELETE', `/api/files/${fileId}`);
    expect((await own.next('files_deleted')).data).toEqual({ fileIds: [fileId] });

    await other.upload('b.txt', Buffer.from('b'));
    await foreign.next('files_created');
    expect(foreign.all.filter(({ type }) => type.startsWith('files_'))).toHaveLength(1);
    for (const listener of [own, foreign]) listener.close();
  });

  it('tell a user about the marks of files and about collections, and both sides about a share', async () => {
    const other = await DispatchCaller.register(gateway.url, 'receiver@example.com');
    const stranger = await DispatchCaller.register(gateway.url, 'neither@example.com');
    const listeners = await Promise.all(
      [user, other, stranger].map(async ({ token }) => {
        const listener = await PushListener.open(gateway.url, token);
        await listener.next('global_status');
        return listener;
      }),
    );
    const [own, foreign, third] = listeners;
    if (!own || !foreign || !third) throw new Error('no listeners');
    const { fileId } = await user.upload('marked.txt', Buffer.from('marked'));
    const marks = { fileIds: [fileId], starred: true, addTags: ['sea'] };
    const { data: marked } = await user.call('PUT', '/api/files/marks', marks);
    expect((await own.next('files_marked')).data.files).toEqual(marked.items);
    const { data: collection } = await user.call('POST', '/api/collections', { name: 'Sea' });
    const path = `/api/collections/${collection.id}`;
    await user.call('POST', `${path}/files`, { fileIds: [fileId] });
    await user.call('DELETE', path);
    for (const _ of ['made', 'filled', 'deleted'])
      expect((await own.next('collection_changed')).data).toEqual({ collectionId: collection.id });

    const subject = { kind: 'file', subjectId: fileId };
    const to = { kind: 'person', email: 'receiver@example.com' };
    const { data: share } = await user.call('POST', '/api/shares', { ...subject, to });
    await user.call('DELETE', `/api/shares/${share.id}`);
    for (const listener of [own, own, foreign, foreign])
      expect((await listener.next('share_changed')).data).toEqual(subject);
    await user.call('POST', '/api/shares', { ...subject, to: { kind: 'everyone' } });
    for (const listener of listeners) await listener.next('share_changed');
    const foreignTypes = third.all.filter(({ type }) => /^(files|collection|share)_/.test(type));
    expect(foreignTypes).toHaveLength(1);
    for (const listener of listeners) listener.close();
  });

  it('are sent again, in their order, to a client that comes back with its cursor', async () => {
    const first = await PushListener.open(gateway.url, user.token);
    const { cursor } = await first.next('global_status');
    first.close();
    await first.closed;
    const task = await user.submit({ workflow: small });
    await user.ended(task.id);
    const again = await PushListener.open(`${gateway.url}/?cursor=${cursor}`, user.token);
    const resumed = await again.next('resumed');
    expect(again.all.map(({ type }) => type).filter((type) => type !== 'instance_status')).toEqual([
      'global_status',
      'task_created',
      'task_started',
      'task_completed',
      'files_created',
      'resumed',
    ]);
    expect(resumed.data).toEqual({ frames: 4 });
    // A connection that broke before it had read all of it begins at the same place.
    expect(again.all[0]?.cursor).toBe(cursor);
    again.close();

    const upToDate = await PushListener.open(`${gateway.url}/?cursor=${resumed.cursor}`, user.token);
    expect((await upToDate.next('resumed')).data).toEqual({ frames: 0 });
    upToDate.close();
  });

  it('that others missed are not sent to a user with their cursor', async () => {
    const first = await PushListener.open(gateway.url, user.token);
    const { cursor } = await first.next('global_status');
    const other = await DispatchCaller.register(gateway.url, 'curious@example.com');
    const { fileId } = await user.upload('secret.txt', Buffer.from('x'));
    await first.next('files_created');
    const curious = await PushListener.open(`${gateway.url}/?cursor=${cursor}`, other.token);
    await curious.next('resync');
    expect(JSON.stringify(curious.all)).not.toContain(fileId);
    for (const listener of [first, curious]) listener.close();
  });

  it('ask a client to read again when its cursor is of an earlier start or of no meaning', async () => {
    for (const cursor of ['AAAAAAAA.1', 'nonsense']) {
      const listener = await PushListener.open(`${gateway.url}/?cursor=${cursor}`, user.token);
      const resync = await listener.next('resync');
      expect(resync.data).toEqual({ reason: 'unknown_cursor' });
      expect(listener.all[1]).toBe(resync);
      listener.close();
    }
  });

  it('answer a ping, and explain what is wrong with an unknown message', async () => {
    const listener = await PushListener.open(gateway.url, user.token);
    listener.send({ type: 'ping' });
    await listener.next('pong');
    listener.send({ type: 'instance_status', data: {} });
    expect((await listener.next('error')).data.error).toBe('message_invalid');
    listener.close();
  });

  it('need a token in the query or in a first message', async () => {
    const byQuery = await PushListener.open(`${gateway.url}/?token=${user.token}`, null);
    await byQuery.next('global_status');
    byQuery.close();
    const byMessage = await PushListener.open(gateway.url, null);
    byMessage.send({ type: 'auth', data: { token: user.token } });
    await byMessage.next('global_status');
    byMessage.close();
    const wrong = await PushListener.open(gateway.url, 'not-a-token');
    expect(await wrong.closed).toBe(4401);
  });

  it('are not available over plain HTTP, which gets a hint to use a WebSocket', async () => {
    const answer = await fetch(new URL('/ws', gateway.url));
    expect([answer.status, answer.headers.get('upgrade')]).toEqual([426, 'websocket']);
    expect(await answer.json()).toMatchObject({ code: 426, error: 'upgrade_required' });
  });

  it('end with the session that they belong to', async () => {
    const leaving = await DispatchCaller.register(gateway.url, 'leaving@example.com');
    const listener = await PushListener.open(gateway.url, leaving.token);
    await listener.next('global_status');
    await admin.deleteUser('leaving@example.com');
    expect(await listener.closed).toBe(4401);
  });

  it('are refused to a page of another origin that has only the cookie', async () => {
    const session = await gateway.register('cookie@example.com');
    const cookie = session.cookieHeader;
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`, {
      headers: { cookie, origin: 'https://evil.example' },
    });
    const code = await new Promise((resolve) => socket.once('close', resolve));
    expect(code).toBe(4401);
    const own = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`, {
      headers: { cookie, origin: gateway.url },
    });
    const first = await new Promise<string>((resolve) =>
      own.once('message', (data) => resolve(String(data))),
    );
    expect(JSON.parse(first).type).toBe('global_status');
    own.close();
  });
});
