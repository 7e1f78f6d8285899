import { PythonError } from '../prompt/python.ts';
import { channels } from './values.ts';

/** One colour of a picture as a mask. Pictures have no alpha between nodes: loaders give it as a mask of its own. */
export function channelMask(frame: Uint8Array, colour: 'red' | 'green' | 'blue' | 'alpha'): Float32Array {
  const channel = ['red', 'green', 'blue'].indexOf(colour);
  if (channel < 0)
    throw new PythonError('IndexError', 'index 3 is out of bounds for dimension 0 with size 3');
  const mask = new Float32Array(frame.length / channels);
  for (let pixel = 0; pixel < mask.length; pixel += 1)
    mask[pixel] = (frame[pixel * channels + channel] as number) / 255;
  return mask;
}
