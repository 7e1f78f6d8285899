const heightPx = 128;

/** A copy for a strip of small pictures. Returns null for a picture that this browser cannot read. */
export async function smallPicture(picture: Blob): Promise<Blob | null> {
  try {
    const bitmap = await createImageBitmap(picture, { resizeHeight: heightPx });
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
    bitmap.close();
    return await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 });
  } catch {
    return null;
  }
}
