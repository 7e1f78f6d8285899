export type Workflow = Record<string, { class_type: string; inputs: Record<string, unknown> }>;

const empty = { batch_size: 1, color: 0 };

/** One small, one of several steps, one with two branches, and one with a long text: a gateway is given different ones. */
export const workflows: readonly Workflow[] = [
  {
    '1': { class_type: 'EmptyImage', inputs: { ...empty, width: 64, height: 64 } },
    '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'small' } },
  },
  {
    '1': { class_type: 'EmptyImage', inputs: { ...empty, width: 512, height: 512 } },
    '2': { class_type: 'ImageScale', inputs: scale(['1', 0], 1024) },
    '3': { class_type: 'ImageInvert', inputs: { image: ['2', 0] } },
    '4': { class_type: 'ImageScale', inputs: scale(['3', 0], 768) },
    '5': { class_type: 'ImageInvert', inputs: { image: ['4', 0] } },
    '6': { class_type: 'SaveImage', inputs: { images: ['5', 0], filename_prefix: 'steps/scaled' } },
  },
  {
    first: { class_type: 'EmptyImage', inputs: { ...empty, width: 256, height: 256 } },
    left: { class_type: 'ImageInvert', inputs: { image: ['first', 0] } },
    right: { class_type: 'ImageScale', inputs: scale(['first', 0], 128) },
    saved: { class_type: 'SaveImage', inputs: { images: ['left', 0], filename_prefix: 'left' } },
    shown: { class_type: 'PreviewImage', inputs: { images: ['right', 0] } },
  },
  {
    '10': {
      class_type: 'EmptyImage',
      inputs: { ...empty, width: 96, height: 96, note: 'a quiet harbour in the morning, '.repeat(60) },
    },
    '20': { class_type: 'ImageInvert', inputs: { image: ['10', 0] } },
    '30': { class_type: 'SaveImage', inputs: { images: ['20', 0], filename_prefix: 'noted' } },
  },
];

function scale(image: [string, number], side: number): Record<string, unknown> {
  return { image, upscale_method: 'nearest-exact', width: side, height: side, crop: 'disabled' };
}
