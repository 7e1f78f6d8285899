import { PythonError } from '../prompt/python.ts';
import { forEachPixel } from './frames.ts';
import type { NodeRun } from './node-class.ts';
import { channels } from './values.ts';

/** One colour of a picture as a mask. Pictures have no alpha between nodes: loaders return it as a separate mask. */
export async function channelMask(
  { frame, width, height }: { frame: Uint8Array; width: number; height: number },
  colour: 'red' | 'green' | 'blue' | 'alpha',
  run: NodeRun,
): Promise<Float32Array> {
  const channel = ['red', 'green', 'blue'].indexOf(colour);
  if (channel < 0)
    throw new PythonError('IndexError', 'index 3 is out of bounds for dimension 3 with size 3');
  const mask = new Float32Array(width * height);
  await forEachPixel({ width, height }, run, (pixel) => {
    mask[pixel] = (frame[pixel * channels + channel] as number) / 255;
  });
  return mask;
}
