import { describe, expect, it } from 'vitest';
import { greys, redRows, runForImage } from '../../test/support/run-node.ts';

const dot = greys([0, 0, 0], [0, 250, 0], [0, 0, 0]);

/** The weights of ComfyUI's kernel of radius 1: it lies from −1 to 1, so a neighbour is one whole unit away. */
function weights(sigma: number) {
  const side = Math.exp(-1 / (2 * sigma * sigma));
  const sum = 1 + 2 * side;
  return { centre: 1 / sum, side: side / sum };
}

describe('ImageBlur', () => {
  it('spreads a dot by the kernel', async () => {
    const { centre, side } = weights(1);
    const blurred = redRows(
      await runForImage('ImageBlur', {
        image: greys([0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 250, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]),
        blur_radius: 1,
        sigma: 1,
      }),
    );
    expect(blurred[2]?.slice(1, 4)).toEqual([
      Math.floor(250 * centre * side),
      Math.floor(250 * centre * centre),
      Math.floor(250 * centre * side),
    ]);
    expect(blurred[0]).toEqual([0, 0, 0, 0, 0]);
  });

  it('mirrors at the edge without repeating the edge', async () => {
    const { side } = weights(1);
    const blurred = redRows(await runForImage('ImageBlur', { image: dot, blur_radius: 1, sigma: 1 }));
    expect(blurred[0]?.[0]).toBe(Math.floor(250 * 2 * side * 2 * side));
  });

  it('leaves a picture of one colour unchanged', async () => {
    const image = greys(...Array.from({ length: 9 }, () => Array.from({ length: 9 }, () => 137)));
    expect(redRows(await runForImage('ImageBlur', { image, blur_radius: 4, sigma: 3 }))).toEqual(
      redRows(image),
    );
  });

  it('reports a picture that is too small for the radius', async () => {
    await expect(runForImage('ImageBlur', { image: dot, blur_radius: 3, sigma: 1 })).rejects.toThrow(
      'radius of 3',
    );
  });
});

describe('ImageSharpen', () => {
  it('adds ten times alpha of the difference that a blur makes', async () => {
    const image = greys([100, 100, 100], [100, 110, 100], [100, 100, 100]);
    const { centre } = weights(1);
    const soft = 100 + 10 * centre * centre;
    const sharpened = redRows(
      await runForImage('ImageSharpen', { image, sharpen_radius: 1, sigma: 1, alpha: 0.5 }),
    );
    expect(sharpened[1]?.[1]).toBe(Math.floor(110 + 5 * (110 - soft)));
  });

  it('changes nothing at alpha 0', async () => {
    expect(
      redRows(await runForImage('ImageSharpen', { image: dot, sharpen_radius: 1, sigma: 1, alpha: 0 })),
    ).toEqual(redRows(dot));
  });
});
