import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { pictureSizeOf } from './picture-size.ts';

const picture = () =>
  sharp({ create: { width: 30, height: 20, channels: 3, background: { r: 200, g: 10, b: 90 } } });

describe('the size of a picture', () => {
  it.each(['png', 'gif', 'webp', 'jpeg'] as const)('is read from the head of a %s', async (format) => {
    const bytes = await picture().toFormat(format).toBuffer();
    expect(pictureSizeOf(bytes)).toEqual({ width: 30, height: 20 });
  });

  it('is read from a WebP without loss and from one with transparency', async () => {
    const lossless = await picture().webp({ lossless: true }).toBuffer();
    expect(pictureSizeOf(lossless)).toEqual({ width: 30, height: 20 });
    const clear = await picture().ensureAlpha(0.5).webp().toBuffer();
    expect(pictureSizeOf(clear)).toEqual({ width: 30, height: 20 });
  });

  it('is that of the upright picture when a camera lay on its side', async () => {
    const turned = await picture().withMetadata({ orientation: 6 }).jpeg().toBuffer();
    expect(pictureSizeOf(turned)).toEqual({ width: 20, height: 30 });
  });

  it('is not known for other files, for heads that are cut and for ones that lie', async () => {
    const png = await picture().png().toBuffer();
    const jpeg = await picture().withMetadata({ orientation: 6 }).jpeg().toBuffer();
    for (const head of [Buffer.alloc(0), Buffer.from('text'), png.subarray(0, 20), jpeg.subarray(0, 30)]) {
      expect(pictureSizeOf(head)).toBeNull();
    }
    const empty = Buffer.from(png);
    empty.writeUInt32BE(0, 16);
    expect(pictureSizeOf(empty)).toBeNull();
    for (let length = 0; length < jpeg.length; length += 1) pictureSizeOf(jpeg.subarray(0, length));
  });
});
