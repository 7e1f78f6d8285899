/** What part of a picture is shown, in shares of it, so that it is the same place in a picture of another size. */
export interface Zoom {
  /** A factor to the size at which the whole picture fills its box. */
  scale: number;
  /** The point of the picture in the middle of the box, 0 to 1 from its left and top. */
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

export const wholePicture: Zoom = { scale: 1, x: 0.5, y: 0.5 };

/** Beyond it a pixel is larger than a thumbnail. */
const maxScale = 64;

/** Returns the size at which the whole picture fills the box. */
function fitted(picture: Size, box: Size): Size {
  const scale = Math.min(box.width / picture.width, box.height / picture.height);
  return { width: picture.width * scale, height: picture.height * scale };
}

/** Returns the place of the picture in the box, in pixels. */
export function placeInBox(zoom: Zoom, picture: Size, box: Size): Size & { left: number; top: number } {
  const fit = fitted(picture, box);
  const width = fit.width * zoom.scale;
  const height = fit.height * zoom.scale;
  return {
    width,
    height,
    left: startOf(zoom.x, width, box.width),
    top: startOf(zoom.y, height, box.height),
  };
}

/** A side that has room stands in the middle; a longer one leaves no gap at its ends. */
function startOf(middle: number, length: number, room: number): number {
  if (length <= room) return (room - length) / 2;
  return Math.min(0, Math.max(room - length, room / 2 - middle * length));
}

/** Makes it larger or smaller around one point of the box, which keeps its place. */
export function zoomedBy(
  zoom: Zoom,
  factor: number,
  { picture, box, at }: { picture: Size; box: Size; at?: { x: number; y: number } },
): Zoom {
  const scale = Math.min(maxScale, Math.max(1, zoom.scale * factor));
  if (scale === 1) return wholePicture;
  const before = placeInBox(zoom, picture, box);
  const point = at ?? { x: box.width / 2, y: box.height / 2 };
  const shareX = (point.x - before.left) / before.width;
  const shareY = (point.y - before.top) / before.height;
  const fit = fitted(picture, box);
  return settled(
    {
      scale,
      x: shareX + (box.width / 2 - point.x) / (fit.width * scale),
      y: shareY + (box.height / 2 - point.y) / (fit.height * scale),
    },
    picture,
    box,
  );
}

/** Moves the picture by pixels of the screen. */
export function movedBy(zoom: Zoom, by: { x: number; y: number }, picture: Size, box: Size): Zoom {
  const fit = fitted(picture, box);
  const x = zoom.x - by.x / (fit.width * zoom.scale);
  const y = zoom.y - by.y / (fit.height * zoom.scale);
  return settled({ ...zoom, x, y }, picture, box);
}

/** A point beyond the edges would have to be moved back before the next step shows. */
function settled(zoom: Zoom, picture: Size, box: Size): Zoom {
  const { left, top, width, height } = placeInBox(zoom, picture, box);
  return { ...zoom, x: (box.width / 2 - left) / width, y: (box.height / 2 - top) / height };
}
