import { randomUUID } from 'node:crypto';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ComfyuiCaller } from './support/comfyui-caller.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, held, startPool } from './support/dispatch-pool.ts';

/** With several pictures the nodes report progress and show previews, unless a worker has made the same before. */
const picturesOf = (color: number) => ({
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 3, color } },
  '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
  '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'door' } },
});
const pictures = picturesOf(255);
const inverted = (image: string) => ({
  '1': { class_type: 'LoadImage', inputs: { image } },
  '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
  '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'inverted' } },
});
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('the pool as one ComfyUI', () => {
  let gateway: DevGateway;
  const workers: Awaited<ReturnType<typeof startReferenceWorker>>[] = [];
  let admin: DispatchCaller;
  let ada: ComfyuiCaller;
  let bob: ComfyuiCaller;

  beforeAll(async () => {
    gateway = await startGateway();
    for (let count = 0; count < 3; count += 1) workers.push(await startReferenceWorker());
    admin = await DispatchCaller.initialize(gateway.url);
    ada = await ComfyuiCaller.register(gateway.url, 'ada@example.com');
    bob = await ComfyuiCaller.register(gateway.url, 'bob@example.com');
    await admin.useWorkers(workers.map(({ port }) => port));
  });
  afterAll(async () => {
    await gateway.stop();
    for (const worker of workers) await worker.close();
  });

  async function run(caller: ComfyuiCaller, prompt: object, fields: object = {}) {
    const listener = await caller.listen('a-client');
    const promptId = await caller.queue(prompt, { client_id: 'a-client', ...fields });
    const frames = await listener.settled(promptId);
    listener.close();
    return { promptId, frames, binary: listener.binary };
  }

  async function pixelOf(caller: ComfyuiCaller, file: Record<string, string>): Promise<number[]> {
    const answer = await caller.fetch(`/view?${new URLSearchParams(file)}`);
    expect(answer.status).toBe(200);
    const { data } = await sharp(Buffer.from(await answer.arrayBuffer()))
      .raw()
      .toBuffer({ resolveWithObject: true });
    return [...data.subarray(0, 3)];
  }

  const solid = (r: number, g: number, b: number): Promise<Buffer> =>
    sharp({ create: { width: 8, height: 8, channels: 3, background: { r, g, b } } })
      .png()
      .toBuffer();

  it('tells the client that sent a prompt everything about it, in the order of ComfyUI', async () => {
    const listener = await ada.listen('window');
    const promptId = await ada.queue(pictures, { client_id: 'window' });
    const frames = await listener.settled(promptId);
    const types = frames.map(({ type }) => type);

    expect(promptId).toMatch(uuid);
    expect(listener.frames[0]).toEqual({
      type: 'status',
      data: { status: { exec_info: { queue_remaining: 0 } }, sid: 'window' },
    });
    expect(types.slice(0, 2)).toEqual(['execution_start', 'execution_cached']);
    expect(types.slice(-3)).toEqual(['executed', 'execution_success', 'executing']);
    const executing = frames.filter(({ type }) => type === 'executing').map(({ data }) => data.node);
    expect(executing).toEqual(['1', '2', '3', null]);
    const progress = frames.filter(({ type }) => type === 'progress').map(({ data }) => data);
    expect(progress.at(-1)).toMatchObject({ value: 3, max: 3, node: expect.any(String) });
    const { data } = frames.find(({ type }) => type === 'executed');
    expect(data).toMatchObject({ node: '3', display_node: '3' });
    expect(data.output.images).toHaveLength(3);
    expect(await pixelOf(ada, data.output.images[0])).toEqual([255, 255, 0]);
    listener.close();
  });

  it("takes a prompt that names the type of a form, as Python's urllib does", async () => {
    const send = (path: string) =>
      ada.fetch(path, {
        method: 'POST',
        body: JSON.stringify({ prompt: pictures }),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    expect(await (await send('/prompt')).json()).toMatchObject({ prompt_id: expect.stringMatching(uuid) });
    expect((await send('/upload/image')).status).toBe(415);
  });

  it('shows previews with their type in front, and with the node to a client that reads that', async () => {
    const plain = await ada.listen('plain');
    const page = await ada.listen('page');
    page.send({ type: 'feature_flags', data: { supports_preview_metadata: true } });
    await page.next(({ type }) => type === 'feature_flags');
    for (const [client, listener] of Object.entries({ plain, page })) {
      await listener.settled(await ada.queue(picturesOf(client.length), { client_id: client }));
    }

    const [first] = plain.binary;
    expect(first?.readUInt32BE(0)).toBe(1);
    expect(first?.subarray(8, 10).toString('hex')).toBe('ffd8');
    const [shown] = page.binary;
    expect(shown?.readUInt32BE(0)).toBe(4);
    const length = shown?.readUInt32BE(4) ?? 0;
    const metadata = JSON.parse(shown?.subarray(8, 8 + length).toString() ?? '{}');
    expect(metadata).toMatchObject({ image_type: 'image/jpeg', prompt_id: expect.stringMatching(uuid) });
    expect(shown?.subarray(8 + length, 10 + length).toString('hex')).toBe('ffd8');
    plain.close();
    page.close();
  });

  it('has the prompt in its history with graph, outputs and workflow, and never the keys of an account', async () => {
    const extra = { extra_pnginfo: { workflow: { nodes: [] } }, api_key_comfy_org: 'comfyui-secret' };
    const { promptId } = await run(ada, pictures, { extra_data: extra });

    const { [promptId]: entry } = await ada.get(`/history/${promptId}`);
    expect(entry.prompt.slice(0, 3)).toEqual([expect.any(Number), promptId, pictures]);
    expect(entry.prompt[3]).toMatchObject({ client_id: 'a-client', extra_pnginfo: extra.extra_pnginfo });
    expect(entry.prompt[4]).toEqual(['3']);
    expect(entry.outputs['3'].images).toHaveLength(3);
    expect(entry.status).toMatchObject({ status_str: 'success', completed: true });
    expect(JSON.stringify(await ada.get('/api/history'))).not.toContain('comfyui-secret');
    const [image] = entry.outputs['3'].images;
    const picture = await ada.fetch(`/view?${new URLSearchParams(image)}`);
    const bytes = Buffer.from(await picture.arrayBuffer()).toString('latin1');
    expect(bytes).toContain('tEXtworkflow\0{"nodes":[]}');
    // The worker has the key, and no answer of the door.
    const told = await Promise.all(workers.map(async ({ url }) => (await fetch(`${url}/history`)).text()));
    expect(told.join()).toContain('comfyui-secret');
    for (const path of [`/jobs/${promptId}`, '/jobs', `/history/${promptId}`, '/queue'])
      expect(await (await ada.fetch(path)).text()).not.toContain('comfyui-secret');
    expect(Object.keys(await ada.get('/history?max_items=1'))).toEqual([promptId]);
    expect(await ada.get(`/history/${randomUUID()}`)).toEqual({});
  });

  it('takes a picture under its name, in any order of the fields, and loads it on whichever worker runs the prompt', async () => {
    const red = await solid(255, 0, 0);
    const first = await ada.upload('photo.png', red, { subfolder: '', overwrite: 'false' });
    expect(first).toEqual({ name: 'photo.png', subfolder: '', type: 'input' });
    expect(await ada.upload('photo.png', red)).toEqual(first);
    const other = await ada.upload('photo.png', await solid(0, 0, 255));
    expect(other.name).toBe('photo (1).png');
    const anew = await ada.upload('over.png', red);
    await ada.upload('over.png', await solid(0, 255, 0), { overwrite: '1' });

    const outputs = [];
    for (const name of [first.name, other.name, anew.name]) {
      const { promptId } = await run(ada, inverted(name));
      outputs.push((await ada.get(`/history/${promptId}`))[promptId].outputs['3'].images[0]);
    }
    expect(await pixelOf(ada, outputs[0])).toEqual([0, 255, 255]);
    expect(await pixelOf(ada, outputs[1])).toEqual([255, 255, 0]);
    expect(await pixelOf(ada, outputs[2])).toEqual([255, 0, 255]);
    expect(await pixelOf(ada, { filename: 'photo.png', type: 'input' })).toEqual([255, 0, 0]);

    const { filename, subfolder } = outputs[0];
    const { promptId } = await run(ada, inverted(`${subfolder}/${filename} [output]`));
    const again = (await ada.get(`/history/${promptId}`))[promptId].outputs['3'].images[0];
    expect(await pixelOf(ada, again)).toEqual([255, 0, 0]);
  });

  it('shows each account its own prompts and files alone', async () => {
    const mine = await run(ada, pictures);
    const [file] = (await ada.get(`/history/${mine.promptId}`))[mine.promptId].outputs['3'].images;
    await ada.upload('secret.png', await solid(1, 2, 3));
    const theirs = await bob.listen('a-client');

    expect(await bob.get('/history')).toEqual({});
    expect(await bob.get(`/history/${mine.promptId}`)).toEqual({});
    expect((await bob.fetch(`/view?${new URLSearchParams(file)}`)).status).toBe(404);
    expect((await bob.fetch('/view?filename=secret.png&type=input')).status).toBe(404);
    const refused = await bob.post('/prompt', { prompt: inverted('secret.png') });
    expect(await refused.json()).toMatchObject({
      error: { type: 'prompt_outputs_failed_validation' },
      node_errors: { '1': { errors: [{ type: 'custom_validation_failed' }], dependent_outputs: ['3'] } },
    });
    await run(ada, pictures);
    expect(theirs.frames.map(({ type }) => type)).toEqual(['status']);
    expect(theirs.binary).toEqual([]);
    theirs.close();
  });

  it('keeps the id that a client gives, and takes the same prompt under it once', async () => {
    const promptId = randomUUID();
    const first = await run(ada, pictures, { prompt_id: promptId });
    expect(first.promptId).toBe(promptId);
    expect(await ada.queue(pictures, { prompt_id: promptId, client_id: 'a-client' })).toBe(promptId);
    expect(Object.keys(await ada.get(`/history/${promptId}`))).toEqual([promptId]);

    const other = await ada.post('/prompt', { prompt: inverted('photo.png'), prompt_id: promptId });
    expect(other.status).toBe(400);
    expect(await other.json()).toMatchObject({ error: { type: 'invalid_prompt_id' }, node_errors: {} });
    const { frames } = await run(bob, pictures, { prompt_id: promptId });
    expect(frames.at(-1).data.prompt_id).toBe(promptId);
  });

  it('describes the nodes of the pool without the files of its workers', async () => {
    const all = await ada.get('/object_info');
    expect(all.SaveImage.output_node).toBe(true);
    expect(await ada.get('/object_info/SaveImage')).toEqual({ SaveImage: all.SaveImage });
    expect(await ada.get('/object_info/Primitive%20boolean%20%5BCrystools%5D')).toEqual({});
    expect(all.LoadImage.input.required.image[0]).toEqual([]);
    const stats = await ada.get('/system_stats');
    expect(stats.devices).toHaveLength(3);
    expect(stats.system.os).toBe('posix');
  });

  it('refuses what a ComfyUI refuses, in its words, and stores nothing', async () => {
    const faults = {
      ...pictures,
      '1': { class_type: 'EmptyImage', inputs: { width: -5, height: 'high', batch_size: 1, color: 0 } },
    };
    const cases: [body: unknown, type: string][] = [
      [{}, 'no_prompt'],
      [[1], 'no_prompt'],
      [{ prompt: pictures, prompt_id: 'MINE' }, 'invalid_prompt_id'],
      [{ prompt: { '1': { class_type: 'NoSuchNode', inputs: {} } } }, 'missing_node_type'],
      [{ prompt: { '1': pictures['1'] } }, 'prompt_no_outputs'],
      [{ prompt: faults }, 'prompt_outputs_failed_validation'],
      [{ prompt: { '1': 5 } }, 'invalid_prompt'],
      [{ prompt: pictures, partial_execution_targets: [1] }, 'invalid_prompt'],
    ];
    const before = Object.keys(await ada.get('/history')).length;
    for (const [body, type] of cases) {
      const answer = await ada.post('/prompt', body);
      const text = await answer.text();
      expect([answer.status, JSON.parse(text).error.type], text).toEqual([400, type]);
      expect(JSON.parse(text).node_errors).toBeDefined();
    }
    const { node_errors: errors } = (await (await ada.post('/prompt', { prompt: faults })).json()) as {
      node_errors: Record<string, { errors: { type: string }[] }>;
    };
    expect(errors['1']?.errors.map(({ type }) => type)).toEqual([
      'value_smaller_than_min',
      'invalid_input_type',
    ]);
    const broken = await ada.fetch('/prompt', { method: 'POST', body: '{' });
    expect([broken.status, broken.headers.get('content-type')]).toEqual([
      400,
      expect.stringContaining('json'),
    ]);
    expect(Object.keys(await ada.get('/history'))).toHaveLength(before);
    expect(await ada.get('/queue')).toEqual({ queue_running: [], queue_pending: [] });
  });

  it('takes no notice of a clientId in a query, and needs no compression of its socket', async () => {
    for (const path of [
      '/prompt',
      '/queue',
      '/history',
      '/system_stats',
      '/object_info/SaveImage',
      '/features',
    ])
      expect((await ada.fetch(`${path}?clientId=stable`)).status).toBe(200);
    const sent = await ada.post('/prompt?clientId=other', { prompt: pictures, client_id: 'mine' });
    const { prompt_id: promptId } = (await sent.json()) as { prompt_id: string };
    await expect.poll(() => ada.get(`/history/${promptId}`)).toHaveProperty(promptId);
    expect((await ada.get(`/history/${promptId}`))[promptId].prompt[3].client_id).toBe('mine');
    expect(await ada.get('/object_info/Primitive%20boolean%20%5BCrystools%5D')).toEqual({});
    for (const perMessageDeflate of [true, false]) {
      const socket = new WebSocket(`${ada.base.replace('http', 'ws')}/ws?clientId=deflate`, {
        headers: ada.headers,
        perMessageDeflate,
      });
      const first = await new Promise((resolve) => socket.once('message', (data) => resolve(String(data))));
      expect(JSON.parse(String(first))).toMatchObject({ type: 'status', data: { sid: 'deflate' } });
      socket.close();
    }
  });

  it('answers what a page asks for when it starts', async () => {
    const answers = {
      '/i18n': {},
      '/extensions': [],
      '/embeddings': [],
      '/workflow_templates': {},
      '/global_subgraphs': {},
      '/node_replacements': {},
      '/internal/folder_paths': {},
      '/internal/logs': '',
      '/internal/logs/raw': { entries: [], size: { cols: 80, rows: 24 } },
    };
    for (const [path, answer] of Object.entries(answers)) {
      expect(await ada.get(path)).toEqual(answer);
      expect(await ada.get(`/api${path}`)).toEqual(answer);
    }
    const subscribed = await ada.fetch('/internal/logs/subscribe', { method: 'PATCH', body: '{}' });
    expect([subscribed.status, await subscribed.text()]).toEqual([200, '']);
    const missing = await ada.post('/experiment/models/download_missing', {});
    expect([missing.status, (await missing.text()).slice(0, 4)]).toEqual([403, '403:']);
    await ada.upload('listed.png', await solid(1, 1, 1));
    expect((await ada.get('/internal/files/input'))[0]).toBe('listed.png');
    const [newest] = await ada.get('/internal/files/output');
    expect((await ada.post('/prompt', { prompt: inverted(newest) })).status).toBe(200);
    expect(await ada.get('/internal/files/temp')).toEqual([]);
    expect((await ada.fetch('/internal/files/etc')).status).toBe(400);
  });

  it('answers hostile names in plain text', async () => {
    const statusOf = async (query: string) => (await ada.fetch(`/view?${query}`)).status;
    expect(await statusOf('filename=../etc/passwd')).toBe(400);
    expect(await statusOf('filename=/etc/passwd')).toBe(400);
    expect(await statusOf('filename=a.png&subfolder=../..')).toBe(403);
    expect(await statusOf('filename=a.png&type=etc')).toBe(400);
    expect(await statusOf('filename=none.png')).toBe(404);
    expect(await statusOf('')).toBe(400);
    await expect(ada.upload('a.png', new Uint8Array(1), { subfolder: '../x' })).rejects.toThrow('400');
    const unknown = await ada.fetch('/manager/version');
    expect([unknown.status, await unknown.text()]).toEqual([404, '404: Not Found']);
  });

  it('opens with a credential in a header alone, and with both scopes', async () => {
    const statusOf = async (headers: Record<string, string>, init: RequestInit = {}) =>
      (await fetch(`${gateway.url}/comfy/prompt`, { ...init, headers })).status;
    const session = await gateway.register('carol@example.com', 'correct horse battery');
    expect(await statusOf({})).toBe(401);
    expect(await statusOf({ cookie: session.cookieHeader })).toBe(401);
    expect(await statusOf({ 'x-api-key': ada.token })).toBe(200);

    const reader = await ComfyuiCaller.register(gateway.url, 'dan@example.com', ['dispatch:read']);
    expect((await reader.post('/prompt', { prompt: pictures })).status).toBe(403);
    expect(await reader.get('/queue')).toEqual({ queue_running: [], queue_pending: [] });
    const chatter = await ComfyuiCaller.register(gateway.url, 'eve@example.com', ['conversation:read']);
    expect((await chatter.fetch('/queue')).status).toBe(403);
    await expect(new ComfyuiCaller(ada.base, 'sy_pat_wrong').listen('x')).rejects.toThrow('401');
  });
});

describe('prompts on a worker that is busy', () => {
  let pool: DispatchPool;
  let ada: ComfyuiCaller;
  let bob: ComfyuiCaller;

  beforeAll(async () => {
    pool = await startPool({ workers: [held] });
    ada = await ComfyuiCaller.register(pool.gateway.url, 'ada@example.com');
    bob = await ComfyuiCaller.register(pool.gateway.url, 'bob@example.com');
  });
  afterAll(() => pool.close());

  const sent = (caller: ComfyuiCaller) => caller.queue(anyWorkflow, { client_id: 'stopping' });
  const waiting = async (caller: ComfyuiCaller) =>
    ((await caller.get('/queue')).queue_pending as [number, string][]).map(([, id]) => id);

  it('leave the queue by their id or all at once, each account its own', async () => {
    const listener = await ada.listen('stopping');
    const running = await sent(ada);
    await listener.next(({ type, data }) => type === 'execution_start' && data.prompt_id === running);
    const [first, second, third] = [await sent(ada), await sent(ada), await sent(ada)];
    const theirs = await sent(bob);

    const one = await ada.post('/queue', { delete: [second, running, theirs, randomUUID()] });
    expect([one.status, await one.text()]).toEqual([200, '']);
    expect(await waiting(ada)).toEqual([first, third]);
    expect((await ada.post('/api/queue', { clear: true })).status).toBe(200);
    expect(await waiting(ada)).toEqual([]);
    expect(await waiting(bob)).toEqual([theirs]);
    const { queue_running: left } = await ada.get('/queue');
    expect(left.map(([, id]: [number, string]) => id)).toEqual([running]);
    expect(await ada.get(`/history/${second}`)).toEqual({});

    // No one stops a prompt of another account, with its id or without.
    for (const init of [{ body: JSON.stringify({ prompt_id: running }) }, {}])
      expect((await bob.fetch('/interrupt', { method: 'POST', ...init })).status).toBe(200);
    expect((await ada.post('/interrupt', { prompt_id: randomUUID() })).status).toBe(200);
    expect((await ada.get('/queue')).queue_running).toHaveLength(1);

    // As comfy-ui-client sends it: the type of JSON and no body.
    const headers = { 'content-type': 'application/json' };
    const stopped = await ada.fetch('/interrupt', { method: 'POST', headers });
    expect([stopped.status, await stopped.text()]).toEqual([200, '']);
    const frames = await listener.settled(running);
    expect(frames.map(({ type }) => type)).toContain('execution_interrupted');
    expect((await ada.get('/queue')).queue_running).toEqual([]);
    expect((await ada.get(`/history/${running}`))[running].status.status_str).toBe('error');

    const other = await bob.listen('stopping');
    const last = await sent(bob);
    expect((await bob.post('/queue', { delete: [last] })).status).toBe(200);
    expect((await bob.post('/interrupt', { prompt_id: theirs })).status).toBe(200);
    await other.settled(theirs);
    listener.close();
    other.close();
  });

  it('are not touched by a body that names none', async () => {
    for (const [path, body] of [
      ['/queue', [1]],
      ['/queue', { delete: 'all' }],
      ['/queue', { delete: [1] }],
      ['/queue', { delete: Array.from({ length: 1_001 }, () => 'x') }],
      ['/interrupt', { prompt_id: 5 }],
    ] as const) {
      const answer = await ada.post(path, body);
      expect([answer.status, (await answer.text()).slice(0, 5)]).toEqual([400, '400: ']);
    }
    expect((await ada.post('/queue', {})).status).toBe(200);
  });

  it('says what a client may count on, and unloads no models of others', async () => {
    expect(await ada.get('/features')).toMatchObject({ assets: false, supports_preview_metadata: true });
    const freed = await ada.post('/free', { unload_models: true, free_memory: true });
    expect([freed.status, await freed.text()]).toEqual([200, '']);
    expect(pool.workers.map(({ freed }) => freed)).toEqual([0]);
  });
});

describe('models of a pool', () => {
  it('are those of all workers, by the folder that a node loads from', async () => {
    const workerWith = (...loras: string[]) => ({
      nodeClasses: ['LoraLoader', 'CheckpointLoaderSimple', 'VAELoader'],
      models: { 'LoraLoader.lora_name': loras, 'CheckpointLoaderSimple.ckpt_name': [] },
    });
    const workers = [
      { ...workerWith('a.safetensors', 'b.safetensors'), embeddings: ['negative', 'a hand'] },
      { ...workerWith('b.safetensors', 'sub/c.pt'), embeddings: ['negative', 'sub/style'] },
      // This one knows no embeddings.
      workerWith('b.safetensors'),
    ];
    const pool = await startPool({ workers });
    const ada = await ComfyuiCaller.register(pool.gateway.url, 'ada@example.com');

    expect(await ada.get('/models')).toEqual(['checkpoints', 'loras']);
    const loras: string[] = await ada.get('/api/models/loras');
    expect(loras.toSorted()).toEqual(['a.safetensors', 'b.safetensors', 'sub/c.pt']);
    expect(await ada.get('/models/checkpoints')).toEqual([]);
    expect(await ada.get('/experiment/models')).toContainEqual({ name: 'loras', folders: [] });
    expect(await ada.get('/experiment/models/loras')).toContainEqual({ name: 'sub/c.pt', pathIndex: 0 });
    expect((await ada.fetch('/experiment/models/vae')).status).toBe(404);
    for (const folder of ['vae', 'controlnet', 'constructor', '__proto__', '..%2Fetc'])
      expect((await ada.fetch(`/models/${folder}`)).status).toBe(404);

    expect(await ada.get('/embeddings')).toEqual(['a hand', 'negative', 'sub/style']);
    await pool.workers[0]?.close();
    expect(await ada.get('/api/embeddings')).toEqual(['a hand', 'negative', 'sub/style']);
    await pool.close();
  });
});

describe('a pool whose workers differ', () => {
  const worker = (loras: string[], checkpoints: string[]) => ({
    nodeClasses: ['EmptyImage', 'SaveImage', 'LoraLoader', 'CheckpointLoaderSimple'],
    models: { 'LoraLoader.lora_name': loras, 'CheckpointLoaderSimple.ckpt_name': checkpoints },
    ...held,
  });
  const graph = {
    ...anyWorkflow,
    '3': { class_type: 'LoraLoader', inputs: { lora_name: 'a.safetensors' } },
    '4': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'b.safetensors' } },
  };

  it('names each value that no single worker has together with the others, and who has it', async () => {
    const pool = await startPool({
      workers: [worker(['a.safetensors'], ['x.safetensors']), worker(['y.safetensors'], ['b.safetensors'])],
    });
    const ada = await ComfyuiCaller.register(pool.gateway.url, 'ada@example.com');
    expect((await ada.get('/models/loras')).toSorted()).toEqual(['a.safetensors', 'y.safetensors']);
    const [first, second] = pool.workers.map(({ port }) => String(port));

    const refused = await ada.post('/prompt', { prompt: graph });
    const { error, node_errors: errors } = (await refused.json()) as {
      error: { type: string };
      node_errors: Record<string, { class_type: string; errors: { type: string; details: string }[] }>;
    };
    expect([refused.status, error.type]).toEqual([400, 'prompt_outputs_failed_validation']);
    expect(errors).toMatchObject({
      '3': { class_type: 'LoraLoader', errors: [{ type: 'value_not_in_list' }] },
      '4': { class_type: 'CheckpointLoaderSimple', errors: [{ type: 'value_not_in_list' }] },
    });
    expect(errors['3']?.errors[0]?.details).toMatch(
      new RegExp(`^lora_name: 'a.safetensors' is on \\S*${first}, and no worker has all`),
    );
    expect(errors['4']?.errors[0]?.details).toMatch(
      new RegExp(`^ckpt_name: 'b.safetensors' is on \\S*${second}, and no worker has all`),
    );
    await pool.close();
  });

  it('says that a full queue is full, and names a node that no worker has', async () => {
    const pool = await startPool({
      workers: [worker([], [])],
      config: { dispatch: { max_queued_per_user: 1 } },
    });
    const ada = await ComfyuiCaller.register(pool.gateway.url, 'ada@example.com');
    const missing = { '9': { class_type: 'NoSuchNode', inputs: {}, _meta: { title: 'Upscale' } } };
    const unknown = await ada.post('/prompt', { prompt: { ...anyWorkflow, ...missing } });
    expect([unknown.status, await unknown.json()]).toEqual([
      400,
      {
        error: {
          type: 'missing_node_type',
          message: expect.stringContaining("Node 'Upscale' not found"),
          details: "Node ID '#9'",
          extra_info: { node_id: '9', class_type: 'NoSuchNode', node_title: 'Upscale' },
        },
        node_errors: {},
      },
    ]);
    let full: Response;
    do full = await ada.post('/prompt', { prompt: anyWorkflow });
    while (full.ok);
    expect([full.status, await full.json()]).toEqual([
      429,
      { error: expect.objectContaining({ type: 'queue_full' }), node_errors: {} },
    ]);
    await pool.close();
  });
});

describe('a gateway whose door is closed', () => {
  it('has no such addresses', async () => {
    const gateway = await startGateway({ config: { doors: { comfyui: { enabled: false } } } });
    const ada = await ComfyuiCaller.register(gateway.url, 'ada@example.com');
    expect((await ada.fetch('/prompt')).status).toBe(404);
    await gateway.stop();
  });
});
