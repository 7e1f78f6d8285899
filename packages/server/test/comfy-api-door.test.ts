import { createHash, randomUUID } from 'node:crypto';
import {
  comfyApiAsset,
  comfyApiError,
  comfyApiJob,
  comfyApiOutput,
  comfyApiProgress,
} from '@switchyard/contract/doors/comfy-api';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { createBLAKE3 } from 'hash-wasm';
import sharp from 'sharp';
import { Value } from 'typebox/value';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ComfyuiCaller } from './support/comfyui-caller.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, held, startPool, watchful } from './support/dispatch-pool.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads answers as they come, to see what is on the wire
type Answer = any;

const png = sharp({ create: { width: 8, height: 8, channels: 3, background: { r: 9, g: 99, b: 199 } } })
  .png()
  .toBuffer();

async function blake3Of(bytes: Uint8Array): Promise<string> {
  const hash = await createBLAKE3();
  return `blake3:${hash.update(bytes).digest()}`;
}

/** A client of the Comfy API that is not the SDK, so that it can do what the SDK never does. */
class ApiCaller {
  readonly #caller: ComfyuiCaller;

  private constructor(caller: ComfyuiCaller) {
    this.#caller = caller;
  }

  static async register(url: string, email: string, scopes?: string[]): Promise<ApiCaller> {
    return new ApiCaller(await ComfyuiCaller.register(url, email, scopes));
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return this.#caller.fetch(`/api/v2${path}`, init);
  }

  async ask(
    path: string,
    init: RequestInit = {},
  ): Promise<{ status: number; body: Answer; headers: Headers }> {
    const answer = await this.fetch(path, init);
    const text = await answer.text();
    const body = text === '' ? null : JSON.parse(text);
    if (!answer.ok && init.method !== 'HEAD') expect(Value.Check(comfyApiError, body), text).toBe(true);
    return { status: answer.status, body, headers: answer.headers };
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}) {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    return this.ask(path, { ...init, body: JSON.stringify(body) });
  }

  upload(bytes: Uint8Array, fields: [string, string][], headers: Record<string, string> = {}) {
    const form = new FormData();
    for (const [name, value] of fields) form.append(name, value);
    form.append('file', new Blob([new Uint8Array(bytes)]), 'x.png');
    return this.ask('/assets', { method: 'POST', body: form, headers });
  }

  async uploaded(bytes: Uint8Array, filePath: string): Promise<Answer> {
    const { body } = await this.upload(bytes, labels(filePath));
    return body;
  }

  async job(workflow: object): Promise<Answer> {
    const { status, body } = await this.post('/jobs', { workflow });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body;
  }

  /** Polls as the SDK does. */
  async ended(jobId: string): Promise<Answer> {
    const final = ['succeeded', 'canceled', 'failed', 'expired'];
    return expect
      .poll(async () => (await this.ask(`/jobs/${jobId}`)).body)
      .toSatisfy(({ status }: Answer) => final.includes(status))
      .then(async () => (await this.ask(`/jobs/${jobId}`)).body);
  }

  async events(jobId: string): Promise<{ event: string; data: Answer }[]> {
    return eventsIn(await (await this.fetch(`/jobs/${jobId}/events`)).text());
  }
}

function eventsIn(text: string): { event: string; data: Answer }[] {
  const frames = text.split('\n\n').filter((frame) => frame.startsWith('event: '));
  return frames.map((frame) => {
    const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? [];
    return { event, data: JSON.parse(data) };
  });
}

function labels(filePath: string): [string, string][] {
  return [
    ['content_type', 'image/png'],
    ['file_path', filePath],
  ];
}

function asset(id: string) {
  return { __type: 'core/ASSET', info: { id, hash: 'blake3:ignored', file_path: 'ignored' } };
}

const inverted = (image: unknown) => ({
  '1': { class_type: 'LoadImage', inputs: { image } },
  '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
  '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'inverted' } },
});
const pictures = (color: number) => ({
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 3, color } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'api' } },
});

describe('the pool behind the Comfy API', () => {
  let gateway: DevGateway;
  let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
  let ada: ApiCaller;
  let bob: ApiCaller;

  beforeAll(async () => {
    gateway = await startGateway();
    worker = await startReferenceWorker();
    const admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers([worker.port]);
    ada = await ApiCaller.register(gateway.url, 'ada@example.com');
    bob = await ApiCaller.register(gateway.url, 'bob@example.com');
  });
  afterAll(async () => {
    await gateway.stop();
    await worker.close();
  });

  it('answers strangers at /health alone, and says who lacks what', async () => {
    const ask = async (path: string, headers = {}) => {
      const answer = await fetch(`${gateway.url}${path}`, { headers });
      return { status: answer.status, body: (await answer.json()) as Answer };
    };
    expect(await ask('/comfy/api/v2/health')).toEqual({ status: 200, body: { status: 'ok' } });
    for (const path of ['', '/jobs', '/jobs/x', '/jobs/x/events', '/assets/x', '/nothing']) {
      const { status, body } = await ask(`/comfy/api/v2${path}`);
      expect({ path, status, code: body.error.code }).toEqual({ path, status: 401, code: 'unauthorized' });
    }
    const reader = await ApiCaller.register(gateway.url, 'reader@example.com', ['dispatch:read']);
    expect(await reader.post('/jobs', { workflow: pictures(1) })).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden' } },
    });
  });

  it('tells a client without the prefix which base address it needs', async () => {
    const { token } = await ComfyuiCaller.register(gateway.url, 'lost@example.com');
    for (const path of ['/api/v2', '/api/v2/jobs', '/api/v2/jobs/x/events']) {
      const answer = await fetch(`${gateway.url}${path}`, { headers: { 'x-api-key': token } });
      expect(answer.status).toBe(404);
      expect(((await answer.json()) as Answer).error).toEqual({
        code: 'not_found',
        message: `The Comfy API of this gateway is below /comfy. Set COMFY_BASE_URL to ${gateway.url}/comfy.`,
      });
    }
  });

  it('runs a job, with everything in the answer that says it has succeeded', async () => {
    const job = await ada.job(pictures(255));
    expect(Value.Check(comfyApiJob, job)).toBe(true);
    expect(job).toMatchObject({ status: 'queued', outputs: [], error: null, progress: null });
    expect(job.urls).toEqual({
      self: `/comfy/api/v2/jobs/${job.id}`,
      events: `/comfy/api/v2/jobs/${job.id}/events`,
      cancel: `/comfy/api/v2/jobs/${job.id}/cancel`,
    });

    const done = await ada.ended(job.id);
    expect(Value.Check(comfyApiJob, done)).toBe(true);
    expect(done).toMatchObject({
      status: 'succeeded',
      queue_position: null,
      progress: { value: 1, nodes_done: 2, nodes_total: 2, current_node: null },
      metrics: { queue_ms: expect.any(Number), execution_ms: expect.any(Number) },
    });
    expect(await ada.ask(`/jobs/${job.id}/cancel`, { method: 'POST' })).toMatchObject({
      status: 200,
      body: { status: 'succeeded' },
    });
    expect(done.outputs).toHaveLength(3);
    for (const output of done.outputs) {
      expect(output).toMatchObject({
        node_id: '2',
        type: 'image',
        content_type: 'image/png',
        job_id: job.id,
      });
      expect(Date.parse(output.url_expires_at)).toBeGreaterThan(Date.now());
      const bytes = Buffer.from(await (await fetch(output.url)).arrayBuffer());
      expect(bytes).toHaveLength(output.size_bytes);
      const whole = await ada.fetch(`/assets/${output.id}/content`);
      expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
      expect((await ada.ask(`/assets/${output.id}`)).body).toMatchObject({ job_id: job.id, hash: null });
    }
  });

  it('begins a stream with how the job stands, and ends it with outputs and a final status', async () => {
    const job = await ada.job(pictures(65_280));
    const live = await ada.events(job.id);
    expect(live[0]?.event).toMatch(/^(status|progress)$/);
    const outputs = live.filter(({ event }) => event === 'output');
    expect(outputs).toHaveLength(3);
    for (const { data } of outputs) expect(Value.Check(comfyApiOutput, data)).toBe(true);
    const progress = live.filter(({ event }) => event === 'progress').map(({ data }) => data);
    for (const each of progress) expect(Value.Check(comfyApiProgress, each)).toBe(true);
    const values = progress.map(({ value }) => value);
    expect(values).toEqual([...values].sort((a, b) => a - b));
    expect(live.at(-1)).toEqual({ event: 'status', data: { status: 'succeeded', queue_position: null } });

    const again = await ada.events(job.id);
    expect(again.map(({ event }) => event)).toEqual(['progress', 'output', 'output', 'output', 'status']);
    const resumed = await ada.fetch(`/jobs/${job.id}/events`, {
      headers: { 'last-event-id': '7', 'accept-encoding': 'gzip, br' },
    });
    expect(resumed.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(resumed.headers.get('content-encoding')).toBe(null);
    expect(eventsIn(await resumed.text())).toEqual(again);
  });

  it('takes a key once, and leaves it free when no job was made', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const refused = await ada.post(
      '/jobs',
      { workflow: { '1': { class_type: 'Nothing', inputs: {} } } },
      headers,
    );
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'invalid_workflow' } } });
    const first = await ada.post('/jobs', { workflow: pictures(1) }, headers);
    expect(first.status).toBe(201);
    for (const workflow of [pictures(1), pictures(2)]) {
      expect(await ada.post('/jobs', { workflow }, headers)).toMatchObject({
        status: 422,
        body: { error: { code: 'idempotency_key_reuse' } },
      });
    }
    expect((await bob.post('/jobs', { workflow: pictures(1) }, headers)).status).toBe(201);
    const tied = { 'idempotency-key': randomUUID() };
    const both = await Promise.all([1, 2].map(() => ada.post('/jobs', { workflow: pictures(3) }, tied)));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
  });

  it('names each node and input that keeps a workflow from running', async () => {
    const errorOf = async (workflow: object) => {
      const { status, body } = await ada.post('/jobs', { workflow });
      return { status, code: body.error.code, nodes: body.error.details?.node_errors };
    };
    const missing = { ...pictures(1), '3': { class_type: 'No.Such', inputs: {} } };
    expect(await errorOf(missing)).toEqual({
      status: 422,
      code: 'invalid_workflow',
      nodes: {
        '3': [{ field: 'class_type', reason: expect.stringContaining('No.Such is on 0 of the workers') }],
      },
    });
    const large = pictures(1);
    large['1'].inputs.width = -5;
    expect(await errorOf(large)).toMatchObject({
      code: 'invalid_workflow',
      nodes: { '1': [{ field: 'width', reason: expect.stringContaining('smaller than min') }] },
    });
    expect(await errorOf({ '1': { class_type: 7 } })).toMatchObject({
      code: 'invalid_workflow',
      nodes: { '1': [{ field: '', reason: expect.any(String) }] },
    });
    expect(await errorOf({ '1': pictures(1)['1'] })).toMatchObject({ code: 'invalid_workflow', nodes: {} });
    expect(await errorOf({ nodes: [], links: [], last_node_id: 1 })).toMatchObject({
      status: 422,
      code: 'workflow_format_ui',
    });
    const refusedFields = [
      { webhook_url: 'http://x' },
      { inputs: {} },
      { metadata: 'x' },
      { priority: 1 },
      { extra_data: { extra_pnginfo: {} } },
    ];
    for (const extra of refusedFields) {
      expect(await ada.post('/jobs', { workflow: pictures(1), ...extra })).toMatchObject({
        status: 422,
        body: { error: { code: 'invalid_request' } },
      });
    }
  });

  it('finds an asset by its hash for its account alone, and uploads it once', async () => {
    const bytes = Buffer.concat([await png, Buffer.from(randomUUID())]);
    const hash = await blake3Of(bytes);
    const byHash = (caller: ApiCaller) =>
      caller.ask(`/assets/by-hash/${encodeURIComponent(hash)}`, { method: 'HEAD' });
    expect((await byHash(ada)).status).toBe(404);

    const fields: [string, string][] = [
      ...labels('folder/in.png'),
      ['expected_hash', hash],
      ['tags', 'input'],
      ['tags', 'more'],
      ['expires_in', '60'],
    ];
    const first = await ada.upload(bytes, fields);
    expect(first.status).toBe(201);
    expect(Value.Check(comfyApiAsset, first.body)).toBe(true);
    expect(first.body).toMatchObject({
      hash,
      file_path: 'in.png',
      created_new: true,
      size_bytes: bytes.length,
    });
    expect(Date.parse(first.body.expires_at) - Date.now()).toBeGreaterThan(3_600_000);
    expect((await byHash(ada)).status).toBe(200);
    expect((await byHash(bob)).status).toBe(404);
    const again = await ada.upload(bytes, fields);
    expect(again).toMatchObject({ status: 200, body: { id: first.body.id, created_new: false } });

    const same = await ada.post('/assets/from-hash', { hash });
    expect(same).toMatchObject({ status: 200, body: { id: first.body.id } });
    const other = await ada.post('/assets/from-hash', { hash, file_path: 'b.png' });
    expect(other).toMatchObject({ status: 201, body: { hash, file_path: 'b.png', created_new: false } });
    expect(other.body.id).not.toBe(first.body.id);
    const foreign = await bob.post('/assets/from-hash', { hash });
    const unknown = await bob.post('/assets/from-hash', { hash: `blake3:${'0'.repeat(64)}` });
    expect(foreign).toMatchObject({ status: 404, body: { error: { code: 'blob_not_found' } } });
    expect(unknown.body).toEqual(foreign.body);

    const theirs = await bob.upload(bytes, labels('mine.png'));
    expect(theirs).toMatchObject({ status: 201, body: { created_new: true } });
  });

  it('knows the hash of a file that came by another way once the same content is uploaded', async () => {
    const session = await ComfyuiCaller.register(gateway.url, 'two-ways@example.com');
    const caller = await ApiCaller.register(gateway.url, 'two-ways-too@example.com');
    const bytes = Buffer.from(`other ${randomUUID()}`);
    const form = new FormData();
    form.append('file', new Blob([bytes]), 'a.txt');
    const headers = { authorization: `Bearer ${session.token}` };
    await fetch(`${gateway.url}/api/files/upload`, { method: 'POST', body: form, headers });
    const sent = new FormData();
    for (const [name, value] of labels('a.txt')) sent.append(name, value);
    sent.append('file', new Blob([bytes]), 'a.txt');
    const answer = await session.fetch('/api/v2/assets', { method: 'POST', body: sent });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ hash: await blake3Of(bytes), created_new: false });
    const found = await session.fetch(`/api/v2/assets/by-hash/${await blake3Of(bytes)}`);
    expect(found.status).toBe(200);
    expect((await caller.post('/assets/from-hash', { hash: await blake3Of(bytes) })).status).toBe(404);
  });

  it('refuses an upload whose fields come late, are wrong, or whose content is not the expected one', async () => {
    const bytes = await png;
    const good = labels('a.png');
    const wrong: [string, [string, string][]][] = [
      ['content_type', [['file_path', 'a.png']]],
      ['file_path', [['content_type', 'image/png']]],
      ['expected_hash', [...good, ['expected_hash', 'sha256:00']]],
      ['expires_in', [...good, ['expires_in', '59']]],
      ['file_path', labels('x'.repeat(1_025))],
      ['strange', [...good, ['strange', '1']]],
    ];
    for (const [name, fields] of wrong) {
      const { status, body } = await ada.upload(bytes, fields);
      expect({ name, status, code: body.error.code }).toEqual({ name, status: 422, code: 'invalid_request' });
      expect(body.error.message).toContain(name);
    }
    const late = new FormData();
    late.append('content_type', 'image/png');
    late.append('file_path', 'a.png');
    late.append('file', new Blob([new Uint8Array(bytes)]), 'a.png');
    late.append('tags', 'input');
    expect((await ada.ask('/assets', { method: 'POST', body: late })).status).toBe(422);
    const expected = `blake3:${createHash('sha256').update('x').digest('hex')}`;
    const mismatch = await ada.upload(Buffer.from(randomUUID()), [...good, ['expected_hash', expected]]);
    expect(mismatch).toMatchObject({ status: 409, body: { error: { code: 'hash_mismatch' } } });
    const key = { 'idempotency-key': randomUUID() };
    expect((await ada.upload(Buffer.from(randomUUID()), good, key)).status).toBe(201);
    expect(await ada.upload(Buffer.from(randomUUID()), good, key)).toMatchObject({
      status: 422,
      body: { error: { code: 'idempotency_key_reuse' } },
    });
  });

  it('gives an asset to the worker in place of its reference, and shows the reference again', async () => {
    const { id } = await ada.uploaded(await png, '../../etc/photo.png');
    const job = await ada.job(inverted(asset(id)));
    const { outputs } = await ada.ended(job.id);
    const made = Buffer.from(await (await fetch(outputs[0].url)).arrayBuffer());
    expect([...(await sharp(made).raw().toBuffer()).subarray(0, 3)]).toEqual([246, 156, 56]);
    expect((await ada.ask(`/jobs/${job.id}/workflow`)).body).toEqual({
      workflow: inverted({ __type: 'core/ASSET', info: { id } }),
      format: 'api',
    });

    for (const image of [asset('nothing'), asset(''), { __type: 'core/ASSET' }]) {
      expect(await ada.post('/jobs', { workflow: inverted(image) })).toMatchObject({
        status: 422,
        body: { error: { code: 'missing_asset' } },
      });
    }
    expect(await bob.post('/jobs', { workflow: inverted(asset(id)) })).toMatchObject({
      status: 422,
      body: { error: { code: 'missing_asset', details: { asset_ids: [id] } } },
    });
    expect(await ada.post('/jobs', { workflow: inverted([asset(id)]) })).toMatchObject({
      status: 422,
      body: { error: { code: 'invalid_workflow', details: { node_errors: { '1': [{ field: 'image' }] } } } },
    });
  });

  it('shows a task that came by another way as a job, with the workflow that runs', async () => {
    const { token } = await ComfyuiCaller.register(gateway.url, 'both-ways@example.com');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = { workflow: pictures(6), params: { '1.width': 24 } };
    const answer = await fetch(`${gateway.url}/api/tasks`, {
      method: 'POST',
      headers,
      body: JSON.stringify(sent),
    });
    const { data: task } = (await answer.json()) as Answer;
    const ask = async (path: string): Promise<Answer> =>
      (await fetch(`${gateway.url}/comfy/api/v2${path}`, { headers })).json();
    const { jobs } = await ask('/jobs');
    expect(jobs).toMatchObject([{ id: task.id, progress: null }]);
    expect((await ask(`/jobs/${task.id}/workflow`)).workflow['1'].inputs.width).toBe(24);
  });

  it('opens to a token of the door in a header, whose links lead nowhere from an address that holds it', async () => {
    const { base, token } = await ComfyuiCaller.byAddress(gateway.url, 'address@example.com');
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${gateway.url}/comfy/api/v2/jobs`, { headers })).status).toBe(200);
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const answer = await fetch(`${base}/api/v2/jobs`, {
      ...init,
      body: JSON.stringify({ workflow: pictures(7) }),
    });
    const { urls } = (await answer.json()) as Answer;
    expect((await fetch(gateway.url + urls.self)).status).toBe(401);
  });

  it('hands the key of nodes that call Comfy to the worker, and never shows it', async () => {
    const secret = 'comfyui-0123456789';
    const sent = { workflow: pictures(5), extra_data: { api_key_comfy_org: secret } };
    const { body: job } = await ada.post('/jobs', sent);
    const done = await ada.ended(job.id);
    const history = await (await fetch(`${worker.url}/history`)).json();
    expect(JSON.stringify(history)).toContain(secret);
    const { body: workflow } = await ada.ask(`/jobs/${job.id}/workflow`);
    const { body: list } = await ada.ask('/jobs');
    expect(JSON.stringify([job, done, workflow, list])).not.toContain(secret);
  });

  it('hides the jobs and assets of others behind the answer for those that do not exist', async () => {
    const { id } = await ada.uploaded(await png, 'mine.png');
    const job = await ada.job(pictures(4));
    const theirs = (path: string, method = 'GET') => bob.ask(path, { method });
    for (const place of ['jobs', 'assets'] as const) {
      const mine = place === 'jobs' ? job.id : id;
      const tails = place === 'jobs' ? ['', '/events', '/workflow'] : ['', '/content'];
      for (const tail of tails) {
        const foreign = await theirs(`/${place}/${mine}${tail}`);
        expect(foreign).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
        expect((await theirs(`/${place}/${randomUUID()}${tail}`)).body).toEqual(foreign.body);
      }
    }
    expect((await theirs(`/jobs/${job.id}/cancel`, 'POST')).status).toBe(404);
    expect((await theirs(`/assets/${id}`, 'DELETE')).status).toBe(404);
    const own = (await bob.ask('/jobs?limit=200')).body.jobs.map((each: Answer) => each.id);
    expect(own).not.toContain(job.id);
  });

  it('sends a range of an asset, and says when there is none in the words of the API', async () => {
    const { id } = await ada.uploaded(Buffer.from('0123456789'), 'digits.txt');
    const part = await ada.fetch(`/assets/${id}/content`, { headers: { range: 'bytes=2-4' } });
    expect({ status: part.status, text: await part.text() }).toEqual({ status: 206, text: '234' });
    const beyond = await ada.ask(`/assets/${id}/content`, { headers: { range: 'bytes=99-' } });
    expect(beyond).toMatchObject({ status: 416, body: { error: { code: 'range_not_satisfiable' } } });
    expect((await ada.fetch(`/assets/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await ada.ask(`/assets/${id}`)).status).toBe(404);
  });

  it('speaks the words of the API at addresses that it cannot read or does not have', async () => {
    const strange: [string, RequestInit, number][] = [
      ['/jobs/%zz', {}, 422],
      ['/jobs/%00', {}, 422],
      [`/jobs/${'x'.repeat(5_000)}`, {}, 404],
      ['/jobs?status=strange', {}, 422],
      ['/nothing', {}, 404],
      ['/jobs', { method: 'PUT' }, 405],
      ['/jobs', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }, 422],
      ['/jobs', { method: 'POST', body: 'x', headers: { 'content-type': 'text/xml' } }, 415],
      [
        '/assets',
        { method: 'POST', body: 'x', headers: { 'content-type': 'multipart/form-data; boundary=y' } },
        400,
      ],
    ];
    for (const [path, init, status] of strange)
      expect({ path, status: (await ada.ask(path, init)).status }).toEqual({ path, status });
  });
});

describe('jobs on workers that the test holds', () => {
  let pool: DispatchPool | undefined;
  afterEach(async () => {
    await pool?.close();
    pool = undefined;
  });

  async function start(options: Parameters<typeof startPool>[0]): Promise<ApiCaller> {
    pool = await startPool(options);
    return ApiCaller.register(pool.gateway.url, 'ada@example.com');
  }

  it('cancels a job that waits or runs, and leaves one that has ended as it is', async () => {
    const ada = await start({ workers: [held], executionTimeouts: watchful });
    const running = await ada.job(anyWorkflow);
    await expect.poll(async () => (await ada.ask(`/jobs/${running.id}`)).body.status).toBe('running');
    const waiting = await ada.job(anyWorkflow);
    expect(waiting).toMatchObject({ status: 'queued', queue_position: 1 });
    const stop = (id: string) => ada.ask(`/jobs/${id}/cancel`, { method: 'POST' });
    expect((await stop(waiting.id)).body).toMatchObject({ status: 'canceled', error: { code: 'cancelled' } });
    const events = ada.events(running.id);
    expect((await stop(running.id)).body.status).toMatch(/^cancel(ing|ed)$/);
    expect(await ada.ended(running.id)).toMatchObject({ status: 'canceled' });
    expect((await events).at(-1)).toMatchObject({ event: 'status', data: { status: 'canceled' } });
    expect(await stop(running.id)).toMatchObject({ status: 200, body: { status: 'canceled' } });
    const { body } = await ada.ask('/jobs?status=canceled&limit=1');
    expect(body).toMatchObject({ truncated: true, jobs: [{ id: waiting.id, progress: null }] });
    expect((await ada.ask('/jobs?status=failed')).body).toEqual({ jobs: [], truncated: false });
  });

  it('keeps an asset that a job needs', async () => {
    const ada = await start({ workers: [held] });
    const { id } = await ada.uploaded(await png, 'in.png');
    await ada.job({ ...anyWorkflow, '3': { class_type: 'LoadImage', inputs: { image: asset(id) } } });
    expect(await ada.ask(`/assets/${id}`, { method: 'DELETE' })).toMatchObject({
      status: 409,
      body: { error: { code: 'asset_in_use' } },
    });
  });

  it('asks a client to wait while each worker that could run the job is away', async () => {
    const ada = await start({ workers: [{}], executionTimeouts: watchful });
    const [worker] = pool?.workers ?? [];
    await worker?.close();
    await expect.poll(async () => (await pool?.admin.instance(worker?.port ?? 0))?.state).toBe('unreachable');
    const headers = { 'idempotency-key': randomUUID() };
    const refused = await ada.post('/jobs', { workflow: anyWorkflow }, headers);
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'deployment_not_ready' } } });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect((await ada.ask('/jobs')).body.jobs).toEqual([]);
    await pool?.admin.useWorkers([]);
    expect((await ada.post('/jobs', { workflow: anyWorkflow }, headers)).status).toBe(201);
  });

  it('says when the outputs of a job are deleted', async () => {
    const ada = await start({ config: { files: { retention: 3_600_000 } } });
    const job = await ada.ended((await ada.job(anyWorkflow)).id);
    expect(Date.parse(job.expires_at) - Date.parse(job.completed_at)).toBe(3_600_000);
  });

  it('is not there when it is switched off', async () => {
    const gateway = await startGateway({ config: { doors: { comfy_api: { enabled: false } } } });
    const { token } = await ComfyuiCaller.register(gateway.url, 'ada@example.com');
    const answer = await fetch(`${gateway.url}/comfy/api/v2/health`, { headers: { 'x-api-key': token } });
    expect(answer.status).toBe(404);
    await gateway.stop();
  });
});
