/** Two pictures are compared at no more pixels, so that the page answers while it counts. */
const maxPixels = 2_000_000;
/** The number of bytes of a pixel: red, green, blue and alpha. */
const pixelBytes = 4;

export interface Difference {
  /** The share of the pixels that differ, from 0 to 1. */
  share: number;
  /** The largest distance of two values, from 0 to 255. */
  largest: number;
}

/**
 * Writes the distance of each pair of pixels as grey into `into`, the largest of all as white, so that a small difference is
 * seen as well.
 */
export function writeDifference(
  left: Uint8ClampedArray,
  right: Uint8ClampedArray,
  into: Uint8ClampedArray,
): Difference {
  let largest = 0;
  let count = 0;
  for (let at = 0; at < into.length; at += pixelBytes) {
    const distance = distanceAt(left, right, at);
    if (distance > 0) count += 1;
    if (distance > largest) largest = distance;
    into[at] = distance;
  }
  const gain = largest === 0 ? 0 : 255 / largest;
  for (let at = 0; at < into.length; at += pixelBytes) {
    const grey = (into[at] ?? 0) * gain;
    into.fill(grey, at, at + pixelBytes - 1);
    into[at + pixelBytes - 1] = 255;
  }
  return { share: count / (into.length / pixelBytes), largest };
}

function distanceAt(left: Uint8ClampedArray, right: Uint8ClampedArray, at: number): number {
  let largest = 0;
  for (let channel = at; channel < at + pixelBytes; channel += 1) {
    largest = Math.max(largest, Math.abs((left[channel] ?? 0) - (right[channel] ?? 0)));
  }
  return largest;
}

/** Draws how the pictures at two addresses differ. Each is fitted into a box of the larger width and height. */
export async function drawDifference(
  canvas: HTMLCanvasElement,
  left: string,
  right: string,
): Promise<Difference> {
  const [a, b] = await Promise.all([loaded(left), loaded(right)]);
  const whole = {
    width: Math.max(a.naturalWidth, b.naturalWidth),
    height: Math.max(a.naturalHeight, b.naturalHeight),
  };
  const shrink = Math.min(1, Math.sqrt(maxPixels / (whole.width * whole.height)));
  canvas.width = Math.max(1, Math.round(whole.width * shrink));
  canvas.height = Math.max(1, Math.round(whole.height * shrink));
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) throw new Error('The browser gives no canvas.');
  const before = pixelsOf(a, context);
  const after = pixelsOf(b, context);
  const made = context.createImageData(canvas.width, canvas.height);
  const difference = writeDifference(before.data, after.data, made.data);
  context.putImageData(made, 0, 0);
  return difference;
}

async function loaded(address: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = address;
  await image.decode();
  return image;
}

function pixelsOf(image: HTMLImageElement, context: CanvasRenderingContext2D): ImageData {
  const { width, height } = context.canvas;
  const fit = Math.min(width / image.naturalWidth, height / image.naturalHeight);
  const size = { width: image.naturalWidth * fit, height: image.naturalHeight * fit };
  context.clearRect(0, 0, width, height);
  context.drawImage(image, (width - size.width) / 2, (height - size.height) / 2, size.width, size.height);
  return context.getImageData(0, 0, width, height);
}
