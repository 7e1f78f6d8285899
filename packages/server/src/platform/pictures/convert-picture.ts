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
