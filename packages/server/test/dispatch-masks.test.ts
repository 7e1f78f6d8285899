import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pngThatClaims } from '../testing/png-that-claims.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';

// biome-ignore lint/suspicious/noExplicitAny: what the gateway answers, as it comes
type Answer = any;

/** The photo over red where the photo is masked, and the mask file over blue where that masks. */
const graph = {
  photo: { class_type: 'LoadImage', inputs: { image: 'photo.png' } },
  shape: { class_type: 'LoadImageMask', inputs: { image: 'shape.png', channel: 'alpha' } },
  red: { class_type: 'EmptyImage', inputs: { width: 8, height: 4, batch_size: 1, color: 0xff0000 } },
  blue: { class_type: 'EmptyImage', inputs: { width: 8, height: 4, batch_size: 1, color: 0x0000ff } },
  inAlpha: composite('red', 'photo', ['photo', 1]),
  inChannel: composite('blue', 'photo', ['shape', 0]),
  saveAlpha: { class_type: 'SaveImage', inputs: { images: ['inAlpha', 0], filename_prefix: 'alpha' } },
  saveChannel: { class_type: 'SaveImage', inputs: { images: ['inChannel', 0], filename_prefix: 'channel' } },
};

function composite(destination: string, source: string, mask: [string, number]) {
  return {
    class_type: 'ImageCompositeMasked',
    inputs: { destination: [destination, 0], source: [source, 0], mask, x: 0, y: 0, resize_source: false },
  };
}

describe('a mask that was painted over a picture', () => {
  let gateway: DevGateway;
  let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
  let ann: DispatchCaller;
  let bob: DispatchCaller;
  let photo: Answer;

  beforeAll(async () => {
    gateway = await startGateway();
    worker = await startReferenceWorker();
    const admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers([worker.port]);
    ann = await DispatchCaller.register(gateway.url, 'ann@example.com');
    bob = await DispatchCaller.register(gateway.url, 'bob@example.com');
    photo = await ann.upload('photo.png', await green());
  });
  afterAll(async () => {
    await gateway.stop();
    await worker.close();
  });

  const green = () =>
    sharp({ create: { width: 8, height: 4, channels: 3, background: { r: 0, g: 200, b: 0 } } })
      .png()
      .toBuffer();
  /** The left half masks. */
  const mask = (width = 8, height = 4) =>
    sharp({ create: { width, height, channels: 3, background: 'black' } })
      .composite([
        {
          input: { create: { width: width / 2, height, channels: 3, background: 'white' } },
          left: 0,
          top: 0,
        },
      ])
      .png()
      .toBuffer();
  async function paint(
    query: string,
    { content, caller = ann }: { content?: Buffer; caller?: DispatchCaller } = {},
  ) {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(content ?? (await mask()))]), 'mask.png');
    const answer = await fetch(new URL(`/api/files/upload?${query}`, gateway.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.token}` },
      body: form,
    });
    return { status: answer.status, body: (await answer.json()) as Answer };
  }
  const edgesOf = async (output: Answer) => {
    const bytes = Buffer.from(await (await fetch(output.url)).arrayBuffer());
    const pixels = await sharp(bytes).removeAlpha().raw().toBuffer();
    return [[...pixels.subarray(0, 3)], [...pixels.subarray(21, 24)]];
  };

  it.each(['alpha', 'red', 'blue'])(
    'reaches the nodes of a worker, its own file through %s',
    async (channel) => {
      const inAlpha = (await paint(`maskOf=${photo.fileId}`)).body.data;
      const inChannel = (await paint(`maskOf=${photo.fileId}&maskPlace=channel`)).body.data;
      const { id } = await ann.submit({
        workflow: graph,
        params: {
          'photo.image': { $file: inAlpha.fileId },
          'shape.image': { $file: inChannel.fileId },
          'shape.channel': channel,
        },
      });
      const { result } = await ann.ended(id);
      const [first, second] = ['alpha', 'channel'].map((name) =>
        result.outputs.find(({ filename }: Answer) => filename.startsWith(name)),
      );
      const photoColour = [0, 200, 0];
      expect(await edgesOf(first)).toEqual([photoColour, [255, 0, 0]]);
      expect(await edgesOf(second)).toEqual([photoColour, [0, 0, 255]]);
    },
  );

  it('is refused with the reason where it cannot be', async () => {
    const gone = await ann.upload('gone.png', await green());
    await ann.request('DELETE', `/api/files/${gone.fileId}`);
    const text = await ann.upload('notes.txt', Buffer.from('text'));
    const vast = await ann.upload('vast.png', pngThatClaims(9_000, 9_000));
    const refusals = [
      await paint(`maskOf=${photo.fileId}`, { content: await mask(4, 4) }),
      await paint(`maskOf=${photo.fileId}`, { content: Buffer.from('no picture') }),
      await paint(`maskOf=${gone.fileId}`),
      await paint(`maskOf=${text.fileId}`),
      await paint(`maskOf=${vast.fileId}`),
      await paint(`maskOf=${photo.fileId}`, { caller: bob }),
      await paint(`maskOf=${photo.fileId}&maskPlace=green`),
    ];
    expect(refusals.map(({ status, body }) => [status, body.error])).toEqual([
      [422, 'validation_failed'],
      [422, 'picture_unreadable'],
      [404, 'file_not_found'],
      [415, 'not_a_picture'],
      [422, 'picture_too_large'],
      [404, 'file_not_found'],
      [422, 'validation_failed'],
    ]);
    expect(JSON.stringify(refusals[0]?.body)).toContain('The mask has 4 × 4 pixels, and the picture 8 × 4.');
  });
});
