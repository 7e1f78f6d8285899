import { type Picture, thumbnailAddress } from '../src/kit/pictures/picture.ts';

/** A picture that the server of this page draws: `scripts/console/kit-page.ts`. */
export function pictureOf(id: string, width = 640, height = 480): Picture & { source: string } {
  const picture = { fileId: `kit-${id}`, filename: `${id}.png`, contentType: 'image/png', width, height };
  return { ...picture, source: thumbnailAddress(picture.fileId, 80) };
}
