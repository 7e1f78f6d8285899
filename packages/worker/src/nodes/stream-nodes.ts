import { randomUUID } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';
import { asciiJson } from '../files/png-text.ts';
import { encodePng } from './frames.ts';
import { choice, decimal, flag, image, integer, text } from './inputs.ts';
import { defineNode, type NodeClass } from './node-class.ts';
import { filledPrefix } from './save-prefix.ts';
import { channels, type ImageValue } from './values.ts';

/** libwebp's effort for each word. */
const efforts = { default: 4, fastest: 0, slowest: 6 } as const;
/** One file, or no file at all, for a whole batch. */
export const streamNodes: readonly NodeClass[] = [
  defineNode('SaveAnimatedWEBP', {
    category: 'image/animation',
    required: {
      images: image(),
      filename_prefix: text({ default: 'ComfyUI' }),
      fps: decimal({ default: 6, min: 0.01, max: 1000, step: 0.01 }),
      lossless: flag(true),
      quality: integer({ default: 80, min: 0, max: 100 }),
      method: choice(Object.keys(efforts) as (keyof typeof efforts)[]),
    },
    hidden: { prompt: 'PROMPT', extra_pnginfo: 'EXTRA_PNGINFO' },
    outputs: [],
    isOutput: true,
    execute: async ({ images, filename_prefix: prefix, fps, lossless, quality, method }, run) => {
      await run.breathe();
      const bytes = await filmstrip(images)
        .withExif({ IFD0: { Model: `prompt:${asciiJson(run.prompt)}` } })
        .webp({
          lossless,
          quality: Math.max(1, quality),
          effort: efforts[method],
          loop: 0,
          delay: images.frames.map(() => Math.trunc(1000 / fps)),
        })
        .toBuffer();
      const saved = await run.files.save('output', filledPrefix(prefix, images), {
        extension: 'webp',
        bytes,
      });
      return { ui: { images: [saved], animated: [true] } };
    },
  }),
  /**
   * Its pictures exist only as frames on the socket of the client that submitted. They are lost when that socket is
   * down.
   */
  defineNode('SaveImageWebsocket', {
    category: 'api/image',
    required: { images: image() },
    outputs: [],
    isOutput: true,
    fingerprint: async () => randomUUID(),
    execute: async ({ images }, run) => {
      for (const [index, frame] of images.frames.entries())
        await run.tick(index, images.frames.length, { format: 'PNG', bytes: await encodePng(frame, images) });
      return {};
    },
  }),
];

/** All frames below one another, which is how sharp takes an animation. */
function filmstrip({ width, height, frames }: ImageValue): Sharp {
  return sharp(Buffer.concat(frames), {
    raw: { width, height: height * frames.length, channels, pageHeight: height },
    limitInputPixels: false,
  });
}
