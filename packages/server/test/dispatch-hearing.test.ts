import { once } from 'node:events';
import type { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { anyWorkflow, type DispatchPool, held, startPool } from './support/dispatch-pool.ts';

/** The gateway must learn the end from the socket: if only polling found it, the test would never end. */
const onlyByEvents = { pollMs: 3_600_000 };
/** The node's picture is sent over the event socket and stored nowhere. */
const sentPicture = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 0 } },
  '2': { class_type: 'SaveImageWebsocket', inputs: { images: ['1', 0] } },
};

let pool: DispatchPool;

afterEach(() => pool.close());

const onlyWorker = (): FakeWorker => {
  const [worker] = pool.workers;
  if (!worker) throw new Error('The pool has no worker.');
  return worker;
};
const hearing = () =>
  pool.user.until(
    async () => onlyWorker().clientIds,
    (ids) => ids.length === 1,
  );

/** Another client with the gateway's own client id, such as a copy of its home, connects and disconnects. */
async function secondClientComesAndGoes(): Promise<void> {
  const [clientId = ''] = await hearing();
  const socket = new WebSocket(`ws://127.0.0.1:${onlyWorker().port}/ws?clientId=${clientId}`);
  await once(socket, 'open');
  socket.close();
  await pool.user.until(
    async () => onlyWorker().clientIds,
    (ids) => ids.length === 0,
  );
}

describe('an event socket that is open and hears nothing', () => {
  it.each([
    ['because a second client with the same id came and went', secondClientComesAndGoes],
    [
      'because the network was cut for a moment',
      async () => {
        await hearing();
        onlyWorker().forgetSockets();
      },
    ],
  ])('%s is opened again, and the instance says so until a run was heard', async (_, deafen) => {
    pool = await startPool({ workers: [{}], executionTimeouts: onlyByEvents });
    await deafen();
    const first = await pool.user.submit({ workflow: anyWorkflow });
    expect(await pool.user.ended(first.id)).toMatchObject({ status: 'completed', attempt: 1 });
    expect(await pool.user.instance(onlyWorker().port)).toMatchObject({
      alive: true,
      // A busy gateway may find the end by its first look, before the silence has lasted long enough.
      lastError: expect.stringMatching(
        /event socket (was open and silent when it took a task|told nothing of a run)/,
      ),
    });
    const second = await pool.user.submit({ workflow: anyWorkflow });
    expect(await pool.user.ended(second.id)).toMatchObject({ status: 'completed', attempt: 1 });
    await pool.user.until(
      () => pool.user.instance(onlyWorker().port),
      ({ lastError }) => lastError === null,
    );
    expect(onlyWorker().stats.accepted).toBe(2);
    const happened = async () => {
      const path = `/api/instances/127.0.0.1:${onlyWorker().port}/events`;
      const { data } = await pool.user.call('GET', path);
      return data.items.map(({ kind }: { kind: string }) => kind);
    };
    await pool.user.until(happened, (kinds) => kinds.includes('deaf') && kinds.includes('hearing'));
  });

  it('hears the rest of an execution that is longer than the silence', async () => {
    pool = await startPool({ workers: [held], executionTimeouts: onlyByEvents });
    await hearing();
    onlyWorker().forgetSockets();
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    await pool.user.until(
      () => pool.user.task(id),
      ({ phase }) => phase === 'executing',
    );
    onlyWorker().finishRun();
    expect(await pool.user.ended(id)).toMatchObject({ status: 'completed', attempt: 1 });
  });
});

describe('a picture that exists only as a frame', () => {
  it('is an output of its task', async () => {
    pool = await startPool();
    const { id } = await pool.user.submit({ workflow: sentPicture });
    expect(await pool.user.ended(id)).toMatchObject({
      status: 'completed',
      result: { outputs: [{ node: '2', contentType: 'image/png' }], outputsMissing: 0 },
    });
  });

  it('that was lost on a deaf socket is made again by another attempt', async () => {
    pool = await startPool({ executionTimeouts: onlyByEvents });
    await hearing();
    onlyWorker().forgetSockets();
    const { id } = await pool.user.submit({ workflow: sentPicture });
    expect(await pool.user.ended(id)).toMatchObject({
      status: 'completed',
      attempts: [{ outcome: 'outputs_lost' }, { outcome: 'completed' }],
      result: { outputs: [{ node: '2' }], outputsMissing: 0 },
    });
  });

  it('that was lost fails a task that may start only once with outputs_lost', async () => {
    pool = await startPool({ executionTimeouts: onlyByEvents });
    await hearing();
    onlyWorker().forgetSockets();
    const { id } = await pool.user.submit({ workflow: sentPicture, retry: 'never' });
    expect(await pool.user.ended(id)).toMatchObject({ status: 'failed', error: { code: 'outputs_lost' } });
  });
});
