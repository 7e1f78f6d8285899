import { cropRows } from './crop.ts';
import { mapImage, rawPicture } from './frames.ts';
import { choice, image, offset, side } from './inputs.ts';
import { defineNode, type NodeClass } from './node-class.ts';
import { padForOutpaint } from './outpaint.ts';

const quarterTurns = { none: 0, '90 degrees': 90, '180 degrees': 180, '270 degrees': 270 } as const;
type Rotation = keyof typeof quarterTurns;

export const geometryNodes: readonly NodeClass[] = [
  defineNode('ImageCrop', {
    displayName: 'Image Crop',
    category: 'image/transform',
    required: { image: image(), width: side(512), height: side(512), x: offset(), y: offset() },
    outputs: ['IMAGE'],
    execute: async ({ image: picture, width, height, x, y }, run) => {
      const left = Math.min(x, picture.width - 1);
      const top = Math.min(y, picture.height - 1);
      const size = {
        width: Math.min(width, picture.width - left),
        height: Math.min(height, picture.height - top),
      };
      const make = (frame: Uint8Array) => cropRows(frame, picture, { x: left, y: top, ...size });
      return { values: [await mapImage(picture, run, { size, make })] };
    },
  }),
  defineNode('ImageFlip', {
    category: 'image/transform',
    required: { image: image(), flip_method: choice(['x-axis: vertically', 'y-axis: horizontally']) },
    outputs: ['IMAGE'],
    execute: async ({ image: picture, flip_method: method }, run) => {
      const make = async (frame: Uint8Array) => {
        const raw = rawPicture(frame, picture);
        return await (method.startsWith('x') ? raw.flip() : raw.flop()).raw().toBuffer();
      };
      return { values: [await mapImage(picture, run, { size: picture, make })] };
    },
  }),
  defineNode('ImageRotate', {
    displayName: 'Image Rotate',
    category: 'image/transform',
    required: { image: image(), rotation: choice(Object.keys(quarterTurns) as Rotation[]) },
    outputs: ['IMAGE'],
    execute: async ({ image: picture, rotation }, run) => {
      const degrees = quarterTurns[rotation];
      if (degrees === 0) return { values: [picture] };
      const isUpright = degrees === 180;
      const size = isUpright ? picture : { width: picture.height, height: picture.width };
      const make = async (frame: Uint8Array) =>
        await rawPicture(frame, picture).rotate(degrees).raw().toBuffer();
      return { values: [await mapImage(picture, run, { size, make })] };
    },
  }),
  defineNode('ImagePadForOutpaint', {
    displayName: 'Pad Image for Outpainting',
    category: 'image',
    required: {
      image: image(),
      left: padding(),
      top: padding(),
      right: padding(),
      bottom: padding(),
      feathering: side(40, 0),
    },
    outputs: ['IMAGE', 'MASK'],
    execute: async ({ image: picture, ...sides }, run) => ({
      values: await padForOutpaint(picture, sides, run),
    }),
  }),
];

function padding() {
  const { type, options } = offset();
  return { type, options: { ...options, step: 8 } } as ReturnType<typeof offset>;
}
