import { open } from 'node:fs/promises';
import sharp, { type Sharp, type SharpOptions } from 'sharp';

/** A file that is not a picture, with the message of PIL. */
class UnidentifiedImageError extends Error {
  override readonly name = 'PIL.UnidentifiedImageError';
}

/**
 * Opens only pixel formats, which it recognises by their first bytes. The file name does not count. Formats that run or
 * fetch something (SVG, PDF) are never opened.
 */
export async function openPicture(
  path: string,
  options: SharpOptions & { limitInputPixels: number },
): Promise<Sharp> {
  if (!isRaster(await firstBytes(path))) throw new UnidentifiedImageError('cannot identify image file');
  return sharp(path, { failOn: 'error', ...options });
}

function isRaster(head: Buffer): boolean {
  const text = head.toString('latin1');
  return (
    text.startsWith('\x89PNG\r\n\x1a\n') ||
    text.startsWith('\xff\xd8\xff') ||
    /^GIF8[79]a/.test(text) ||
    /^RIFF.{4}WEBP/s.test(text) ||
    /^(II\x2a\0|MM\0\x2a)/.test(text) ||
    /^.{4}ftyp(avif|avis)/s.test(text)
  );
}

async function firstBytes(path: string): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
