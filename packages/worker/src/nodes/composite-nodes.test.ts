import { describe, expect, it } from 'vitest';
import { batch, greys, masked, redRows, runForImage } from '../../test/support/run-node.ts';

const destination = greys([1, 2, 3], [4, 5, 6]);
const source = greys([100, 200]);
const composite = (inputs: Record<string, unknown>) =>
  runForImage('ImageCompositeMasked', { destination, source, x: 0, y: 0, resize_source: false, ...inputs });

describe('ImageCompositeMasked', () => {
  it('lays the source over the destination, and changes neither input', async () => {
    expect(redRows(await composite({ x: 1, y: 1 }))).toEqual([
      [1, 2, 3],
      [4, 100, 200],
    ]);
    expect(redRows(destination)).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
  });

  it('cuts off the part outside', async () => {
    expect(redRows(await composite({ x: 2 }))[0]).toEqual([1, 2, 100]);
    expect(redRows(await composite({ x: 99, y: 99 }))).toEqual(redRows(destination));
  });

  it('mixes by the mask', async () => {
    expect(redRows(await composite({ mask: masked([1, 0]) }))[0]).toEqual([100, 2, 3]);
    expect(redRows(await composite({ mask: masked([0.5, 0.25]) }))[0]).toEqual([50, 51, 3]);
  });

  it('stretches a mask of another size over the source', async () => {
    expect(redRows(await composite({ mask: masked([1, 1, 1, 1], [1, 1, 1, 1]) }))[0]).toEqual([100, 200, 3]);
  });

  it('stretches the source over the destination when told to', async () => {
    const stretched = await composite({ source: greys([70]), resize_source: true });
    expect(new Set(redRows(stretched).flat())).toEqual(new Set([70]));
  });

  it('repeats a short batch over a longer one, and ignores extra frames', async () => {
    const longer = batch(destination, destination, destination);
    const made = await composite({ destination: longer, source: batch(greys([7]), greys([8])) });
    expect([0, 1, 2].map((frame) => redRows(made, frame)[0]?.[0])).toEqual([7, 8, 7]);
    expect((await composite({ source: batch(source, source) })).frames).toHaveLength(1);
  });
});
