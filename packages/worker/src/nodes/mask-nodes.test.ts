import { describe, expect, it } from 'vitest';
import { masked, pixels, redRows, runForImage, runForMask } from '../../test/support/run-node.ts';

describe('masks', () => {
  it('SolidMask fills', async () => {
    const mask = await runForMask('SolidMask', { value: 0.5, width: 2, height: 1 });
    expect([...(mask.frames[0] ?? [])]).toEqual([0.5, 0.5]);
  });

  it('InvertMask inverts without rounding', async () => {
    const mask = await runForMask('InvertMask', { mask: masked([0, 0.25, 1]) });
    expect([...(mask.frames[0] ?? [])]).toEqual([1, 0.75, 0]);
  });

  it('MaskToImage returns grey and rounds down', async () => {
    const image = await runForImage('MaskToImage', { mask: masked([0, 0.5, 1]) });
    expect([...(image.frames[0] ?? [])]).toEqual([0, 0, 0, 127, 127, 127, 255, 255, 255]);
  });

  it('ImageToMask takes one colour', async () => {
    const image = pixels([[255, 51, 0]]);
    const read = async (channel: string) =>
      (await runForMask('ImageToMask', { image, channel })).frames[0]?.[0];
    expect(await read('red')).toBe(1);
    expect(await read('green')).toBeCloseTo(0.2, 6);
    expect(await read('blue')).toBe(0);
  });

  it('every byte survives the conversion to a mask and back', async () => {
    const bytes = Array.from({ length: 256 }, (_, value): [number, number, number] => [value, 0, 0]);
    const mask = await runForMask('ImageToMask', { image: pixels(bytes), channel: 'red' });
    expect(redRows(await runForImage('MaskToImage', { mask }))).toEqual([bytes.map(([value]) => value)]);
  });
});
