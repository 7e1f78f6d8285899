import { pasteRows } from './crop.ts';
import { forEachRow, mapFrames } from './frames.ts';
import { flag, image, mask, offset } from './inputs.ts';
import { defineNode, type NodeClass, type NodeRun } from './node-class.ts';
import { resizeImage, resizeMask } from './resample.ts';
import { channels, frameAt, repeatToLength, toByte } from './values.ts';

export const compositeNodes: readonly NodeClass[] = [
  defineNode('ImageCompositeMasked', {
    category: 'image',
    required: { destination: image(), source: image(), x: offset(), y: offset(), resize_source: flag(false) },
    optional: { mask: mask() },
    outputs: ['IMAGE'],
    execute: async ({ destination, source: given, x, y, resize_source: resizes, mask: givenMask }, run) => {
      const { width, height, frames } = destination;
      const source = resizes
        ? await resizeImage(given, { width, height, method: 'bilinear', crop: 'disabled' }, run)
        : given;
      const mask = givenMask && (await resizeMask(givenMask, source, run));
      const sources = repeatToLength(source.frames, frames.length);
      const masks = mask && repeatToLength(mask.frames, frames.length);
      const left = Math.min(x, width);
      const top = Math.min(y, height);
      const part = {
        width: Math.min(source.width, width - left),
        height: Math.min(source.height, height - top),
      };
      const at = { width, x: left, y: top };
      const made = await mapFrames([...frames.entries()], run, {
        make: async ([index, frame]) => {
          const into = frame.slice();
          const from = { width: source.width, x: 0, y: 0 };
          const upper = frameAt(sources, index);
          if (masks === undefined) pasteRows(upper, { from, into, at, part });
          else await mix(upper, frameAt(masks, index), { sourceWidth: source.width, into, at, part, run });
          return into;
        },
      });
      return { values: [{ width, height, frames: made }] };
    },
  }),
];

/** The source where the mask is 1, the destination where it is 0. */
async function mix(
  upper: Uint8Array,
  mask: Float32Array,
  {
    sourceWidth,
    into,
    at,
    part,
    run,
  }: {
    sourceWidth: number;
    into: Uint8Array;
    at: { width: number; x: number; y: number };
    part: { width: number; height: number };
    run: NodeRun;
  },
): Promise<void> {
  await forEachRow(part, run, (row) => {
    let from = row * sourceWidth;
    let to = ((at.y + row) * at.width + at.x) * channels;
    for (let column = 0; column < part.width; column += 1, from += 1, to += channels) {
      const share = mask[from] as number;
      for (let channel = 0; channel < channels; channel += 1) {
        const over = upper[from * channels + channel] as number;
        into[to + channel] = toByte(share * over + (1 - share) * (into[to + channel] as number));
      }
    }
  });
}
