import { AppError } from '../../lib/app-error.ts';
import { once } from '../../lib/once.ts';

/** 8192 × 8192, the largest pictures that people make with a worker. One takes up to 270 MB while it is decoded. */
const maxPixels = 8_192 * 8_192;
export const maxPictureSeconds = 20;
/** Types that are recognised by their first bytes and decoded by the library as it is shipped. */
export const decodableTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/tiff',
]);
/** The formats that the library must recognise: it also reads SVG and other markup, which it shall never be given. */
const decodableFormats = new Set<string | undefined>(['png', 'jpeg', 'gif', 'webp', 'heif', 'tiff']);

/** Loaded with the first picture: it is native code that a start would have to wait for. */
export const pictureLibrary = once(async () => {
  const { default: sharp } = await import('sharp');
  // One thread a picture, and nothing kept: the gateway has better uses for processor and memory.
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
});

/** Throws `not_a_picture` for a type that is not decoded. */
export function requirePicture(contentType: string): void {
  if (decodableTypes.has(contentType)) return;
  throw new AppError('not_a_picture', {
    message: `Thumbnails and masks are made of a PNG, JPEG, GIF, WebP, AVIF or TIFF; this file is ${contentType}.`,
  });
}

/** The picture to be decoded, of an animation the first frame. Its size is judged by the head of the file, before anything is decoded. */
export async function openPicture(from: string | Buffer) {
  const sharp = await pictureLibrary();
  const head = sharp(from, { limitInputPixels: false });
  const { format, width, height, autoOrient } = await head.metadata().catch(unreadablePicture);
  if (!decodableFormats.has(format)) throw new AppError('picture_unreadable');
  if (width * height > maxPixels) throw tooLarge(width, height);
  const picture = sharp(from, { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true });
  return { picture, width, height, upright: autoOrient };
}

export function unreadablePicture(cause: unknown): never {
  throw new AppError('picture_unreadable', { cause });
}

function tooLarge(width: number, height: number): AppError {
  return new AppError('picture_too_large', {
    message: `The picture has ${width} × ${height} pixels; at most ${maxPixels} are decoded. Load the file itself.`,
  });
}
