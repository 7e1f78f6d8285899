import type { MaskStep, Point } from './mask-strokes.ts';

/** The colour of the mask over a picture: no photograph is full of it. */
const maskColour = '#e6007e';

type Context = CanvasRenderingContext2D;

/** The context of a canvas; a browser that gives none throws. */
export function contextOf(canvas: HTMLCanvasElement): Context {
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) throw new Error('The browser gives no canvas.');
  return context;
}

/** Draws one step. The mask is where the canvas is not transparent. */
export function drawStep(context: Context, step: MaskStep): void {
  const { width, height } = context.canvas;
  if (step.kind === 'clear') context.clearRect(0, 0, width, height);
  else if (step.kind === 'invert') fillWith(context, 'source-out');
  else {
    step.points.forEach((point, index) => {
      drawSegment(context, step, { from: step.points[index - 1] ?? point, to: point });
    });
  }
}

/** A stroke is drawn piece by piece, so that it looks the same while it is made and after an undo. */
export function drawSegment(
  context: Context,
  { erases, radius }: { erases: boolean; radius: number },
  { from, to }: { from: Point; to: Point },
): void {
  context.globalCompositeOperation = erases ? 'destination-out' : 'source-over';
  context.strokeStyle = maskColour;
  context.fillStyle = maskColour;
  context.lineCap = 'round';
  context.lineWidth = radius * 2;
  context.beginPath();
  // A canvas draws no line without length.
  if (from.x === to.x && from.y === to.y) {
    context.arc(to.x, to.y, radius, 0, 2 * Math.PI);
    context.fill();
    return;
  }
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  context.stroke();
}

/**
 * Draws the mask that a file has. A picture is masked where it is transparent. A file that is a mask of its own and has no
 * transparency is masked where it is bright.
 */
export function drawMaskOf(context: Context, image: HTMLImageElement, { isMask }: { isMask: boolean }): void {
  const { width, height } = context.canvas;
  context.globalCompositeOperation = 'copy';
  context.drawImage(image, 0, 0, width, height);
  if (isMask) clearDark(context);
  fillWith(context, 'source-out');
}

/** Makes an opaque picture as transparent as it is bright. */
function clearDark(context: Context): void {
  const { width, height } = context.canvas;
  const pixels = context.getImageData(0, 0, width, height);
  const { data } = pixels;
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return;
  for (let at = 0; at < data.length; at += 4) data[at + 3] = 255 - (data[at] ?? 0);
  context.putImageData(pixels, 0, 0);
}

/** Returns the mask as a picture that is white where it masks. */
export async function maskFileOf(mask: HTMLCanvasElement): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = mask.width;
  canvas.height = mask.height;
  const context = contextOf(canvas);
  context.drawImage(mask, 0, 0);
  fillWith(context, 'source-in', 'white');
  fillWith(context, 'destination-over', 'black');
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw new Error('The browser makes no file of the mask.');
  return blob;
}

function fillWith(context: Context, operation: GlobalCompositeOperation, colour: string = maskColour): void {
  const { width, height } = context.canvas;
  context.globalCompositeOperation = operation;
  context.fillStyle = colour;
  context.fillRect(0, 0, width, height);
}
