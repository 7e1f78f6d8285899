import { describe, expect, it } from 'vitest';
import { greys, pixels, redRows, runForImage, runNode } from '../../test/support/run-node.ts';
import type { MaskValue } from './values.ts';

const letters = greys([1, 2, 3], [4, 5, 6]);

describe('ImageCrop', () => {
  it('cuts the rectangle out', async () => {
    const cropped = await runForImage('ImageCrop', { image: letters, width: 2, height: 1, x: 1, y: 1 });
    expect(redRows(cropped)).toEqual([[5, 6]]);
  });

  it('stops at the edge and never gives an empty picture', async () => {
    const cropped = await runForImage('ImageCrop', { image: letters, width: 512, height: 512, x: 99, y: 0 });
    expect(redRows(cropped)).toEqual([[3], [6]]);
  });
});

describe('ImageFlip', () => {
  it('flips upside down around the x axis', async () => {
    const flipped = await runForImage('ImageFlip', { image: letters, flip_method: 'x-axis: vertically' });
    expect(redRows(flipped)).toEqual([
      [4, 5, 6],
      [1, 2, 3],
    ]);
  });

  it('mirrors around the y axis', async () => {
    const flipped = await runForImage('ImageFlip', { image: letters, flip_method: 'y-axis: horizontally' });
    expect(redRows(flipped)).toEqual([
      [3, 2, 1],
      [6, 5, 4],
    ]);
  });
});

describe('ImageRotate', () => {
  it.each([
    [
      'none',
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
    ],
    [
      '90 degrees',
      [
        [4, 1],
        [5, 2],
        [6, 3],
      ],
    ],
    [
      '180 degrees',
      [
        [6, 5, 4],
        [3, 2, 1],
      ],
    ],
    [
      '270 degrees',
      [
        [3, 6],
        [2, 5],
        [1, 4],
      ],
    ],
  ])('turns clockwise by %s', async (rotation, rows) => {
    expect(redRows(await runForImage('ImageRotate', { image: letters, rotation }))).toEqual(rows);
  });

  it('keeps the colours of each pixel together', async () => {
    const image = pixels([
      [10, 20, 30],
      [40, 50, 60],
    ]);
    const turned = await runForImage('ImageRotate', { image, rotation: '90 degrees' });
    expect([...(turned.frames[0] ?? [])]).toEqual([10, 20, 30, 40, 50, 60]);
    expect([turned.width, turned.height]).toEqual([1, 2]);
  });
});

describe('ImagePadForOutpaint', () => {
  it('surrounds the picture with grey and marks the new area in the mask', async () => {
    const sides = { left: 1, top: 0, right: 0, bottom: 1, feathering: 0 };
    const [image, mask] = await runNode('ImagePadForOutpaint', { image: letters, ...sides });
    expect(redRows(image as typeof letters)).toEqual([
      [127, 1, 2, 3],
      [127, 4, 5, 6],
      [127, 127, 127, 127],
    ]);
    expect([...((mask as MaskValue).frames[0] ?? [])]).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1]);
  });

  it('fades the mask by the square of the closeness to a padded side', async () => {
    const image = greys(...Array.from({ length: 6 }, () => [9, 9, 9, 9, 9, 9]));
    const sides = { left: 1, top: 0, right: 0, bottom: 0, feathering: 2 };
    const mask = (await runNode('ImagePadForOutpaint', { image, ...sides }))[1] as MaskValue;
    expect([...(mask.frames[0] ?? [])].slice(0, 7)).toEqual([1, 1, 0.25, 0, 0, 0, 0]);
  });
});
