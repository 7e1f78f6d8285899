import { asciiJson, withPngText } from '../files/png-text.ts';
import type { FileArea, FileReference } from '../files/worker-files.ts';
import { encodePng, mapFrames } from './frames.ts';
import { image, text } from './inputs.ts';
import { defineNode, type NodeClass, type NodeRun } from './node-class.ts';
import { filledPrefix } from './save-prefix.ts';
import type { ImageValue } from './values.ts';

const hidden = { prompt: 'PROMPT', extra_pnginfo: 'EXTRA_PNGINFO' };

export const saveNodes: readonly NodeClass[] = [
  defineNode('SaveImage', {
    displayName: 'Save Image',
    description: 'Saves the input images to your ComfyUI output directory.',
    category: 'image',
    required: { images: image(), filename_prefix: text({ default: 'ComfyUI' }) },
    hidden,
    outputs: [],
    isOutput: true,
    execute: async ({ images, filename_prefix: prefix }, run) => ({
      ui: { images: await saveAll(images, run, { area: 'output', prefix }) },
    }),
  }),
  defineNode('PreviewImage', {
    displayName: 'Preview Image',
    description: 'Saves the input images to your ComfyUI temp directory.',
    category: 'image',
    required: { images: image() },
    hidden,
    outputs: [],
    isOutput: true,
    execute: async ({ images }, run) => ({
      ui: {
        images: await saveAll(images, run, { area: 'temp', prefix: `ComfyUI_temp_${randomLetters(5)}` }),
      },
    }),
  }),
];

async function saveAll(
  images: ImageValue,
  run: NodeRun,
  { area, prefix }: { area: FileArea; prefix: string },
): Promise<FileReference[]> {
  const texts = { prompt: asciiJson(run.prompt), ...mapValues(run.extraPngInfo, asciiJson) };
  const filled = filledPrefix(prefix, images);
  const encoded = new Map<Uint8Array, Buffer>();
  return await mapFrames([...images.frames.entries()], run, {
    make: async ([index, frame]) => {
      const bytes = encoded.get(frame) ?? withPngText(await encodePng(frame, images), texts);
      encoded.set(frame, bytes);
      return await run.files.save(area, filled.replaceAll('%batch_num%', String(index)), {
        extension: 'png',
        bytes,
      });
    },
  });
}

function mapValues(record: Record<string, unknown>, map: (value: unknown) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

/** Names temporary files as ComfyUI does, with the same alphabet. */
function randomLetters(length: number): string {
  return Array.from({ length }, () =>
    'abcdefghijklmnopqrstupvxyz'.charAt(Math.floor(Math.random() * 26)),
  ).join('');
}
