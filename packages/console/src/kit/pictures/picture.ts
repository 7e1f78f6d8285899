import { type ThumbnailSize, thumbnailSizes } from '@switchyard/contract/dispatch/file';

/** The facts about a stored file that the kit needs. */
export interface Picture {
  fileId: string;
  filename: string;
  contentType: string;
  /** A picture of which the gateway does not know the size gets a square. */
  width: number | null;
  height: number | null;
}

/** The address of a file on this origin; the session of the page opens it. */
export function fileAddress({ fileId, filename }: Pick<Picture, 'fileId' | 'filename'>): string {
  return `/uploads/${encodeURIComponent(fileId)}/${encodeURIComponent(filename)}`;
}

/** The smallest thumbnail that is sharp at this size on this screen. */
export function thumbnailAddress(fileId: string, cssPixels: number, pixelRatio = 1): string {
  const wanted = cssPixels * pixelRatio;
  const size: ThumbnailSize = thumbnailSizes.find((each) => each >= wanted) ?? 1024;
  return `/api/files/${encodeURIComponent(fileId)}/thumbnail?size=${size}`;
}

export function ratioOf({ width, height }: Pick<Picture, 'width' | 'height'>): number {
  return width !== null && height !== null && height > 0 ? width / height : 1;
}

export type MediaKind = 'picture' | 'video' | 'audio' | 'other';

/** SVG is markup that could run, so that it is only offered as a download. */
export function mediaKindOf(contentType: string): MediaKind {
  if (/^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(contentType)) return 'picture';
  if (contentType.startsWith('video/')) return 'video';
  return contentType.startsWith('audio/') ? 'audio' : 'other';
}
