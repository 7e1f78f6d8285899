import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { type ConnectedClient, connectClient, newClient } from '@switchyard/dev-env/worker-client-fixture';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ComfyuiClient } from './comfyui-client.ts';

type Worker = Awaited<ReturnType<typeof startReferenceWorker>>;

let worker: Worker;
let connected: ConnectedClient;

beforeAll(async () => {
  worker = await startReferenceWorker();
});
afterAll(() => worker.close());
beforeEach(async () => {
  connected = await connectClient(worker.port, { clientId: randomUUID() });
});
afterEach(async () => {
  worker.faults.reset();
  await connected.client.close();
});

/** A different color each time, so that nothing comes from the worker's cache. */
function picture(color = Math.floor(Math.random() * 0xffffff)) {
  return {
    '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 8, batch_size: 1, color } },
    '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
    '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'test' } },
  };
}

async function runToEnd(graph: Parameters<ConnectedClient['submit']>[0]) {
  const { promptId } = await connected.submit(graph);
  await connected.heard.next('run_settled', promptId);
  const result = await connected.client.result(promptId);
  if (!result) throw new Error('the run left no history');
  return { promptId, result };
}

describe('a prompt', () => {
  test('is accepted, heard from start to end, and kept with its output', async () => {
    const { promptId, outcome } = await connected.submit(picture());
    expect(outcome).toMatchObject({ outcome: 'accepted', skipped: [] });
    await connected.heard.next('run_settled', promptId);
    const order = connected.heard.of(promptId);
    expect(order.slice(0, 2)).toEqual(['run_started', 'nodes_cached']);
    expect(order.slice(-2)).toEqual(['run_ended', 'run_settled']);
    expect(order.filter((type) => type === 'node_started')).toHaveLength(3);
    const result = await connected.client.result(promptId);
    expect(result).toMatchObject({ end: 'succeeded', error: null, rejected: 0, cachedNodes: [] });
    expect(result?.files).toMatchObject([{ nodeId: '3', folder: 'output' }]);
  });

  test('that was executed before comes from the cache with the old file', async () => {
    const graph = picture();
    const first = await runToEnd(graph);
    const second = await runToEnd(graph);
    expect(second.result.cachedNodes.sort()).toEqual(['1', '2', '3']);
    expect(second.result.files).toEqual(first.result.files);
  });

  test('that fails in a node names the node', async () => {
    worker.faults.set({
      nodeError: { classType: 'ImageInvert', type: 'ValueError', message: 'no such colour' },
    });
    const { promptId, result } = await runToEnd(picture());
    expect(result).toMatchObject({
      end: 'failed',
      error: { kind: 'node', nodeId: '2', nodeClass: 'ImageInvert', message: 'ImageInvert: no such colour' },
    });
    expect(await connected.heard.next('run_ended', promptId)).toMatchObject({
      end: 'failed',
      error: { nodeId: '2' },
    });
  });

  test('whose history is written late is waited for', async () => {
    worker.faults.set({ historyDelayMs: 60 });
    const { promptId } = await connected.submit(picture());
    await connected.heard.next('run_ended', promptId);
    expect(await connected.client.result(promptId)).toMatchObject({ end: 'succeeded' });
  });

  test('of another client is not heard, only that the worker is busy', async () => {
    const other = await connectClient(worker.port, { clientId: 'somebody-else' });
    const { promptId } = await other.submit(picture());
    await other.heard.next('run_settled', promptId);
    await connected.heard.next('queue_changed');
    expect(connected.heard.all.filter((event) => 'promptId' in event)).toEqual([]);
    await other.client.close();
  });
});

describe('refusals', () => {
  test('a broken input names the node', async () => {
    const graph = {
      '1': { class_type: 'EmptyImage', inputs: { width: -5, height: 8, batch_size: 1, color: 0 } },
      '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
    };
    const { outcome } = await connected.submit(graph);
    expect(outcome).toMatchObject({
      outcome: 'invalid',
      error: { nodeId: '1', nodeClass: 'EmptyImage', type: 'value_smaller_than_min' },
    });
  });

  test('a class that the worker does not have counts as missing on this worker', async () => {
    const { outcome } = await connected.submit({ '1': { class_type: 'KSampler' } });
    expect(outcome).toMatchObject({ outcome: 'incapable', error: { nodeId: '1' } });
  });

  test('an input file that is not on the worker has its own outcome', async () => {
    const graph = {
      '1': { class_type: 'LoadImage', inputs: { image: `gw/${'a'.repeat(64)}.png` } },
      '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
    };
    expect((await connected.submit(graph)).outcome).toMatchObject({ outcome: 'input_missing' });
  });

  test('a broken output beside a good one is named while the good one runs', async () => {
    const graph = { ...picture(), '4': { class_type: 'SaveImage', inputs: { filename_prefix: 'x' } } };
    const { promptId, outcome } = await connected.submit(graph);
    expect(outcome).toMatchObject({
      outcome: 'accepted',
      skipped: [{ nodeId: '4', type: 'required_input_missing' }],
    });
    await connected.heard.next('run_settled', promptId);
  });
});

describe('answers that were lost', () => {
  test('a cut connection means unknown, and the prompt is still found', async () => {
    worker.faults.set({ http: [{ method: 'POST', path: '/prompt', effect: 'lose_response', times: 1 }] });
    const { promptId, outcome } = await connected.submit(picture());
    expect(outcome).toMatchObject({ outcome: 'unknown', cause: 'broken_off' });
    await connected.heard.next('run_settled', promptId);
    expect(await connected.client.reconcile(promptId, { knownPromptId: null, graceMs: 0 })).toMatchObject({
      state: 'finished',
    });
  });

  test('a request that never arrived is absent from a worker that was there all the time', async () => {
    worker.faults.set({ http: [{ method: 'POST', path: '/prompt', effect: 'reset', times: 1 }] });
    const { promptId, outcome } = await connected.submit(picture());
    expect(outcome.outcome).toBe('unknown');
    expect(await connected.client.reconcile(promptId, { knownPromptId: null, graceMs: 1 })).toEqual({
      state: 'absent',
      isSameProcess: true,
    });
  });

  test('after the socket was lost it is unknown whether it was the same process', async () => {
    worker.faults.set({ http: [{ method: 'POST', path: '/prompt', effect: 'reset', times: 1 }] });
    const { promptId } = await connected.submit(picture());
    await connected.client.reopen();
    expect(await connected.client.reconcile(promptId, { knownPromptId: null, graceMs: 1 })).toEqual({
      state: 'absent',
      isSameProcess: false,
    });
  });

  test('another client finds out by an earlier prompt whether the process is the same', async () => {
    const known = await connected.submit(picture());
    await connected.heard.next('run_settled', known.promptId);
    await connected.client.result(known.promptId);
    const { knownPromptId } = connected.client;
    expect(knownPromptId).toBe(known.promptId);
    const later = await connectClient(worker.port);
    const sameProcess = async (earlier: string | null) => {
      const found = await later.client.reconcile(randomUUID(), { knownPromptId: earlier, graceMs: 1 });
      return found.state === 'absent' ? found.isSameProcess : found.state;
    };
    try {
      expect(await sameProcess(knownPromptId)).toBe(true);
      expect(await sameProcess(randomUUID())).toBe(false);
      expect(await sameProcess(null)).toBeNull();
    } finally {
      await later.client.close();
    }
  });

  test('garbage after a 200 means unknown', async () => {
    worker.faults.set({ http: [{ method: 'POST', path: '/prompt', effect: 'garbage', times: 1 }] });
    expect((await connected.submit(picture())).outcome).toMatchObject({
      outcome: 'unknown',
      cause: 'bad_answer',
    });
  });

  test('a worker that is not there certainly took nothing', async () => {
    await worker.refuse();
    try {
      expect((await newClient(worker.port).submit(picture())).outcome).toMatchObject({
        outcome: 'not_taken',
        cause: 'refused',
      });
    } finally {
      await worker.accept();
    }
  });
});

describe('where a prompt is', () => {
  test('is running, waiting with the number ahead of it, finished or absent', async () => {
    worker.faults.set({ holdNodes: true });
    const first = await connected.submit(picture());
    await connected.heard.next('run_started', first.promptId);
    const second = await connected.submit(picture());
    const third = await connected.submit(picture());
    const { client } = connected;
    expect(await client.locate(first.promptId)).toEqual({ state: 'running' });
    expect(await client.locate(second.promptId)).toEqual({ state: 'waiting', ahead: 1 });
    expect(await client.locate(third.promptId)).toEqual({ state: 'waiting', ahead: 2 });
    worker.faults.reset();
    await connected.heard.next('run_settled', third.promptId);
    expect(await client.locate(first.promptId)).toMatchObject({
      state: 'finished',
      result: { end: 'succeeded' },
    });
    expect(await client.locate(randomUUID())).toEqual({ state: 'absent' });
  });

  test('the prompt of an earlier gateway is heard again under the same client id', async () => {
    worker.faults.set({ holdNodes: true });
    const clientId = randomUUID();
    const earlier = await connectClient(worker.port, { clientId });
    const { promptId } = await earlier.submit(picture());
    await earlier.heard.next('run_started', promptId);
    await earlier.client.close();
    const later = newClient(worker.port, { clientId });
    later.client.watch({ promptId, classOf: () => undefined });
    later.client.open();
    expect(await later.heard.next('node_started', promptId)).toMatchObject({ nodeId: '1' });
    expect(await later.client.locate(promptId)).toEqual({ state: 'running' });
    worker.faults.reset();
    await later.heard.next('run_settled', promptId);
    await later.client.close();
  });
});

describe('cancelling', () => {
  test('a waiting prompt is removed without a trace, a running one is stopped between nodes, others go on', async () => {
    worker.faults.set({ holdNodes: true });
    const running = await connected.submit(picture());
    await connected.heard.next('run_started', running.promptId);
    const waiting = await connected.submit(picture());
    const bystander = await connected.submit(picture());
    const { client, heard } = connected;
    expect(await client.cancel(waiting.promptId)).toEqual({ outcome: 'removed' });
    expect(await client.locate(waiting.promptId)).toEqual({ state: 'absent' });
    expect(await client.cancel(running.promptId)).toEqual({ outcome: 'stopping' });
    expect(await heard.next('run_ended', running.promptId)).toMatchObject({ end: 'interrupted' });
    expect(await client.result(running.promptId)).toMatchObject({ end: 'interrupted' });
    worker.faults.reset();
    expect(await heard.next('run_ended', bystander.promptId)).toMatchObject({ end: 'succeeded' });
    expect(await client.cancel(bystander.promptId)).toMatchObject({
      outcome: 'finished',
      result: { end: 'succeeded' },
    });
  });
});

describe('files', () => {
  test('a pushed file can be loaded, pushing it again costs nothing, and its output can be pulled', async () => {
    const { result } = await runToEnd(picture(0xff0000));
    const [output] = result.files;
    if (!output) throw new Error('no output');
    const pulled = await connected.client.pullOutput(output, { maxBytes: 100_000 });
    if (!pulled) throw new Error('the output is missing');
    const png = await buffer(pulled.body);
    expect(pulled).toMatchObject({ contentType: 'image/png', sizeBytes: png.length });
    expect(png.subarray(1, 4).toString()).toBe('PNG');

    let opened = 0;
    const file = {
      sha256: 'b'.repeat(64),
      extension: 'png',
      sizeBytes: png.length,
      open: () => {
        opened++;
        return Readable.from([png.subarray(0, 10), png.subarray(10)]);
      },
    };
    const name = await connected.client.pushFile(file);
    expect(name).toBe(`gw/${'b'.repeat(64)}.png`);
    expect([await connected.client.pushFile(file), opened]).toEqual([name, 1]);
    const loaded = await runToEnd({
      '1': { class_type: 'LoadImage', inputs: { image: name } },
      '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'again' } },
    } as never);
    expect(loaded.result.end).toBe('succeeded');
  });

  test('a file that is gone gives null, not an error', async () => {
    const output = { nodeId: '1', filename: 'gone.png', subfolder: '', folder: 'output' } as const;
    expect(await connected.client.pullOutput(output, { maxBytes: 1_000 })).toBeNull();
  });

  test('names that no file can have count as rejected and are not asked for', async () => {
    worker.faults.set({ outputNames: { filename: '../../../etc/passwd', subfolder: '..' } });
    const { result } = await runToEnd(picture());
    expect(result).toMatchObject({ end: 'succeeded', files: [], rejected: 1 });
  });
});

describe('introspection', () => {
  test('a probe returns version, devices and queue', async () => {
    expect(await connected.client.probe()).toMatchObject({
      ok: true,
      version: expect.any(String),
      devices: [{ name: expect.any(String) }],
      queueRemaining: 0,
    });
  });

  test('its embeddings are a part of what it can run, and stay known while it does not name them', async () => {
    const fake = await FakeWorker.start({ embeddings: ['negative'] });
    const { client } = await connectClient(fake.port, { clientId: randomUUID() });
    expect((await client.capabilities()).told.embeddings).toEqual(['negative']);
    expect(await client.changedCapabilities()).toBeNull();
    fake.embeddings = null;
    expect(await client.changedCapabilities()).toBeNull();
    fake.embeddings = ['negative', 'style'];
    expect((await client.changedCapabilities())?.told.embeddings).toEqual(['negative', 'style']);
    await client.close();
    await fake.close();
  });

  test('capabilities contain classes and outputs', async () => {
    const { nodeClasses, outputClasses } = await connected.client.capabilities();
    expect(nodeClasses).toContain('ImageInvert');
    expect(outputClasses).toContain('SaveImage');
    expect(outputClasses).not.toContain('ImageInvert');
  });

  test('memory can be freed', async () => {
    await expect(connected.client.freeMemory()).resolves.toBeUndefined();
  });
});

describe('the event socket', () => {
  test('that went deaf hears again after reopening', async () => {
    worker.faults.set({ deafSockets: true });
    const clientId = randomUUID();
    const older = await connectClient(worker.port, { clientId });
    const newer = await connectClient(worker.port, { clientId });
    await older.client.close();
    const { promptId } = await newer.submit(picture());
    expect((await newer.client.result(promptId))?.end).toBe('succeeded');
    expect(newer.heard.of(promptId)).toEqual([]);
    await newer.client.reopen();
    const second = await newer.submit(picture());
    await newer.heard.next('run_settled', second.promptId);
    await newer.client.close();
  });

  test('is one at a time: reopening closes the old one first, so that the new one is never deaf', async () => {
    worker.faults.set({ deafSockets: true });
    await connected.client.reopen();
    await connected.client.reopen();
    const { promptId } = await connected.submit(picture());
    await connected.heard.next('run_settled', promptId);
  });

  test('says when it is lost and when it is there again', async () => {
    connected.heard.forget();
    await connected.client.reopen();
    expect(connected.heard.all.map(({ type }) => type).filter((type) => type.startsWith('socket_'))).toEqual([
      'socket_closed',
      'socket_opened',
    ]);
    expect(connected.client.isConnected).toBe(true);
  });
});

test('a host that workers may not have is never called', async () => {
  const client = new ComfyuiClient({
    address: { host: '169.254.169.254', port: 80, basePath: '', tls: false, headers: {} },
    clientId: 'x',
    onEvent: () => undefined,
  });
  expect(await client.probe()).toMatchObject({ ok: false, cause: 'host_not_allowed' });
  await client.close();
});
