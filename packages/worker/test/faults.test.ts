import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { savedImage } from '../src/conformance/graphs.ts';
import { testWorker } from './support/test-worker.ts';

describe('HTTP faults', () => {
  it('garbage: a 200 that is not JSON', async () => {
    const { worker, subject } = await testWorker();
    worker.faults.set({ http: [{ path: '/queue', effect: 'garbage' }] });
    const response = await subject.request('/api/queue');
    expect(response.status).toBe(200);
    await expect(response.json()).rejects.toThrow();
    expect((await subject.request('/prompt')).status).toBe(200);
  });

  it('status: any status, as often as configured', async () => {
    const { worker, subject } = await testWorker();
    worker.faults.set({
      http: [{ method: 'GET', path: '/history', effect: 'status', status: 503, times: 2 }],
    });
    const statuses = [];
    for (let count = 0; count < 3; count += 1)
      statuses.push((await subject.request('/history/some-id')).status);
    expect(statuses).toEqual([503, 503, 200]);
  });

  it('lose_response: the prompt runs, its sender sees a reset', async () => {
    const { worker, subject } = await testWorker();
    worker.faults.set({ http: [{ method: 'POST', path: '/prompt', effect: 'lose_response', times: 1 }] });
    await expect(subject.submit(savedImage(), { prompt_id: 'lost' })).rejects.toThrow();
    expect((await subject.finished('lost')).status.completed).toBe(true);
  });

  it('reset: the prompt does not run', async () => {
    const { worker, subject } = await testWorker();
    worker.faults.set({ http: [{ method: 'POST', path: '/prompt', effect: 'reset', times: 1 }] });
    await expect(subject.submit(savedImage(), { prompt_id: 'never' })).rejects.toThrow();
    expect(await subject.json('/prompt')).toEqual({ exec_info: { queue_remaining: 0 } });
    expect(await subject.json('/history')).toEqual({});
  });

  it('hang: no answer, however long the client waits', async () => {
    const { worker, subject } = await testWorker();
    worker.faults.set({ http: [{ path: '/queue', effect: 'hang' }] });
    const waiting = subject.request('/queue', { signal: AbortSignal.timeout(200) });
    await expect(waiting).rejects.toThrow(/timeout/);
  });

  it('trickle: an answer that never ends', async () => {
    const { worker, subject } = await testWorker();
    worker.faults.set({ http: [{ path: '/queue', effect: 'trickle' }] });
    const patience = new AbortController();
    const response = await subject.request('/queue', { signal: patience.signal });
    expect(response.status).toBe(200);
    setTimeout(() => patience.abort(new Error('waited long enough')), 700);
    await expect(response.text()).rejects.toThrow('waited long enough');
  });

  it('refuse: nothing listens, and later the same worker again', async () => {
    const { worker, subject } = await testWorker();
    const ear = await subject.listen('me');
    await worker.refuse();
    expect(await ear.hearClose()).toBe(1006);
    await expect(subject.request('/prompt')).rejects.toThrow();
    await worker.accept();
    expect((await subject.request('/prompt')).status).toBe(200);
  });

  it('cannot be reached over HTTP unless it is asked for', async () => {
    const { subject } = await testWorker();
    expect((await subject.request('/reference/faults')).status).toBe(404);
    const { subject: open } = await testWorker({ faultRoutes: true });
    expect((await open.post('/reference/faults', { deafSockets: true })).status).toBe(200);
    expect((await open.json('/reference/faults')).deafSockets).toBe(true);
    expect((await open.post('/reference/faults', { deafSocket: true })).status).toBe(400);
    expect((await open.request('/reference/faults', { method: 'DELETE' })).status).toBe(200);
    expect((await open.json('/reference/faults')).deafSockets).toBe(false);
  });
});

describe('faults of a prompt', () => {
  it('holdNodes: waits before each node until it is released', async () => {
    const { worker, subject } = await testWorker();
    worker.faults.set({ holdNodes: true });
    const ear = await subject.listen('me');
    const promptId = await subject.accept(savedImage(), { client_id: 'me' });
    await ear.hear(({ type }) => type === 'executing', 'a node');
    await delay(50);
    expect(ear.framesOf(promptId).filter(({ type }) => type === 'executing')).toHaveLength(1);
    worker.faults.set({ holdNodes: false });
    expect((await subject.finished(promptId)).status.completed).toBe(true);
  });

  it('holdNodes: an interrupt ends the wait', async () => {
    const { worker, subject } = await testWorker();
    worker.faults.set({ holdNodes: true });
    const promptId = await subject.accept(savedImage());
    await subject.running(promptId);
    await subject.post('/interrupt', { prompt_id: promptId });
    expect((await subject.finished(promptId)).status.messages.at(-1)[0]).toBe('execution_interrupted');
  });

  it('zombie before the start: accepted, running for ever, not even started', async () => {
    const { worker, subject } = await testWorker();
    worker.faults.set({ zombie: 'before_start' });
    const ear = await subject.listen('me');
    const promptId = await subject.accept(savedImage(), { client_id: 'me' });
    await subject.running(promptId);
    await delay(50);
    expect(ear.framesOf(promptId)).toEqual([]);
    worker.faults.reset();
    expect((await subject.finished(promptId)).status.completed).toBe(true);
  });

  it('an interrupt does not wake a zombie', async () => {
    const { worker, subject } = await testWorker();
    worker.faults.set({ zombie: 'mid_run' });
    const promptId = await subject.accept(savedImage());
    await subject.running(promptId);
    await subject.post('/interrupt', {});
    await delay(100);
    expect((await subject.json('/queue')).queue_running[0][1]).toBe(promptId);
  });

  it('muteSockets: sockets stay open and answer pings, but send no frames', async () => {
    const { worker, subject } = await testWorker();
    worker.faults.set({ muteSockets: true });
    const ear = await subject.listen('me');
    await subject.run(savedImage(), { client_id: 'me' });
    await ear.ping();
    expect(ear.frames).toEqual([]);
  });

  it('nodeError: one node fails once, with the configured error', async () => {
    const { worker, subject } = await testWorker();
    const type = 'torch.cuda.OutOfMemoryError';
    worker.faults.set({ nodeError: { classType: 'ImageInvert', type, message: 'out of memory' } });
    const graph = savedImage();
    const [, data] = (await subject.run(graph)).status.messages.at(-1);
    expect([data.node_id, data.exception_type, data.exception_message]).toEqual(['2', type, 'out of memory']);
    expect((await subject.run(graph)).status.completed).toBe(true);
  });

  it('outputNames: names that a hostile worker would give', async () => {
    const { worker, subject } = await testWorker();
    worker.faults.set({ outputNames: { filename: '../../secret', subfolder: '/etc' } });
    const { outputs } = await subject.run(savedImage());
    expect(outputs['3'].images).toEqual([{ filename: '../../secret', subfolder: '/etc', type: 'output' }]);
  });

  it('closes while it is a zombie, and while nodes are held', async () => {
    for (const switches of [
      { zombie: 'mid_run' },
      { zombie: 'before_start' },
      { holdNodes: true },
    ] as const) {
      const { worker, subject } = await testWorker();
      worker.faults.set(switches);
      await subject.running(await subject.accept(savedImage()));
      await worker.close();
    }
  });
});
