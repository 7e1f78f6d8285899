import { describe, expect, it } from 'vitest';
import { greys, redRows, runForImage } from '../../test/support/run-node.ts';
import { resizeTaps } from './taps.ts';

const row = greys([0, 255, 0, 255]);

function scale(inputs: Record<string, unknown>) {
  const defaults = { upscale_method: 'nearest-exact', width: 0, height: 0, crop: 'disabled' };
  return runForImage('ImageScale', { ...defaults, ...inputs });
}

describe('ImageScale', () => {
  it('takes the pixel with the nearest centre', async () => {
    const scaled = await scale({ image: greys([10, 20, 30]), width: 6, height: 1 });
    expect(redRows(scaled)).toEqual([[10, 10, 20, 20, 30, 30]]);
    expect(redRows(await scale({ image: greys([1, 2, 3, 4]), width: 2, height: 1 }))).toEqual([[2, 4]]);
  });

  it('interpolates between pixel centres like PyTorch, rounded down to whole bytes', async () => {
    const scaled = await scale({ image: row, upscale_method: 'bilinear', width: 8, height: 1 });
    expect(redRows(scaled)).toEqual([[0, 63, 191, 191, 63, 63, 191, 255]]);
  });

  it('averages whole areas', async () => {
    const image = greys([0, 100, 10, 30], [200, 100, 20, 40]);
    expect(redRows(await scale({ image, upscale_method: 'area', width: 2, height: 1 }))).toEqual([[100, 25]]);
  });

  it('keeps a picture of one colour in one colour with every method', async () => {
    const image = greys([200, 200, 200], [200, 200, 200], [200, 200, 200]);
    for (const upscale_method of ['nearest-exact', 'bilinear', 'area', 'bicubic', 'lanczos']) {
      for (const width of [2, 7]) {
        const scaled = await scale({ image, upscale_method, width, height: 5 });
        expect(new Set(redRows(scaled).flat())).toEqual(new Set([200]));
      }
    }
  });

  it('computes a side of 0 from the other side, and does nothing when both are 0', async () => {
    const image = greys([1, 2, 3, 4], [5, 6, 7, 8]);
    expect(await scale({ image, width: 6 })).toMatchObject({ width: 6, height: 3 });
    expect(await scale({ image, height: 1 })).toMatchObject({ width: 2, height: 1 });
    expect(await scale({ image })).toBe(image);
  });

  it('cuts the longer side equally when cropping to the centre', async () => {
    const image = greys([1, 2, 3, 4]);
    expect(redRows(await scale({ image, width: 2, height: 1, crop: 'center' }))).toEqual([[2, 3]]);
  });

  it('refuses a picture beyond the limits before it allocates memory', async () => {
    const image = greys([1]);
    await expect(scale({ image, width: 16_384, height: 16_384 })).rejects.toThrow('at most 64000000 pixels');
  });
});

describe('ImageScaleBy and ImageScaleToTotalPixels', () => {
  it('rounds the new sides half to even, as Python does', async () => {
    const image = greys([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]);
    const scaled = await runForImage('ImageScaleBy', {
      image,
      upscale_method: 'nearest-exact',
      scale_by: 0.5,
    });
    expect([scaled.width, scaled.height]).toEqual([2, 1]);
  });

  it('keeps the ratio and meets the number of pixels', async () => {
    const image = greys(...Array.from({ length: 8 }, () => [0, 0, 0, 0]));
    const scaled = await runForImage('ImageScaleToTotalPixels', {
      image,
      upscale_method: 'nearest-exact',
      megapixels: 0.5,
    });
    expect([scaled.width, scaled.height]).toEqual([512, 1024]);
  });
});

describe('resizeTaps', () => {
  it('gives every target position a total weight of 1', () => {
    for (const method of ['bilinear', 'area', 'bicubic', 'lanczos'] as const) {
      for (const [from, to] of [
        [7, 3],
        [3, 7],
        [1, 5],
        [5, 1],
        [100, 33],
      ] as const) {
        const { length, count, weights } = resizeTaps(from, to, method);
        for (let index = 0; index < length; index += 1) {
          const sum = weights
            .slice(index * count, (index + 1) * count)
            .reduce((total, weight) => total + weight, 0);
          expect(sum).toBeCloseTo(1, 5);
        }
      }
    }
  });

  it('widens lanczos when it shrinks, so that no pixel is skipped', () => {
    const { positions } = resizeTaps(64, 4, 'lanczos');
    expect(new Set(positions).size).toBe(64);
  });
});
