import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import sharp, { type Channels } from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pngChunk, pngThatClaims } from '../../../testing/png-that-claims.ts';
import { convertPicture, maskPicture, replaceAlpha } from './convert-picture.ts';

let folder: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function file(bytes: Uint8Array, name = 'picture'): string {
  const path = join(folder.path, name);
  writeFileSync(path, bytes);
  return path;
}

const blank = (alpha?: number) => {
  const colour = { r: 10, g: 20, b: 30 };
  const channels: Channels = alpha === undefined ? 3 : 4;
  const background = alpha === undefined ? colour : { ...colour, alpha };
  return sharp({ create: { width: 8, height: 4, channels, background } });
};
const pixelOf = async (bytes: Buffer) => {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  return [...data.subarray(0, info.channels)];
};

describe('a picture in another form', () => {
  it('is a WebP or a JPEG of its own size, with the wanted quality', async () => {
    const noise = await sharp({
      create: {
        width: 64,
        height: 64,
        channels: 3,
        background: 'grey',
        noise: { type: 'gaussian', mean: 128, sigma: 30 },
      },
    })
      .png()
      .toBuffer();
    for (const kind of ['webp', 'jpeg'] as const) {
      const [small, large] = await Promise.all(
        [10, 95].map((quality) => convertPicture(file(noise), { kind, quality, withAlpha: true })),
      );
      const { format, width, height } = await sharp(small).metadata();
      expect({ format, width, height }).toEqual({ format: kind, width: 64, height: 64 });
      expect(small?.length).toBeLessThan(large?.length ?? 0);
    }
  });

  it('loses its transparency where only the colours are wanted, and its colours where that is', async () => {
    const path = file(await blank(0.2).png().toBuffer());
    expect(await pixelOf(await convertPicture(path, { kind: 'colours' }))).toEqual([10, 20, 30]);
    expect(await pixelOf(await convertPicture(path, { kind: 'alpha' }))).toEqual([0, 0, 0, 51]);
    const webp = await convertPicture(path, { kind: 'webp', quality: 100, withAlpha: false });
    expect((await sharp(webp).metadata()).hasAlpha).toBe(false);
    const opaque = file(await blank().toColourspace('b-w').png().toBuffer());
    expect(await pixelOf(await convertPicture(opaque, { kind: 'alpha' }))).toEqual([0, 0, 0, 255]);
  });

  it('is refused when it claims too many pixels, and when it is none', async () => {
    const large = file(pngThatClaims(60_000, 60_000));
    const form = { kind: 'jpeg', quality: 90 } as const;
    await expect(convertPicture(large, form)).rejects.toMatchObject({ code: 'picture_too_large' });
    const svg = file(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'));
    await expect(convertPicture(svg, form)).rejects.toMatchObject({ code: 'picture_unreadable' });
  });
});

describe('a picture with the transparency of a mask', () => {
  const mask = async () => file(await blank(0.5).png().toBuffer(), 'mask');

  it.each(['srgb', 'b-w', 'rgb16'])('keeps its colours and is a PNG of 8 bits (%s)', async (space) => {
    const path = file(await blank().toColourspace(space).png().toBuffer());
    const made = await replaceAlpha(path, await mask());
    const [red = 0, green = 0, blue = 0, alpha] = await pixelOf(made);
    expect(alpha).toBe(128);
    if (space === 'b-w') expect([green, blue]).toEqual([red, red]);
    else expect([red, green, blue]).toEqual([10, 20, 30]);
    expect(await sharp(made).metadata()).toMatchObject({ format: 'png', channels: 4, depth: 'uchar' });
  });

  it('keeps the texts of its PNG, in which the workflow is', async () => {
    const text = { keyword: 'workflow', text: '{"nodes":[]}' };
    const path = file(withText(await blank(1).png().toBuffer(), text));
    expect((await sharp(await replaceAlpha(path, await mask())).metadata()).comments).toEqual([text]);
  });

  it('is refused when the mask has another size', async () => {
    const other = await sharp(await blank().png().toBuffer())
      .resize(2, 2)
      .png()
      .toBuffer();
    await expect(replaceAlpha(file(await blank().png().toBuffer()), file(other, 'mask'))).rejects.toThrow(
      'The mask has 2 × 2 pixels, and the picture 8 × 4.',
    );
  });
});

describe('a picture with a mask that was painted over it', () => {
  const painted = (width: number, height: number) => {
    // The left half is masked.
    const row = Array.from({ length: width }, (_, x) => (x < width / 2 ? 255 : 0));
    const data = Uint8Array.from(Array.from({ length: height }, () => row).flat());
    return sharp(data, { raw: { width, height, channels: 1 } })
      .toColourspace('b-w')
      .png()
      .toBuffer();
  };
  const rawOf = (bytes: Buffer) => sharp(bytes).toColourspace('srgb').ensureAlpha().raw().toBuffer();

  it('keeps its colours where it is transparent, and names the picture below once', async () => {
    const path = file(await blank(0.2).png().toBuffer());
    const mask = file(await painted(8, 4), 'mask');
    const made = await maskPicture(path, mask, { place: 'alpha', original: 'f1' });
    const pixels = await rawOf(made);
    expect([...pixels.subarray(0, 4)]).toEqual([10, 20, 30, 0]);
    expect([...pixels.subarray(28, 32)]).toEqual([10, 20, 30, 255]);
    const again = await maskPicture(file(made), mask, { place: 'alpha', original: 'f2' });
    for (const png of [made, again]) {
      const { comments } = await sharp(png).metadata();
      expect(comments).toEqual([{ keyword: 'switchyard_mask_of', text: 'f1' }]);
    }
  });

  it('is the mask in each channel where a graph reads one', async () => {
    const path = file(await blank().png().toBuffer());
    const mask = file(await painted(8, 4), 'mask');
    const made = await maskPicture(path, mask, { place: 'channel', original: 'f1' });
    const pixels = await rawOf(made);
    expect([...pixels.subarray(0, 4)]).toEqual([255, 255, 255, 0]);
    expect([...pixels.subarray(28, 32)]).toEqual([0, 0, 0, 255]);
    expect((await sharp(made).metadata()).comments).toHaveLength(1);
  });

  it('takes a smaller mask of its shape, over a photograph as it is seen', async () => {
    const lying = await blank().jpeg({ quality: 100 }).withMetadata({ orientation: 6 }).toBuffer();
    const made = await maskPicture(file(lying), file(await painted(2, 4), 'mask'), {
      place: 'alpha',
      original: 'f1',
    });
    const { width, height, orientation = 1 } = await sharp(made).metadata();
    expect({ width, height, orientation }).toEqual({ width: 4, height: 8, orientation: 1 });
    const pixels = await rawOf(made);
    expect([pixels[3], pixels[15]]).toEqual([0, 255]);
  });

  it.each([
    [2, 2],
    [16, 8],
  ])('is refused with a mask of %i × %i, in words that say what to do', async (width, height) => {
    const mask = file(await painted(width, height), 'mask');
    const path = file(await blank().png().toBuffer());
    await expect(maskPicture(path, mask, { place: 'alpha', original: 'f1' })).rejects.toMatchObject({
      code: 'validation_failed',
      faults: [{ path: ['maskOf'], message: expect.stringContaining('give a mask of the same shape') }],
    });
  });
});

/** A text stands behind the head of the PNG, which takes 33 bytes. */
function withText(png: Buffer, { keyword, text }: { keyword: string; text: string }): Buffer {
  const part = pngChunk('tEXt', Buffer.from(`${keyword}\0${text}`, 'latin1'));
  return Buffer.concat([png.subarray(0, 33), part, png.subarray(33)]);
}
