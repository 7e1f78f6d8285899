import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';

// biome-ignore lint/suspicious/noExplicitAny: what the gateway answers, as it comes
type Answer = any;

const invert = {
  '1': { class_type: 'LoadImage', inputs: { image: 'x.png' } },
  '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
  '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'inverted' } },
};

describe('an upload, its picture and the picture of the picture', () => {
  let gateway: DevGateway;
  let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
  let ann: DispatchCaller;
  let upload: Answer;
  let tasks: Answer[];

  beforeAll(async () => {
    gateway = await startGateway();
    worker = await startReferenceWorker();
    const admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers([worker.port]);
    ann = await DispatchCaller.register(gateway.url, 'ann@example.com');
    const blank = { width: 8, height: 8, channels: 3, background: 'green' } as const;
    upload = await ann.upload('start.png', await sharp({ create: blank }).png().toBuffer());
    const first = await invertOf(upload.fileId);
    tasks = [first, await invertOf(first.result.outputs[0].fileId)];
  });

  afterAll(async () => {
    await gateway.stop();
    await worker.close();
  });

  async function invertOf(fileId: string): Promise<Answer> {
    const { id } = await ann.submit({ workflow: invert, params: { '1.image': { $file: fileId } } });
    return ann.ended(id);
  }
  const lineageOf = async (fileId: string, query = '') =>
    (await ann.call('GET', `/api/files/${fileId}/lineage${query}`)).data;

  it('are one line, from both ends', async () => {
    const [picture, last] = tasks.map(({ result }) => result.outputs[0].fileId);
    const down = await lineageOf(upload.fileId);
    expect(down.files.map(({ fileId, level }: Answer) => [fileId, level])).toEqual([
      [upload.fileId, 0],
      [picture, 1],
      [last, 2],
    ]);
    const up = await lineageOf(last, '?direction=up&depth=5');
    expect(up).toMatchObject({ fileId: last, direction: 'up', depth: 5, cut: null });
    expect(up.files.map(({ fileId, level }: Answer) => [fileId, level])).toEqual([
      [last, 0],
      [picture, -1],
      [upload.fileId, -2],
    ]);
    const edges = [
      { from: upload.fileId, to: tasks[0].id },
      { from: tasks[0].id, to: picture },
      { from: picture, to: tasks[1].id },
      { from: tasks[1].id, to: last },
    ];
    expect(down.edges).toEqual(edges);
    expect(up.edges).toHaveLength(4);
    expect(up.edges).toEqual(expect.arrayContaining(edges));
    expect(up.tasks).toMatchObject([{ status: 'completed', instanceId: `127.0.0.1:${worker.port}` }, {}]);
    expect((await fetch(up.files[2].url)).status).toBe(200);
  });
});
