import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { redRows, runNode } from '../../test/support/run-node.ts';
import { WorkerFiles } from '../files/worker-files.ts';
import { defaultLimits } from '../options.ts';
import type { ImageValue, MaskValue } from './values.ts';

async function load(
  bytes: Buffer,
  { node = 'LoadImage', ...inputs }: { node?: string; channel?: string } = {},
) {
  const files = new WorkerFiles(await mkdtemp(join(tmpdir(), 'worker-load-')));
  await files.open();
  await writeFile(join(files.folder('input'), 'picture'), bytes);
  const [first, second] = await runNode(node, { image: 'picture', ...inputs }, { files });
  return { image: first as ImageValue, mask: (second ?? first) as MaskValue };
}

const raw = (
  width: number,
  height: number,
  channels: 1 | 3 | 4,
  data: Uint8Array | Uint16Array | number[],
): Sharp => sharp(Array.isArray(data) ? Uint8Array.from(data) : data, { raw: { width, height, channels } });

describe('LoadImage', () => {
  it('reads colours, and a mask that is 1 where the picture is transparent', async () => {
    const { image, mask } = await load(await raw(2, 1, 4, [9, 8, 7, 255, 6, 5, 4, 51]).png().toBuffer());
    expect([...(image.frames[0] ?? [])]).toEqual([9, 8, 7, 6, 5, 4]);
    expect(mask.frames[0]?.[0]).toBe(0);
    expect(mask.frames[0]?.[1]).toBeCloseTo(0.8, 6);
  });

  it('returns ComfyUI’s mask of 64 × 64 zeros for a picture without transparency', async () => {
    const { mask } = await load(await raw(1, 1, 3, [1, 2, 3]).png().toBuffer());
    expect([mask.width, mask.height, new Set(mask.frames[0])]).toEqual([64, 64, new Set([0])]);
  });

  it('turns grey and 16-bit pictures into 8-bit colours', async () => {
    const { image } = await load(await raw(2, 1, 1, [10, 200]).png().toBuffer());
    expect([...(image.frames[0] ?? [])]).toEqual([10, 10, 10, 200, 200, 200]);
    const deep = await raw(2, 1, 1, Uint16Array.from([0x1234, 0xffff]))
      .toColourspace('grey16')
      .png()
      .toBuffer();
    expect((await sharp(deep).metadata()).depth).toBe('ushort');
    expect(redRows((await load(deep)).image)).toEqual([[0x12, 255]]);
  });

  it('rotates a photograph as its camera says', async () => {
    const { image } = await load(
      await raw(2, 1, 3, [0, 0, 0, 255, 255, 255])
        .jpeg({ quality: 100 })
        .withMetadata({ orientation: 6 })
        .toBuffer(),
    );
    expect([image.width, image.height]).toEqual([1, 2]);
    expect(redRows(image)[0]?.[0]).toBeLessThan(60);
  });

  it('reads every frame of an animation', async () => {
    const strip = sharp(Buffer.from([...Array(12).fill(0), ...Array(12).fill(255)]), {
      raw: { width: 2, height: 4, channels: 3, pageHeight: 2 },
    });
    const { image } = await load(await strip.webp({ lossless: true, delay: [100, 100] }).toBuffer());
    expect(image.frames.map((_, frame) => redRows(image, frame)[0])).toEqual([
      [0, 0],
      [255, 255],
    ]);
  });

  it.each([
    ['text', 'hello'],
    ['a drawing that runs code', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
    ['nothing', ''],
  ])('takes %s for no picture', async (_, content) => {
    await expect(load(Buffer.from(content))).rejects.toThrow('cannot identify image file');
  });

  it('fails on a truncated picture', async () => {
    const png = await raw(
      64,
      64,
      3,
      new Uint8Array(64 * 64 * 3).map((_, index) => (index * 7919) % 251),
    )
      .png()
      .toBuffer();
    await expect(load(png.subarray(0, png.length / 2))).rejects.toThrow();
  });

  it('refuses a decompression bomb by its header, before it is unpacked', async () => {
    const side = defaultLimits.maxSide + 1;
    const bomb = await sharp({ create: { width: side, height: 1, channels: 3, background: '#000' } })
      .png()
      .toBuffer();
    await expect(load(bomb)).rejects.toThrow('at most 16384 on a side');
  });
});

describe('LoadImageMask', () => {
  it('takes one channel: alpha inverted, colours unchanged', async () => {
    const png = await raw(1, 1, 4, [255, 51, 0, 255]).png().toBuffer();
    const value = async (channel: string) =>
      (await load(png, { node: 'LoadImageMask', channel })).mask.frames[0]?.[0];
    expect([await value('alpha'), await value('red'), await value('blue')]).toEqual([0, 1, 0]);
    expect(await value('green')).toBeCloseTo(0.2, 6);
  });
});
