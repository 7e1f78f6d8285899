import { describe, expect, it } from 'vitest';
import { batch, greys, redRows, runForImage } from '../../test/support/run-node.ts';

const two = batch(greys([1, 2]), greys([3, 4]));

describe('batches', () => {
  it('ImageBatch appends, and resizes the second batch to the size of the first', async () => {
    const joined = await runForImage('ImageBatch', { image1: two, image2: greys([9, 50, 60, 9]) });
    expect(joined.frames.map((_, frame) => redRows(joined, frame)[0])).toEqual([
      [1, 2],
      [3, 4],
      [50, 60],
    ]);
  });

  it('RepeatImageBatch repeats the whole batch', async () => {
    const repeated = await runForImage('RepeatImageBatch', { image: two, amount: 2 });
    expect(repeated.frames.map((_, frame) => redRows(repeated, frame)[0]?.[0])).toEqual([1, 3, 1, 3]);
  });

  it('RepeatImageBatch refuses more frames than the worker may hold', async () => {
    const image = await runForImage('EmptyImage', { width: 4096, height: 4096, batch_size: 1, color: 0 });
    await expect(runForImage('RepeatImageBatch', { image, amount: 9 })).rejects.toThrow(
      'more than this worker holds',
    );
  });

  it('ImageFromBatch stays inside the batch', async () => {
    const picked = await runForImage('ImageFromBatch', { image: two, batch_index: 9, length: 9 });
    expect(redRows(picked)).toEqual([[3, 4]]);
  });

  it('EmptyImage reads its colour as red, green, blue', async () => {
    const image = await runForImage('EmptyImage', { width: 1, height: 1, batch_size: 2, color: 0x102030 });
    expect(image.frames.map((frame) => [...frame])).toEqual([
      [16, 32, 48],
      [16, 32, 48],
    ]);
  });
});
