import { createAccessToken } from '@switchyard/contract/accounts/access-token';
import { submitTask } from '@switchyard/contract/dispatch/tasks';
import { startGateway } from '@switchyard/dev-env/gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type Client, createClient } from '../src/client.ts';
import type { PushConnection } from '../src/push/push-connection.ts';
import type { PushMessage } from '../src/push/push-message.ts';
import { Site } from './support/site.ts';

const quickly = { firstMs: 10, maxMs: 50, maxFailures: 1_000 };

async function until<Type extends PushMessage['type']>(
  connection: PushConnection,
  type: Type,
): Promise<{ message: Extract<PushMessage, { type: Type }>; before: string[] }> {
  const before: string[] = [];
  const messages = connection[Symbol.asyncIterator]();
  for (;;) {
    const { value } = await messages.next();
    if (!value) throw new Error(`The messages ended before a ${type}.`);
    if (value.type === type) return { message: value as Extract<PushMessage, { type: Type }>, before };
    before.push(value.type);
  }
}

describe('live messages', () => {
  let site: Site;
  let client: Client;

  beforeAll(async () => {
    site = await Site.start();
    client = await site.admin();
  });
  afterAll(() => site.stop());

  it('begin with a snapshot and tell each step of a task', async () => {
    const connection = client.push.connect();
    const { message, before } = await until(connection, 'global_status');
    expect(before).toEqual([]);
    expect(message.data.instances).toHaveLength(1);
    const task = await client.call(submitTask, { body: { workflow: site.workflow } });
    const completed = await until(connection, 'task_completed');
    expect(completed.message.data).toMatchObject({
      taskId: task.id,
      result: { files: [expect.any(String)] },
    });
    expect(completed.before).toEqual(expect.arrayContaining(['task_created', 'task_started']));
    connection.close();
  });

  it('may be handed to functions, typed by the kind of message', async () => {
    const controller = new AbortController();
    const completed: string[] = [];
    const listening = client.push.listen(
      {
        global_status: () => void client.call(submitTask, { body: { workflow: site.workflow } }),
        task_completed: ({ taskId }) => {
          completed.push(taskId);
          controller.abort(new Error('seen'));
        },
      },
      { signal: controller.signal },
    );
    await expect(listening).rejects.toThrow('seen');
    expect(completed).toHaveLength(1);
  });

  it('are limited to the topics that were asked for', async () => {
    const other = await client.call(submitTask, { body: { workflow: site.workflow, pool: 'nowhere' } });
    const connection = client.push.connect({ topics: ['tasks'], taskIds: [other.id] });
    expect((await until(connection, 'subscribed')).message.data).toEqual({
      topics: ['tasks'],
      taskIds: [other.id],
    });
    await client.call(submitTask, { body: { workflow: site.workflow } });
    connection.subscribe({ topics: ['tasks'] });
    await until(connection, 'subscribed');
    const { id } = await client.call(submitTask, { body: { workflow: site.workflow, name: 'mine' } });
    const created = await until(connection, 'task_created');
    expect(created.message.data.taskId).toBe(id);
    connection.close();
  });

  it.each([
    ['cookies', () => site.withCookies()],
    [
      'an API key',
      async () => {
        const body = { name: 'push', scopes: ['dispatch:read' as const] };
        const { token } = await (await site.withCookies()).call(createAccessToken, { body });
        return createClient({ baseUrl: site.url, apiKey: token, WebSocket });
      },
    ],
  ])('come with %s as well', async (_, signIn) => {
    const connection = (await signIn()).push.connect();
    await until(connection, 'global_status');
    connection.close();
  });

  it('end for good with a wrong token, after one try', async () => {
    let opened = 0;
    class CountedSocket extends WebSocket {
      constructor(...args: ConstructorParameters<typeof WebSocket>) {
        super(...args);
        opened += 1;
      }
    }
    const liar = createClient({ baseUrl: site.url, token: 'not-a-token', WebSocket: CountedSocket });
    const messages = liar.push.connect({ reconnect: quickly })[Symbol.asyncIterator]();
    await expect(messages.next()).rejects.toMatchObject({ name: 'ApiError', status: 401 });
    expect(opened).toBe(1);
  });

  it('need a WebSocket, and say so where the runtime has none', () => {
    vi.stubGlobal('WebSocket', undefined);
    const without = createClient({ baseUrl: site.url, token: 'x' });
    expect(() => without.push.connect()).toThrow('Pass one');
    vi.unstubAllGlobals();
  });
});

describe('a gateway that restarts', () => {
  it('is connected to again, and sends a snapshot', async () => {
    const folder = temporaryFolder();
    const config = { database: { backend: 'sqlite' } } as const;
    const site = await Site.start({ home: folder.path, config });
    const client = await site.admin();
    const connection = client.push.connect({ reconnect: quickly });
    const messages = connection[Symbol.asyncIterator]();
    const next = async (type: string): Promise<PushMessage> => {
      for (;;) {
        const { value } = await messages.next();
        if (value?.type === type) return value;
      }
    };
    await next('global_status');

    const port = Number(new URL(site.url).port);
    await site.gateway.stop();
    expect(await next('disconnected')).toMatchObject({ data: { reason: 'The gateway is shutting down.' } });
    site.gateway = await startGateway({ home: folder.path, config: { ...config, server: { port } } });

    await next('global_status');
    const { id } = await client.call(submitTask, { body: { workflow: site.workflow } });
    expect(await next('task_completed')).toMatchObject({ data: { taskId: id } });
    connection.close();
    await site.stop();
    folder.remove();
  });
});
