import type { WorkerLimits } from '../options.ts';

/** A picture beyond the limits of this worker. */
class LimitError extends Error {
  override readonly name = 'LimitError';
}

export interface BatchSize {
  width: number;
  height: number;
  frames: number;
}

/** Called before memory is allocated. Frames count in full, shared or not. */
export function checkBatchSize({ width, height, frames }: BatchSize, limits: WorkerLimits): void {
  const size = `${width} × ${height}`;
  if (width < 1 || height < 1) throw new LimitError(`A picture of ${size} pixels cannot be made.`);
  if (width > limits.maxSide || height > limits.maxSide)
    throw new LimitError(`${size} is larger than this worker makes: at most ${limits.maxSide} on a side.`);
  if (width * height > limits.maxFramePixels)
    throw new LimitError(
      `${size} is larger than this worker makes: at most ${limits.maxFramePixels} pixels.`,
    );
  if (frames > limits.maxBatchFrames)
    throw new LimitError(
      `${frames} frames are more than this worker holds: at most ${limits.maxBatchFrames}.`,
    );
  if (width * height * frames > limits.maxBatchPixels)
    throw new LimitError(
      `${frames} frames of ${size} are more than this worker holds: at most ${limits.maxBatchPixels} pixels.`,
    );
}
