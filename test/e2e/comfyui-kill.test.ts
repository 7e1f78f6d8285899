import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ComfyuiCaller } from '../../packages/server/test/support/comfyui-caller.ts';
import { DispatchCaller } from '../../packages/server/test/support/dispatch-caller.ts';

const prompts = 24;
const kills = 3;

/** No two are the same, so no worker answers from its cache. */
const pictureOf = (color: number) => ({
  '1': { class_type: 'EmptyImage', inputs: { width: 256, height: 256, batch_size: 2, color } },
  '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
  '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'killed' } },
});

describe('a client of ComfyUI that polls, while the gateway is killed', () => {
  const folder = temporaryFolder();
  const workers: Awaited<ReturnType<typeof startReferenceWorker>>[] = [];
  let gateway: SpawnedGateway;
  let ada: ComfyuiCaller;

  beforeAll(async () => {
    writeFileSync(join(folder.path, 'switchyard.yaml'), 'version: 1\nauth:\n  bootstrap: interactive\n');
    gateway = await SpawnedGateway.start({ home: folder.path });
    for (let count = 0; count < 2; count += 1) workers.push(await startReferenceWorker());
    const admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers(workers.map(({ port }) => port));
    ada = await ComfyuiCaller.register(gateway.url, 'ada@example.com');
  });
  afterAll(async () => {
    await gateway?.stop();
    for (const worker of workers) await worker.close();
    folder.remove();
  });

  /** Asks again while the gateway is away, as clients do. */
  async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        // What fetch throws when no one listens, or the connection ends in the middle.
        if (!(error instanceof TypeError)) throw error;
        await sleep(50);
      }
    }
  }

  async function pictures(promptId: string): Promise<number> {
    for (;;) {
      const { [promptId]: entry } = await untilAnswered(() => ada.get(`/history/${promptId}`));
      if (!entry) {
        await sleep(50);
        continue;
      }
      expect(entry.status).toMatchObject({ status_str: 'success', completed: true });
      for (const image of entry.outputs['3'].images) {
        const size = await untilAnswered(async () => {
          const answer = await ada.fetch(`/view?${new URLSearchParams(image)}`);
          expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
          return (await answer.arrayBuffer()).byteLength;
        });
        expect(size).toBeGreaterThan(100);
      }
      return entry.outputs['3'].images.length;
    }
  }

  it('has the pictures of each prompt, and each prompt once', async () => {
    const ids = Array.from({ length: prompts }, () => randomUUID());
    let done = 0;
    const client = async (promptId: string, color: number): Promise<number> => {
      // The answer may be lost in a kill. The same id with the same prompt is the same task.
      const fields = { prompt_id: promptId, client_id: 'polling' };
      await untilAnswered(() => ada.queue(pictureOf(color), fields));
      const count = await pictures(promptId);
      done += 1;
      return count;
    };
    const all = Promise.all(ids.map(client));
    all.catch(() => undefined); // It is awaited below, and a failure before that ends this test there.
    const port = new URL(gateway.url).port;
    for (let kill = 1; kill <= kills; kill += 1) {
      await expect.poll(() => done, { interval: 1 }).toBeGreaterThanOrEqual(kill * 2);
      await gateway.kill9();
      process.stderr.write(`killed after ${done} of ${prompts} prompts\n`);
      gateway = await SpawnedGateway.start({ home: folder.path, args: ['--port', port] });
    }
    expect(await all).toEqual(ids.map(() => 2));
    expect(Object.keys(await ada.get('/history')).toSorted()).toEqual(ids.toSorted());
    expect(await ada.get('/queue')).toEqual({ queue_running: [], queue_pending: [] });
  });
});
