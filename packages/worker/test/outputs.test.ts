import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { emptyImage, savedImage, type TestGraph } from '../src/conformance/graphs.ts';
import { onePixelPng } from '../src/conformance/png.ts';
import type { Subject } from '../src/conformance/subject.ts';
import { testWorker } from './support/test-worker.ts';

async function picture(subject: Subject, file: Record<string, string>): Promise<Buffer> {
  return Buffer.from(await (await subject.request(`/view?${new URLSearchParams(file)}`)).arrayBuffer());
}

describe('outputs', () => {
  it('an uploaded picture comes back changed pixel by pixel', async () => {
    const { subject } = await testWorker();
    await subject.upload({ subfolder: 'gw' }, { name: 'dot.png', bytes: onePixelPng([10, 20, 30, 255]) });
    const graph: TestGraph = {
      load: { class_type: 'LoadImage', inputs: { image: 'gw/dot.png' } },
      invert: { class_type: 'ImageInvert', inputs: { image: ['load', 0] } },
      save: { class_type: 'SaveImage', inputs: { images: ['invert', 0], filename_prefix: 'out' } },
    };
    const { outputs } = await subject.run(graph);
    const pixels = await sharp(await picture(subject, outputs.save.images[0]))
      .raw()
      .toBuffer();
    expect([...pixels]).toEqual([245, 235, 225]);
  });

  it('SaveAnimatedWEBP writes one file with a frame for each picture', async () => {
    const { subject } = await testWorker();
    const inputs = { filename_prefix: 'film', fps: 4, lossless: true, quality: 80, method: 'default' };
    const { outputs } = await subject.run({
      '1': emptyImage({ color: 0xff0000 }),
      '2': emptyImage({ color: 0x0000ff }),
      '3': { class_type: 'ImageBatch', inputs: { image1: ['1', 0], image2: ['2', 0] } },
      '4': { class_type: 'SaveAnimatedWEBP', inputs: { images: ['3', 0], ...inputs } },
    });
    expect(outputs['4'].animated).toEqual([true]);
    const film = await picture(subject, outputs['4'].images[0]);
    expect(await sharp(film, { animated: true }).metadata()).toMatchObject({ pages: 2, delay: [250, 250] });
    expect([...(await sharp(film, { page: 1 }).raw().toBuffer())].slice(0, 3)).toEqual([0, 0, 255]);
  });

  it('fills the placeholders of a prefix, one file for each frame', async () => {
    const { subject } = await testWorker();
    const graph = savedImage({ batch_size: 2 });
    graph['3'] = {
      class_type: 'SaveImage',
      inputs: { images: ['2', 0], filename_prefix: '%width%x%height%/n%batch_num%' },
    };
    const { images } = (await subject.run(graph)).outputs['3'];
    expect(images).toEqual([
      { filename: 'n0_00001_.png', subfolder: '16x8', type: 'output' },
      { filename: 'n1_00001_.png', subfolder: '16x8', type: 'output' },
    ]);
  });

  it.each(['../out', '/tmp/out', 'a/../../out'])(
    'fails, and writes nothing, for the prefix %s',
    async (prefix) => {
      const { subject } = await testWorker();
      const graph = savedImage();
      graph['3'] = { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: prefix } };
      const [event, data] = (await subject.run(graph)).status.messages.at(-1);
      expect([event, data.node_id]).toEqual(['execution_error', '3']);
    },
  );

  it('numbers that come over a link reach a node as numbers', async () => {
    const { subject } = await testWorker();
    const { outputs } = await subject.run({
      '1': emptyImage({ width: 30, height: 20 }),
      '2': { class_type: 'GetImageSize', inputs: { image: ['1', 0] } },
      '3': { class_type: 'SolidMask', inputs: { value: 1, width: ['2', 1], height: ['2', 0] } },
      '4': { class_type: 'MaskToImage', inputs: { mask: ['3', 0] } },
      '5': { class_type: 'PreviewImage', inputs: { images: ['4', 0] } },
      '6': { class_type: 'PreviewAny', inputs: { source: ['2', 2] } },
    });
    const { width, height } = await sharp(await picture(subject, outputs['5'].images[0])).metadata();
    expect([width, height, outputs['6']]).toEqual([20, 30, { text: ['1'] }]);
  });
});

describe('pacing', () => {
  it('spreads the time of a node over ticks, and can be interrupted in between', async () => {
    const { subject } = await testWorker({ paceMs: 60_000 });
    const ear = await subject.listen('me');
    const promptId = await subject.accept(savedImage(), { client_id: 'me' });
    await ear.hear(({ type }) => type === 'executing', 'a node');
    await subject.post('/interrupt', { prompt_id: promptId });
    expect((await subject.finished(promptId)).status.messages.at(-1)[0]).toBe('execution_interrupted');
  });

  it('appears in /system_stats, so that consoles can label it', async () => {
    const { subject } = await testWorker({ paceMs: 500 });
    expect((await subject.json('/system_stats')).system.argv).toEqual([
      'reference-worker',
      '--pace-ms',
      '500',
    ]);
    const { subject: other } = await testWorker();
    expect((await other.json('/system_stats')).system.argv).toEqual(['reference-worker']);
  });

  it('ticks ten times for each node', async () => {
    const { subject } = await testWorker({ paceMs: 50 });
    const ear = await subject.listen('me');
    const promptId = await subject.accept(savedImage(), { client_id: 'me' });
    await ear.hearEnd(promptId);
    const ticks = ear.framesOf(promptId).filter(({ type, data }) => type === 'progress' && data.node === '2');
    expect(ticks.map(({ data }) => data.value)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('a script is never served as one, where ComfyUI serves .js as application/javascript', async () => {
    const { subject } = await testWorker();
    await subject.upload({}, { name: 'evil.js', bytes: Buffer.from('alert(1)') });
    const answer = await subject.request('/view?filename=evil.js&type=input');
    expect(answer.headers.get('content-type')).not.toMatch(/javascript/);
  });
});
