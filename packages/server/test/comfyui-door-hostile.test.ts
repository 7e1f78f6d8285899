import { randomUUID } from 'node:crypto';
import { pushCloseCodes } from '@switchyard/contract/dispatch/push';
import { bytesBetweenSockets } from '@switchyard/dev-env/bytes-between-sockets';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ComfyuiCaller } from './support/comfyui-caller.ts';
import { anyWorkflow, type DispatchPool, held, startPool } from './support/dispatch-pool.ts';
import { RawConnection } from './support/raw-connection.ts';

const maxSockets = 6;
const maxQueued = 40;

describe('clients of ComfyUI that behave badly', () => {
  let pool: DispatchPool;
  let ada: ComfyuiCaller;

  beforeAll(async () => {
    pool = await startPool({
      workers: [held],
      config: { dispatch: { max_sockets_per_user: maxSockets, max_queued_per_user: maxQueued } },
    });
    ada = await ComfyuiCaller.register(pool.gateway.url, 'ada@example.com');
  });
  afterAll(() => pool.close());

  const socketsOpen = () => pool.gateway.context.dispatch?.events.reportsWanted;

  const headOf = (path: string, more: readonly string[] = []) => [
    `GET /comfy${path} HTTP/1.1`,
    `Authorization: Bearer ${ada.token}`,
    ...more,
  ];

  const upgrade = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
  ];

  it('are cut when they read nothing, while another client with the same id gets every frame once', async () => {
    const size = 50_000;
    const count = 1_500 + Math.ceil((await bytesBetweenSockets()) / size);
    const reading = await ada.listen('both');
    const deaf = new WebSocket(`${ada.base.replace('http', 'ws')}/ws?clientId=both`, {
      headers: { authorization: `Bearer ${ada.token}` },
    });
    await new Promise((resolve) => deaf.once('open', resolve));
    deaf.pause();
    const closed = new Promise((resolve) => deaf.once('close', resolve));
    const promptId = await ada.queue(anyWorkflow, { client_id: 'both' });
    await reading.next(({ type, data }) => type === 'executing' && data.prompt_id === promptId);
    const tasks = await fetch(`${pool.gateway.url}/api/tasks?limit=1`, {
      headers: { authorization: `Bearer ${ada.token}` },
    });
    const [task] = ((await tasks.json()) as { data: { items: { id: string }[] } }).data.items;
    if (!task) throw new Error('The prompt is a task.');
    const owner = socketsOpen()?.[0] ?? '';
    const already = reading.frames.length;
    for (let number = 0; number < count; number += 1) {
      const event = { type: 'nodes_cached', nodeIds: [`${number}`.padEnd(size, 'x')] } as const;
      pool.gateway.context.dispatch?.events.announce({
        type: 'task_execution',
        taskId: task.id,
        owner,
        event,
      });
      if (number % 10 === 9) await new Promise((resolve) => setImmediate(resolve));
    }
    await expect
      .poll(() => reading.frames.filter(({ type }) => type === 'execution_cached').length)
      .toBeGreaterThanOrEqual(count);
    const numbers = reading.frames
      .slice(already)
      .filter(({ type }) => type === 'execution_cached')
      .map(({ data }) => Number.parseInt(data.nodes[0], 10));
    expect(numbers).toEqual(Array.from({ length: count }, (_, number) => number));
    deaf.resume();
    expect(await closed).toBe(pushCloseCodes.fellBehind);
    pool.workers[0]?.finishRun();
    await reading.settled(promptId);
    reading.close();
  });

  it('are cut when they send what is not a WebSocket frame, or too much, and give their place back', async () => {
    const masked = (head: number[], length: number) =>
      Buffer.from([...head, 0, 0, 0, 0, ...Buffer.alloc(length)]);
    const faults: Record<string, Buffer> = {
      'no mask': Buffer.from([0x81, 0x02, 0x7b, 0x7d]),
      'reserved bits': masked([0xf1, 0x80], 0),
      'an unknown kind': masked([0x8f, 0x80], 0),
      'a long ping': masked([0x89, 0xfe, 0x01, 0x00], 256),
      'more than any message': masked([0x81, 0xff, 0, 0, 0, 0x10, 0, 0, 0, 0], 0),
      'text that is not UTF-8': Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff]),
    };
    for (const [fault, bytes] of Object.entries(faults)) {
      const connection = await RawConnection.open(pool.gateway.url);
      connection.request(headOf('/ws?clientId=raw', upgrade));
      await expect.poll(() => connection.statuses, { message: fault }).toEqual([101]);
      connection.write(bytes);
      await expect.poll(() => connection.isClosed, { message: fault }).toBe(true);
    }
    await expect.poll(socketsOpen).toEqual([]);
    const listener = await ada.listen('after');
    await listener.next(({ type }) => type === 'status');
    listener.close();
  });

  it('may say what they like on the socket, which is ignored', async () => {
    const listener = await ada.listen('talker');
    for (let count = 0; count < 2_000; count += 1) listener.send({ type: 'feature_flags', data: { count } });
    const promptId = await ada.queue(anyWorkflow, { client_id: 'talker' });
    await listener.next(({ type, data }) => type === 'executing' && data.prompt_id === promptId);
    pool.workers[0]?.finishRun();
    await listener.settled(promptId);
    expect(listener.frames.filter(({ type }) => type === 'feature_flags')).toHaveLength(1);
    listener.close();
  });

  it('have a limited number of sockets, also when they leave without a word', async () => {
    const open = await Promise.all(
      Array.from({ length: maxSockets }, (_, index) => ada.listen(`place-${index}`)),
    );
    await expect(ada.listen('one more')).rejects.toThrow('429');
    for (const listener of open) listener.close();
    await expect.poll(socketsOpen).toEqual([]);
    const raw = await Promise.all(
      Array.from({ length: maxSockets }, () => RawConnection.open(pool.gateway.url)),
    );
    for (const connection of raw) connection.request(headOf('/ws', upgrade));
    for (const connection of raw) await expect.poll(() => connection.statuses).toEqual([101]);
    await expect(ada.listen('one more')).rejects.toThrow('429');
    for (const connection of raw) connection.destroy();
    await expect.poll(socketsOpen).toEqual([]);
  });

  it('get the id that they gave, whatever it looks like, and hear of no prompt of another id', async () => {
    const ids = [
      '__proto__',
      'constructor',
      '../../etc',
      'null',
      '"><script>',
      '💥',
      'a b',
      '%',
      "'; drop table",
      '\u202e',
    ];
    for (const id of ids) {
      const listener = await ada.listen(encodeURIComponent(id));
      expect((await listener.next(({ type }) => type === 'status')).data.sid).toBe(id);
      const theirs = await ada.queue(anyWorkflow, { client_id: `${id} ` });
      const own = await ada.queue(anyWorkflow, { client_id: id });
      for (const promptId of [theirs, own]) {
        await expect
          .poll(async () => (await ada.get('/queue')).queue_running.map(([, running]: string[]) => running))
          .toEqual([promptId]);
        pool.workers[0]?.finishRun();
        await expect.poll(async () => Object.keys(await ada.get(`/history/${promptId}`))).toEqual([promptId]);
      }
      await listener.settled(own);
      expect(listener.frames.filter(({ data }) => data.prompt_id === theirs)).toEqual([]);
      listener.close();
    }
  });

  it('are refused an id that is too long or that no database holds', async () => {
    await expect(ada.listen('x'.repeat(201))).rejects.toThrow('400');
    await expect(ada.listen('a%00b')).rejects.toThrow('400');
    const twice = await ada.listen('first&clientId=second');
    expect((await twice.next(({ type }) => type === 'status')).data.sid).toMatch(/^[0-9a-f]{32}$/);
    twice.close();
    for (const id of ['x'.repeat(201), 'a\u0000b']) {
      const answer = await ada.post('/prompt', { prompt: anyWorkflow, client_id: id });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { type: expect.any(String) }, node_errors: {} });
    }
    expect(await ada.get('/queue')).toEqual({ queue_running: [], queue_pending: [] });
  });

  it('get 429 for prompts beyond their queue, in the words of ComfyUI, and nothing of those is stored', async () => {
    const ids = Array.from({ length: 1_000 }, () => randomUUID());
    const statuses = new Map<number, string[]>();
    const send = async (promptId: string): Promise<void> => {
      const answer = await ada.post('/prompt', {
        prompt: anyWorkflow,
        prompt_id: promptId,
        client_id: 'many',
      });
      const body = await answer.json();
      statuses.set(answer.status, [...(statuses.get(answer.status) ?? []), promptId]);
      if (answer.status !== 200)
        expect(body).toMatchObject({
          error: { type: 'queue_full', message: expect.any(String) },
          node_errors: {},
        });
    };
    const left = [...ids];
    const lane = async (): Promise<void> => {
      for (let id = left.pop(); id !== undefined; id = left.pop()) await send(id);
    };
    await Promise.all(Array.from({ length: 20 }, lane));
    expect([...statuses.keys()].toSorted()).toEqual([200, 429]);
    const { queue_running: running, queue_pending: waiting } = await ada.get('/queue');
    const stored = [...running, ...waiting].map(([, id]: [number, string]) => id);
    expect(stored.toSorted()).toEqual(statuses.get(200)?.toSorted());
    expect(waiting.length).toBeLessThanOrEqual(maxQueued);
    await ada.post('/queue', { clear: true });
    await ada.fetch('/interrupt', { method: 'POST' });
    await expect.poll(async () => (await ada.get('/queue')).queue_running).toEqual([]);
  });

  it('hold up no one when they ask for the nodes of the pool and never read them', async () => {
    const connections = await Promise.all(
      Array.from({ length: 50 }, () => RawConnection.open(pool.gateway.url)),
    );
    for (const connection of connections) {
      connection.stopReading();
      for (let count = 0; count < 20; count += 1) connection.request(headOf('/object_info'));
    }
    expect(await ada.get('/object_info/SaveImage')).toMatchObject({ SaveImage: { output_node: true } });
    for (const connection of connections) connection.destroy();
    expect(Object.keys(await ada.get('/object_info')).length).toBeGreaterThan(1);
  });
});
