import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { emptyImage, savedImage, type TestGraph } from '../src/conformance/graphs.ts';
import { onePixelPng } from '../src/conformance/png.ts';
import { testWorker } from './support/test-worker.ts';

const dot = onePixelPng([1, 2, 3, 255]);

describe('what a worker refuses', () => {
  it('a body that is too large, announced or not, and keeps nothing of it', async () => {
    const { subject, dir } = await testWorker({ limits: { maxUploadBytes: 100_000 } });
    const bytes = new Uint8Array(200_000);
    const response = await subject.upload({}, { name: 'big.png', bytes });
    expect(response.status).toBe(413);
    expect(await response.text()).toMatch(
      /^Maximum request body size 100000 exceeded, actual body size \d+$/,
    );
    expect(await statusOfChunked(`${subject.url}/upload/image`, bytes)).toBe(413);
    expect([await readdir(join(dir, 'parts')), await readdir(join(dir, 'input'))]).toEqual([[], []]);
  });

  it('more waiting prompts than its limit', async () => {
    const { worker, subject } = await testWorker({ limits: { maxQueue: 2 } });
    worker.faults.set({ holdNodes: true });
    await subject.running(await subject.accept(savedImage()));
    for (let count = 0; count < 2; count += 1) await subject.accept(savedImage());
    const { status, body } = await subject.submit(savedImage());
    expect([status, body.error.type, body.error.message]).toEqual([
      429,
      'queue_full',
      '2 prompts wait already. Try again later.',
    ]);
  });

  it('a graph with more nodes than its limit', async () => {
    const { subject } = await testWorker({ limits: { maxGraphNodes: 2 } });
    const { status, body } = await subject.submit(savedImage());
    expect([status, body.error.message]).toEqual([
      400,
      'The graph has 3 nodes; this worker takes at most 2.',
    ]);
  });

  it('a body that is nested too deeply', async () => {
    const { subject } = await testWorker();
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    const body = `{"prompt":{"1":{"class_type":"PreviewAny","inputs":{"source":${deep}}}}}`;
    expect((await subject.post('/prompt', body)).status).toBe(500);
    expect((await subject.run(savedImage())).status.completed).toBe(true);
  });

  it('a picture that is too large, while it runs, with a sentence that names the limit', async () => {
    const { subject } = await testWorker({ limits: { maxSide: 100 } });
    const [event, data] = (await subject.run(savedImage({ width: 101 }))).status.messages.at(-1);
    expect([event, data.exception_type]).toEqual(['execution_error', 'LimitError']);
    expect(data.exception_message).toBe('101 × 8 is larger than this worker makes: at most 100 on a side.');
  });

  it('more sockets than its limit', async () => {
    const { subject } = await testWorker({ limits: { maxSockets: 1 } });
    await subject.listen('one');
    await expect(subject.listen('two')).rejects.toThrow('503');
  });

  it('a socket that a page of another origin opens', async () => {
    const { worker } = await testWorker();
    const socket = new WebSocket(`ws://127.0.0.1:${worker.port}/ws`, { origin: 'http://evil.example' });
    const [error] = await once(socket, 'error');
    expect(String(error)).toContain('403');
  });

  it('a class that needs a model, with a hint', async () => {
    const { subject } = await testWorker();
    const { status, body } = await subject.submit({ '3': { class_type: 'KSampler', inputs: {} } });
    expect(status).toBe(400);
    expect(body.error.extra_info.hint).toMatch('KSampler needs a real ComfyUI worker');
  });

  it.each(['../up.png', 'a/b.png', '..', '.', 'a\0b.png', 'x'.repeat(300)])(
    'an upload named %j',
    async (name) => {
      const { subject, dir } = await testWorker();
      const response = await subject.upload({}, { name, bytes: dot });
      const stored = await readdir(join(dir, 'input'), { recursive: true });
      // fetch itself removes the folders from some names. Every name that arrives stays inside.
      expect(stored.length).toBe(response.status === 200 ? 1 : 0);
      expect(stored.every((entry) => !entry.includes('..'))).toBe(true);
      expect((await readdir(dir)).sort()).toEqual(['input', 'output', 'parts', 'temp', 'worker.json']);
    },
  );

  it('an endless upload, and keeps nothing of it', async () => {
    const { subject, dir } = await testWorker();
    const headers = { 'content-type': 'multipart/form-data; boundary=B' };
    const body = '--B\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\nhalf';
    const response = await subject.request('/upload/image', { method: 'POST', headers, body });
    expect([response.status, await response.text()]).toEqual([400, 'The body ends in the middle.']);
    expect([await readdir(join(dir, 'parts')), await readdir(join(dir, 'input'))]).toEqual([[], []]);
  });

  it('a mask that does not fit its original, or has none', async () => {
    const { subject } = await testWorker();
    const upload = async (original_ref: string) =>
      (await subject.upload({ original_ref }, { name: 'm.png', bytes: dot, path: '/upload/mask' })).status;
    await subject.run(savedImage());
    const [file] = (await subject.run(savedImage())).outputs['3'].images;
    expect(await upload(JSON.stringify(file))).toBe(400);
    expect(await upload('no json')).toBe(400);
    expect(await upload('{}')).toBe(400);
    expect(await upload('{"filename":"nowhere.png"}')).toBe(400);
    expect(await upload('{"filename":"a.png","subfolder":"../.."}')).toBe(403);
  });

  it('a method and a path that it does not have', async () => {
    const { subject } = await testWorker();
    expect((await subject.request('/nowhere')).status).toBe(404);
    expect((await subject.request('/queue', { method: 'DELETE' })).status).toBe(405);
    expect((await subject.request('/history/%zz')).status).toBe(404);
  });

  it('bytes that are not HTTP, and goes on', async () => {
    const { worker, subject } = await testWorker();
    const socket = connect(worker.port, '127.0.0.1');
    socket.end('\x16\x03\x01\x02\x00 this is not a request\r\n\r\n');
    await new Promise((resolve) => socket.once('close', resolve).resume());
    expect((await subject.request('/prompt')).status).toBe(200);
  });
});

describe('what a worker accepts', () => {
  it('a graph whose depth is its number of nodes', async () => {
    const { subject } = await testWorker();
    const graph: TestGraph = { '0': emptyImage({ width: 1, height: 1 }) };
    for (let link = 1; link < 1999; link += 1)
      graph[link] = { class_type: 'ImageRotate', inputs: { image: [String(link - 1), 0], rotation: 'none' } };
    graph.out = { class_type: 'PreviewImage', inputs: { images: ['1998', 0] } };
    expect((await subject.run(graph)).status.completed).toBe(true);
  });

  it('node ids and titles with a meaning in JavaScript', async () => {
    const { subject } = await testWorker();
    const body = `{"prompt_id":"odd","prompt":{"__proto__":{"class_type":"PrimitiveString","inputs":{"value":"x"}},"constructor":{"class_type":"PreviewAny","inputs":{"source":["__proto__",0]}}}}`;
    expect((await subject.post('/prompt', body)).status).toBe(200);
    expect((await subject.finished('odd')).outputs.constructor).toEqual({ text: ['x'] });
  });

  it('twenty uploads of one name at once: every file is kept once', async () => {
    const { subject, dir } = await testWorker();
    const uploads = Array.from({ length: 20 }, (_, index) =>
      subject.upload({}, { name: 'same.png', bytes: Buffer.from(`file ${index % 10}`) }),
    );
    for (const response of await Promise.all(uploads)) expect(response.status).toBe(200);
    expect(await readdir(join(dir, 'input'))).toHaveLength(10);
  });
});

/** Without a Content-Length, the size only shows while it arrives. */
function statusOfChunked(url: string, bytes: Uint8Array): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'multipart/form-data; boundary=B' };
    const call = request(url, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('error', reject);
    call.write('--B\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n');
    call.end(bytes);
  });
}
