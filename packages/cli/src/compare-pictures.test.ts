import sharp from 'sharp';
import { expect, it } from 'vitest';
import { haveSamePixels } from './compare-pictures.ts';

const picture = (background: string, width = 8) =>
  sharp({ create: { width, height: 8, channels: 4, background } });

it('finds the same pixels in files with other bytes', async () => {
  const plain = await picture('#102030').png().toBuffer();
  const packed = await picture('#102030').png({ compressionLevel: 0 }).toBuffer();
  expect(plain.equals(packed)).toBe(false);
  expect(await haveSamePixels(plain, packed)).toBe(true);
  expect(await haveSamePixels(plain, await picture('#102030').webp({ lossless: true }).toBuffer())).toBe(
    true,
  );
});

it('tells pictures apart by one colour, by transparency and by their size', async () => {
  const plain = await picture('#102030').png().toBuffer();
  for (const other of [picture('#102031'), picture('rgba(16,32,48,0.5)'), picture('#102030', 9)]) {
    expect(await haveSamePixels(plain, await other.png().toBuffer())).toBe(false);
  }
});

it('tells pictures apart that differ below 8 bits', async () => {
  const deep = (value: number) =>
    sharp(Uint16Array.from([value, value, value]), { raw: { width: 1, height: 1, channels: 3 } })
      .toColourspace('rgb16')
      .png()
      .toBuffer();
  expect(await haveSamePixels(await deep(1_000), await deep(1_001))).toBe(false);
  expect(await haveSamePixels(await deep(1_000), await deep(1_000))).toBe(true);
});

it('finds no pixels in what is not a picture', async () => {
  const damaged = Buffer.from('no picture');
  expect(await haveSamePixels(damaged, damaged)).toBe(false);
});
