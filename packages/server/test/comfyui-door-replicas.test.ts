import { randomUUID } from 'node:crypto';
import { holdPort } from '@switchyard/dev-env/cluster';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { startNginx, testNginx } from '@switchyard/dev-env/nginx';
import type { RunningProxy } from '@switchyard/dev-env/proxy-process';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ComfyuiCaller, type ComfyuiListener } from './support/comfyui-caller.ts';
import { held } from './support/dispatch-pool.ts';
import { type DispatchReplicas, startDispatchReplicas } from './support/dispatch-replicas.ts';
import { McpCallers } from './support/mcp-callers.ts';
import { testReplicas } from './support/replicas.ts';

const about = 'the pool as one ComfyUI on three replicas';
const replicasHere = testReplicas(about);
const { title, isSkipped } = replicasHere.title === about ? testNginx(about) : replicasHere;

const workflow = {
  '1': { class_type: 'EmptyImage', inputs: {} },
  '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
  '3': { class_type: 'SaveImage', inputs: { images: ['2', 0] } },
};

describe.skipIf(isSkipped)(title, () => {
  const folder = temporaryFolder();
  let replicas: DispatchReplicas;
  let nginx: RunningProxy;
  /** The same account at the dispatcher, at the two others, and behind nginx. */
  let a: ComfyuiCaller;
  let b: ComfyuiCaller;
  let c: ComfyuiCaller;
  let any: ComfyuiCaller;

  beforeAll(async () => {
    const port = await holdPort();
    replicas = await startDispatchReplicas(3, {
      workers: [{ ...held, isLifelike: true, outputBytes: 100 }],
      config: {
        server: { public_url: `http://127.0.0.1:${port.port}` },
        doors: { comfyui: { port: 0 } },
      },
    });
    await port.release();
    const urls = replicas.gateways.map(({ url }) => url);
    const replicaPorts = urls.map((url) => Number(new URL(url).port));
    nginx = await startNginx({ folder: folder.path, port: port.port, replicaPorts });
    const [first = '', second, third] = urls;
    const { token } = await ComfyuiCaller.register(first, 'ada@example.com');
    const at = (url: string | undefined) => new ComfyuiCaller(`${url}/comfy`, token);
    [a, b, c, any] = [at(first), at(second), at(third), at(nginx.url)];
  });
  afterAll(async () => {
    await nginx?.stop();
    await replicas?.stop();
    folder.remove();
  });

  const finishRun = () => replicas.workers[0]?.finishRun();

  /** The worker has told of every node: the state of all of them is its last message before the end. */
  const untilTold = (listener: ComfyuiListener, promptId: string) =>
    listener.next(
      ({ type, data }) =>
        type === 'progress_state' && data.prompt_id === promptId && data.nodes['3']?.state === 'finished',
    );

  /** The frames of a prompt in their order, without those that a newer one replaces while they wait. */
  const storyOf = (listener: ComfyuiListener, promptId: string) =>
    listener.frames
      .filter(({ type, data }) => data.prompt_id === promptId && !type.startsWith('progress'))
      .map(({ type, data }) => `${type} ${data.node ?? ''}`.trim());

  const wholeStory = [
    'execution_start',
    'execution_cached',
    'executing 1',
    'executing 2',
    'executing 3',
    'executed 3',
    'execution_success',
    'executing',
  ];

  it('tells the client at any of them everything about its prompt, each frame once, wherever it was sent', async () => {
    for (const sender of [a, b, c]) {
      const clientId = randomUUID();
      const listeners = await Promise.all([a, b, c].map((at) => at.listen(clientId)));
      const promptId = await sender.queue(workflow, { client_id: clientId });
      for (const listener of listeners) await untilTold(listener, promptId);
      finishRun();
      for (const listener of listeners) await listener.settled(promptId);
      for (const listener of listeners) {
        expect(storyOf(listener, promptId)).toEqual(wholeStory);
        expect(listener.frames.findLast(({ type }) => type === 'progress').data).toMatchObject({ value: 8 });
        expect(listener.binary.length).toBeGreaterThan(0);
        listener.close();
      }
    }
  });

  it('tells no other client of it', async () => {
    const [mine, other] = [await b.listen('mine'), await b.listen('other')];
    const promptId = await c.queue(workflow, { client_id: 'mine' });
    await untilTold(mine, promptId);
    finishRun();
    await mine.settled(promptId);
    expect(other.frames.filter(({ type }) => type !== 'status')).toEqual([]);
    expect(other.binary).toEqual([]);
    for (const listener of [mine, other]) listener.close();
  });

  it('stops at one the prompt that was sent to another, and says so to the client at a third', async () => {
    const listener = await b.listen('stopping');
    const [running, waiting] = [
      await a.queue(workflow, { client_id: 'stopping' }),
      await c.queue(workflow, { client_id: 'stopping' }),
    ];
    await untilTold(listener, running);
    expect((await a.post('/queue', { delete: [waiting] })).status).toBe(200);
    expect((await c.post('/interrupt', { prompt_id: running })).status).toBe(200);
    const frames = await listener.settled(running);
    expect(frames.map(({ type }) => type)).toContain('execution_interrupted');
    await listener.settled(waiting);
    expect((await any.get('/queue')).queue_running).toEqual([]);
    listener.close();
  });

  it('says to a client that comes back to another replica which node runs, and how its prompt ends', async () => {
    const first = await b.listen('returning');
    const promptId = await a.queue(workflow, { client_id: 'returning' });
    await untilTold(first, promptId);
    first.close();
    for (const at of [c, a]) {
      const again = await at.listen('returning');
      await again.next(({ type }) => type === 'executing');
      expect(storyOf(again, promptId)).toEqual(['executing 3']);
      again.close();
    }
    const last = await c.listen('returning');
    await last.next(({ type }) => type === 'executing');
    finishRun();
    await last.settled(promptId);
    expect(storyOf(last, promptId)).toEqual(['executing 3', 'executed 3', 'execution_success', 'executing']);
    last.close();
  });

  it('works behind nginx, which gives each call to another one', async () => {
    const listeners = await Promise.all(['x', 'y', 'z'].map((clientId) => any.listen(clientId)));
    for (const [index, listener] of listeners.entries()) {
      const clientId = ['x', 'y', 'z'][index];
      const promptId = await any.queue(workflow, { client_id: clientId });
      await untilTold(listener, promptId);
      finishRun();
      await listener.settled(promptId);
      expect(storyOf(listener, promptId)).toEqual(wholeStory);
      const { [promptId]: entry } = await any.get(`/history/${promptId}`);
      const [file] = entry.outputs['3'].images;
      expect((await any.fetch(`/view?${new URLSearchParams(file)}`)).status).toBe(200);
      listener.close();
    }
  });

  it('streams a job of the Comfy API at a replica that is not the dispatcher', async () => {
    const sent = await b.fetch('/api/v2/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ workflow }),
    });
    const { id } = (await sent.json()) as { id: string };
    const stream = await c.fetch(`/api/v2/jobs/${id}/events`);
    let text = '';
    for await (const chunk of stream.body ?? []) {
      text += Buffer.from(chunk);
      // The worker is held until the stream has told that the job runs.
      if (text.includes('"status":"running"') || text.includes('event: progress')) finishRun();
    }
    const events = [...text.matchAll(/^event: (\w+)$/gm)].map(([, event]) => event);
    expect(events.slice(-2)).toEqual(['output', 'status']);
    expect(text).toContain('"status":"succeeded"');
  });

  it('opens the page of ComfyUI at one replica with a ticket of another, once, and ends it at all', async () => {
    const credentials = { email: 'page@example.com', password: 'correct horse battery' };
    const session = await HttpSession.register(a.base.replace('/comfy', ''), credentials);
    const tickets = await Promise.all(
      replicas.gateways.map(async ({ url }) => {
        const { data } = await session.at(url).post<{ data: { url: string } }>('/api/comfyui/page', {});
        return new URL(data.url);
      }),
    );
    const [ofA, ofB, ofC] = tickets.map(({ origin }) => origin);
    const spend = (origin?: string) =>
      fetch(`${origin}${tickets[0]?.pathname}${tickets[0]?.search}`, { redirect: 'manual' });
    const opened = await spend(ofB);
    expect(opened.status).toBe(303);
    const [cookie = ''] = (opened.headers.getSetCookie()[0] ?? '').split(';');
    for (const origin of [ofA, ofB, ofC]) {
      expect((await spend(origin)).status).toBe(401);
      expect((await fetch(`${origin}/api/queue`, { headers: { cookie } })).status).toBe(200);
    }
    const socket = new WebSocket(`${ofC?.replace('http', 'ws')}/ws`, { headers: { cookie, origin: ofC } });
    await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await session.post('/api/v1/auth/logout', {}, { origin: a.base.replace('/comfy', '') });
    expect(await closed).toBe(4401);
    for (const origin of [ofA, ofB, ofC])
      expect((await fetch(`${origin}/api/queue`, { headers: { cookie } })).status).toBe(401);
  });

  it('lets an MCP client begin a task at one replica, and follow and stop it at the others', async () => {
    const [first = '', second = '', third = ''] = replicas.gateways.map(({ url }) => url);
    const session = await HttpSession.register(first, {
      email: 'm@example.com',
      password: 'correct horse battery',
    });
    await session.post('/api/workflows', { name: 'Shared', workflow, exposed: true });
    const caller = await McpCallers.of(first, session);
    const begin = async (url: string) => {
      const call = { name: 'workflow_shared', arguments: {} };
      return (await caller.at(url).request('tools/call', call, { withTasks: true })).body.result.taskId;
    };
    const read = async (url: string, taskId: string) =>
      (await caller.at(url).request('tasks/get', { taskId })).body.result;
    const accepted = () => replicas.workers[0]?.stats.accepted;
    const before = accepted();
    const [made, stopped] = [await begin(third), await begin(second)];
    await expect.poll(accepted).not.toBe(before);
    finishRun();
    await expect.poll(() => read(second, made)).toMatchObject({ status: 'completed' });
    await caller.at(third).request('tasks/cancel', { taskId: stopped });
    await expect.poll(() => read(first, stopped)).toMatchObject({ status: 'cancelled' });
  });

  it('tells the end of a prompt from the rows, once, when the news of it are lost', async () => {
    const listener = await b.listen('cut off');
    const promptId = await c.queue(workflow, { client_id: 'cut off' });
    await untilTold(listener, promptId);
    await replicas.redis.kill();
    finishRun();
    await listener.settled(promptId);
    expect(storyOf(listener, promptId)).toEqual(wholeStory);
    await replicas.redis.restart();
    for (const gateway of replicas.gateways) {
      const health = async () => (await (await gateway.fetch('/api/health')).json()) as object;
      await expect.poll(health).toMatchObject({ data: { cache: 'connected' } });
    }
    listener.close();
  });

  it('goes on telling when another replica has become the dispatcher', async () => {
    const listener = await c.listen('staying');
    const before = await b.queue(workflow, { client_id: 'staying' });
    await untilTold(listener, before);
    await replicas.gateways[0]?.stop();
    const after = await b.queue(workflow, { client_id: 'staying' });
    finishRun();
    await listener.settled(before);
    await untilTold(listener, after);
    finishRun();
    await listener.settled(after);
    expect(storyOf(listener, after)).toEqual(wholeStory);
    listener.close();
  });
});
