import sharp, { type Sharp } from 'sharp';
import { openPicture } from '../files/picture.ts';

/**
 * The conversion that `/view` applies to a picture: `preview=webp;90`, `channel=rgb`, `channel=a`. Undefined: the file
 * is sent unchanged.
 */
export async function transformed(
  path: string,
  query: URLSearchParams,
  maxPixels: number,
): Promise<{ format: string; bytes: Buffer } | undefined> {
  const preview = query.get('preview');
  const channel = query.get('channel') ?? '';
  const picture = () => openPicture(path, { limitInputPixels: maxPixels });
  if (preview !== null) {
    const parts = preview.split(';');
    const isJpeg = parts[0] === 'jpeg' && !channel.includes('a');
    const quality = Math.min(100, Math.max(1, /^\d+$/.test(parts.at(-1) ?? '') ? Number(parts.at(-1)) : 90));
    const bytes = isJpeg
      ? await (await picture()).removeAlpha().jpeg({ quality }).toBuffer()
      : await (await picture()).webp({ quality, effort: 0 }).toBuffer();
    return { format: isJpeg ? 'jpeg' : 'webp', bytes };
  }
  if (channel === 'rgb')
    return {
      format: 'png',
      bytes: await (await picture()).removeAlpha().png({ compressionLevel: 1 }).toBuffer(),
    };
  if (channel === 'a') return { format: 'png', bytes: await alphaOnly(await picture()) };
  return undefined;
}

/** Black, with the alpha of the picture. */
async function alphaOnly(picture: Sharp): Promise<Buffer> {
  const { data, info } = await picture.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  for (let index = 0; index < data.length; index += info.channels)
    data.fill(0, index, index + info.channels - 1);
  const { width, height, channels } = info;
  return await sharp(data, { raw: { width, height, channels } }).png({ compressionLevel: 1 }).toBuffer();
}
