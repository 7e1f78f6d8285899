/** A batch of images as it travels between nodes: raw RGB, 8 bits, all frames of one size. Never changed in place. */
export interface ImageValue {
  width: number;
  height: number;
  frames: readonly Uint8Array[];
}

/** A batch of masks: one float per pixel, 0 to 1, as in ComfyUI. Never changed in place. */
export interface MaskValue {
  width: number;
  height: number;
  frames: readonly Float32Array[];
}

export const channels = 3;

export function frameAt<Frame>(frames: ArrayLike<Frame>, index: number): Frame {
  const frame = frames[index];
  if (frame === undefined) throw new RangeError(`The batch has no frame ${index}.`);
  return frame;
}

/** ComfyUI's rule for two batches: the second is repeated, or cut, to the length of the first. */
export function repeatToLength<Frame>(frames: readonly Frame[], length: number): Frame[] {
  return Array.from({ length }, (_, index) => frameAt(frames, index % frames.length));
}

/** PyTorch's rule for combining two batches pixel by pixel: both have the same length, or one is a single frame. */
export function pairedFrames<Frame>(left: readonly Frame[], right: readonly Frame[]): [Frame, Frame][] {
  const length = Math.max(left.length, right.length);
  if (left.length !== right.length && left.length !== 1 && right.length !== 1)
    throw new RangeError(`A batch of ${left.length} and a batch of ${right.length} cannot be combined.`);
  return Array.from({ length }, (_, index) => [
    frameAt(left, index % left.length),
    frameAt(right, index % right.length),
  ]);
}

/**
 * 0 to 255, rounded down like ComfyUI's last step (`astype(uint8)`). The small addition hides float noise such as
 * 154.99999.
 */
export function toByte(value: number): number {
  return Math.floor(Math.min(255, Math.max(0, value)) + 1e-4);
}

export function byteLength(value: unknown): number {
  if (!isFrames(value)) return 64;
  return [...new Set(value.frames)].reduce((sum, frame) => sum + frame.byteLength, 0);
}

function isFrames(value: unknown): value is { frames: readonly (Uint8Array | Float32Array)[] } {
  return typeof value === 'object' && value !== null && 'frames' in value;
}
