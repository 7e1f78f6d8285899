interface Pixels {
  data: Buffer;
  info: { width: number; height: number; channels: number };
}

/**
 * Returns whether two files are pictures of the same size with the same pixels. A file that cannot be decoded has none.
 */
export async function haveSamePixels(left: Buffer, right: Buffer): Promise<boolean> {
  const [a, b] = await Promise.all([pixelsOf(left), pixelsOf(right)]);
  if (!a || !b) return false;
  const isSameShape = a.info.width === b.info.width && a.info.height === b.info.height;
  return isSameShape && a.data.equals(b.data);
}

/** With 16 bits and transparency, and all frames of an animation, so that no difference is lost. */
async function pixelsOf(picture: Buffer): Promise<Pixels | null> {
  // Loaded here because it is native code that other commands do not need.
  const { default: sharp } = await import('sharp');
  try {
    return await sharp(picture, { animated: true })
      .ensureAlpha()
      .toColourspace('rgb16')
      .raw({ depth: 'ushort' })
      .toBuffer({ resolveWithObject: true });
  } catch {
    return null; // damaged, or of a type that the library does not decode
  }
}
