import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pngThatClaims } from '../../../testing/png-that-claims.ts';
import { requirePicture } from './picture-library.ts';
import { shrinkPicture } from './shrink-picture.ts';

let folder: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function file(bytes: Uint8Array): string {
  const path = join(folder.path, 'picture');
  writeFileSync(path, bytes);
  return path;
}

const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'red' } });

async function shrunk(bytes: Uint8Array, edge: number) {
  const { format, width, height } = await sharp(await shrinkPicture(file(bytes), edge)).metadata();
  return { format, width, height };
}

describe('a thumbnail', () => {
  it.each(['png', 'jpeg', 'webp', 'avif', 'tiff', 'gif'] as const)('of a %s is a WebP', async (format) => {
    const bytes = await blank(400, 200).toFormat(format).toBuffer();
    expect(await shrunk(bytes, 64)).toEqual({ format: 'webp', width: 64, height: 32 });
  });

  it('keeps the size of a picture that is smaller', async () => {
    expect(await shrunk(await blank(20, 10).png().toBuffer(), 64)).toMatchObject({ width: 20, height: 10 });
  });

  it('stands upright, however the camera was held', async () => {
    const bytes = await blank(400, 200).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    expect(await shrunk(bytes, 64)).toMatchObject({ width: 32, height: 64 });
  });

  it('has none of the metadata of its picture', async () => {
    const bytes = await blank(40, 20)
      .png()
      .withExif({ IFD0: { Copyright: 'secret' } })
      .toBuffer();
    const small = await shrinkPicture(file(bytes), 64);
    expect((await sharp(small).metadata()).exif).toBeUndefined();
  });

  it('is refused by the head of a picture that claims too many pixels', async () => {
    await expect(shrinkPicture(file(pngThatClaims(60_000, 60_000)), 64)).rejects.toMatchObject({
      code: 'picture_too_large',
      message: expect.stringContaining('60000 × 60000'),
    });
  });

  it('is refused for a damaged picture', async () => {
    const bytes = await blank(400, 200).png().toBuffer();
    for (const damaged of [bytes.subarray(0, 60), Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')]) {
      await expect(shrinkPicture(file(damaged), 64)).rejects.toMatchObject({ code: 'picture_unreadable' });
    }
  });

  it('is refused for markup, whatever it is called', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    await expect(shrinkPicture(file(Buffer.from(svg)), 64)).rejects.toMatchObject({
      code: 'picture_unreadable',
    });
    for (const type of ['image/svg+xml', 'video/mp4', 'text/plain; charset=utf-8', 'image/bmp']) {
      expect(() => requirePicture(type)).toThrow(type);
    }
    expect(() => requirePicture('image/png')).not.toThrow();
  });
});
