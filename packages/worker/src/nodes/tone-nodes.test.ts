import { describe, expect, it } from 'vitest';
import { batch, greys, pixels, redRows, runForImage } from '../../test/support/run-node.ts';

describe('ImageInvert', () => {
  it('inverts every byte of every frame', async () => {
    const image = batch(greys([0, 1, 100]), greys([128, 254, 255]));
    const inverted = await runForImage('ImageInvert', { image });
    expect(redRows(inverted, 0)).toEqual([[255, 254, 155]]);
    expect(redRows(inverted, 1)).toEqual([[127, 1, 0]]);
  });
});

describe('ImageBlend', () => {
  const blend = (blend_mode: string, blend_factor: number) =>
    runForImage('ImageBlend', {
      image1: greys([0, 100, 200, 255]),
      image2: greys([255, 50, 200, 0]),
      blend_mode,
      blend_factor,
    });

  it.each([
    ['normal', [255, 50, 200, 0]],
    ['multiply', [0, 19, 156, 0]],
    ['screen', [255, 130, 243, 255]],
    ['overlay', [0, 39, 231, 255]],
    ['difference', [0, 50, 0, 255]],
  ])('mixes by %s', async (mode, expected) => {
    expect(redRows(await blend(mode, 1))).toEqual([expected]);
  });

  it('mixes by soft_light', async () => {
    // Below half of b: a − (1 − 2b)·a·(1 − a); above: a + (2b − 1)·(√a − a).
    expect(redRows(await blend('soft_light', 1))).toEqual([[0, 63, 214, 255]]);
  });

  it('keeps the first picture at factor 0 and rounds half values down', async () => {
    expect(redRows(await blend('normal', 0))).toEqual([[0, 100, 200, 255]]);
    expect(redRows(await blend('normal', 0.5))).toEqual([[127, 75, 200, 127]]);
  });

  it('crops a second picture of another shape to the first, around its centre', async () => {
    const image2 = greys([9, 77, 77, 9]);
    const blended = await runForImage('ImageBlend', {
      image1: greys([0, 0]),
      image2,
      blend_mode: 'normal',
      blend_factor: 1,
    });
    expect(redRows(blended)).toEqual([[77, 77]]);
  });

  it('repeats a single frame over a batch, and refuses batches of different lengths', async () => {
    const two = batch(greys([10]), greys([20]));
    const inputs = { blend_mode: 'normal', blend_factor: 0.5 };
    const blended = await runForImage('ImageBlend', { image1: two, image2: greys([30]), ...inputs });
    expect([redRows(blended, 0), redRows(blended, 1)]).toEqual([[[20]], [[25]]]);
    const three = batch(greys([1]), greys([2]), greys([3]));
    await expect(runForImage('ImageBlend', { image1: two, image2: three, ...inputs })).rejects.toThrow(
      'cannot be combined',
    );
  });
});

describe('ImageQuantize', () => {
  const ramp = greys(Array.from({ length: 256 }, (_, value) => value));
  const coloursOf = async (colors: number, dither: string) =>
    new Set(redRows(await runForImage('ImageQuantize', { image: ramp, colors, dither })).flat());

  it('uses no more colours than asked for', async () => {
    for (const dither of ['none', 'floyd-steinberg', 'bayer-2', 'bayer-16'])
      for (const colors of [1, 3, 8])
        expect((await coloursOf(colors, dither)).size).toBeLessThanOrEqual(colors);
  });

  it('keeps a picture with few colours unchanged', async () => {
    const image = pixels([
      [255, 0, 0],
      [0, 255, 0],
      [3, 4, 5],
      [255, 0, 0],
    ]);
    const kept = await runForImage('ImageQuantize', { image, colors: 4, dither: 'none' });
    expect(kept.frames[0]).toEqual(image.frames[0]);
  });

  it('keeps the mean brightness when it diffuses the error', async () => {
    const image = greys(...Array.from({ length: 64 }, () => Array.from({ length: 64 }, (_, x) => x * 4)));
    const dithered = redRows(
      await runForImage('ImageQuantize', { image, colors: 2, dither: 'floyd-steinberg' }),
    ).flat();
    const mean = dithered.reduce((sum, value) => sum + value, 0) / dithered.length;
    expect(Math.abs(mean - 126)).toBeLessThan(4);
  });
});
