import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';

const invert = {
  '1': { class_type: 'LoadImage', inputs: { image: 'x.png' }, _meta: { title: 'Picture' } },
  '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
  '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'inverted' } },
};

describe('a task on a worker', () => {
  let gateway: DevGateway;
  let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
  let admin: DispatchCaller;

  beforeAll(async () => {
    gateway = await startGateway();
    worker = await startReferenceWorker();
    admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers([worker.port]);
  });

  afterAll(async () => {
    await gateway.stop();
    await worker.close();
  });

  it('gets its picture, runs, and offers the result at a link that needs no credentials', async () => {
    const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#102030' } })
      .png()
      .toBuffer();
    const file = await admin.upload('picture.png', picture);
    const submitted = await admin.call('POST', '/api/tasks', {
      workflow: invert,
      params: { 'Picture.image': { $file: file.fileId } },
    });
    expect(submitted).toMatchObject({ code: 200, data: { status: 'pending', progress: 0, attempt: 0 } });

    const ended = await admin.ended(submitted.data.id);
    expect(ended).toMatchObject({
      status: 'completed',
      progress: 100,
      attempt: 1,
      error: null,
      instanceId: `127.0.0.1:${worker.port}`,
    });
    const [link] = ended.result.files;
    const loaded = await fetch(link);
    expect(loaded.status).toBe(200);
    expect(loaded.headers.get('content-type')).toBe('image/png');
    const { data } = await sharp(Buffer.from(await loaded.arrayBuffer()))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([...data.subarray(0, 3)]).toEqual([0xef, 0xdf, 0xcf]);
  });

  it('that has run gives a repeated submission the same answer as the first', async () => {
    const input = {
      body: {
        workflow: {
          '1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } },
          '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
        },
      },
      headers: { 'idempotency-key': 'once' },
    };
    const first = await admin.request('POST', '/api/tasks', input);
    expect(await admin.ended(first.body.data.id)).toMatchObject({ status: 'completed' });
    const again = await admin.request('POST', '/api/tasks', input);
    expect(again.body.data).toEqual({ ...first.body.data, position: null });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });
});
