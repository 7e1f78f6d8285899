import { crc32 } from 'node:zlib';
import type { MaskPlace } from '@switchyard/contract/dispatch/file';
import { say } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { maxPictureSeconds, openPicture, pictureLibrary, unreadablePicture } from './picture-library.ts';

/** `alpha`: a PNG without colours, with the transparency of the picture. `colours`: a PNG without transparency. */
export type PictureForm =
  | { kind: 'webp'; quality: number; withAlpha: boolean }
  | { kind: 'jpeg'; quality: number }
  | { kind: 'colours' }
  | { kind: 'alpha' };

type Opened = Awaited<ReturnType<typeof openPicture>>;

/** Returns the picture in its full size and another form. */
export async function convertPicture(path: string, form: PictureForm): Promise<Buffer> {
  const opened = await openPicture(path);
  const picture = opened.picture.toColourspace('srgb');
  switch (form.kind) {
    case 'webp':
      return madeOf(
        (form.withAlpha ? picture : picture.removeAlpha()).webp({ quality: form.quality, effort: 2 }),
      );
    case 'jpeg':
      return madeOf(picture.removeAlpha().jpeg({ quality: form.quality }));
    case 'colours':
      return madeOf(picture.removeAlpha().png());
    case 'alpha': {
      const { width, height } = opened;
      const sharp = await pictureLibrary();
      const black = sharp({ create: { width, height, channels: 3, background: 'black' } });
      return madeOf(black.joinChannel(...(await alphaOf(opened))).png());
    }
  }
}

/** Returns the picture as PNG, with its texts, whose transparency is that of the mask. */
export async function replaceAlpha(path: string, maskPath: string): Promise<Buffer> {
  const opened = await openPicture(path);
  const mask = await openPicture(maskPath);
  const { width, height } = opened;
  if (mask.width !== width || mask.height !== height)
    throw new AppError('validation_failed', {
      message: `The mask has ${mask.width} × ${mask.height} pixels, and the picture ${width} × ${height}.`,
    });
  const colours = opened.picture.toColourspace('srgb').removeAlpha().keepMetadata();
  // A channel is joined before the colours are converted, so they are converted first.
  const converted = await madeOf(colours.png({ compressionLevel: 1 }));
  const sharp = await pictureLibrary();
  return madeOf(
    sharp(converted)
      .joinChannel(...(await alphaOf(mask)))
      .keepMetadata()
      .png({ compressionLevel: 4 }),
  );
}

/** A picture with a mask names the picture below it, so that the mask can be changed later. */
const originalKeyword = 'switchyard_mask_of';
/** The signature of a PNG and its first chunk, IHDR. */
const pngHeadBytes = 33;

/**
 * Returns a PNG with a painted mask, which is white where it masks. `alpha`: the picture, transparent where it is masked, with
 * the colours below. `channel`: the mask itself, with the same values in its colours and as transparency. A mask may be
 * smaller than the picture if it has the same shape: it is enlarged.
 */
export async function maskPicture(
  path: string,
  maskPath: string,
  { place, original }: { place: MaskPlace; original: string },
): Promise<Buffer> {
  const opened = await openPicture(path);
  const mask = await openPicture(maskPath);
  const { width, height } = opened.upright;
  requireSameShape(mask, { width, height });
  const sharp = await pictureLibrary();
  const values = await madeOf(
    mask.picture
      .removeAlpha()
      .toColourspace('b-w')
      .resize({ width, height, fit: 'fill' })
      .raw({ depth: 'uchar' }),
  );
  const raw = { width, height, channels: 1 } as const;
  const transparency = await madeOf(sharp(values, { raw }).negate().toColourspace('b-w').raw());
  const below =
    place === 'channel'
      ? sharp(values, { raw })
      : sharp(
          await madeOf(
            opened.picture
              .autoOrient()
              .toColourspace('srgb')
              .removeAlpha()
              .keepMetadata()
              .png({ compressionLevel: 1 }),
          ),
        ).keepMetadata();
  const { comments = [] } = place === 'alpha' ? await below.metadata() : {};
  const made = await madeOf(below.joinChannel(transparency, { raw }).png({ compressionLevel: 4 }));
  return comments.some(({ keyword }) => keyword === originalKeyword)
    ? made
    : withText(made, originalKeyword, original);
}

function requireSameShape(
  mask: { width: number; height: number },
  picture: { width: number; height: number },
): void {
  const isSmaller = mask.width <= picture.width && mask.height <= picture.height;
  const ratio = picture.height / picture.width;
  // Both sides of a smaller mask are rounded.
  if (isSmaller && Math.abs(mask.width * ratio - mask.height) <= 0.5 + ratio / 2) return;
  const message = say('mask_of_other_shape', {
    mask: `${mask.width} × ${mask.height}`,
    picture: `${picture.width} × ${picture.height}`,
  });
  throw new AppError('validation_failed', {
    faults: [{ in: 'query', path: ['maskOf'], message, type: 'value_error' }],
  });
}

function withText(png: Buffer, keyword: string, text: string): Buffer {
  const body = Buffer.from(`tEXt${keyword}\0${text}`, 'latin1');
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return Buffer.concat([png.subarray(0, pngHeadBytes), chunk, png.subarray(pngHeadBytes)]);
}

/** A picture without transparency is opaque everywhere. */
async function alphaOf({ picture, width, height }: Opened) {
  const alpha = picture
    .toColourspace('srgb')
    .ensureAlpha()
    .extractChannel('alpha')
    .toColourspace('b-w')
    .raw();
  return [await madeOf(alpha), { raw: { width, height, channels: 1 } }] as const;
}

function madeOf(picture: Opened['picture']): Promise<Buffer> {
  return picture.timeout({ seconds: maxPictureSeconds }).toBuffer().catch(unreadablePicture);
}
