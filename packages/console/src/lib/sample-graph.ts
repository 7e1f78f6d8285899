/** A graph in ComfyUI's API format, made of nodes that need no model and no upload, so that every worker can run it. */
export type SampleGraph = Record<
  string,
  { class_type: string; inputs: Record<string, unknown>; _meta: { title: string } }
>;

export const samplePictures = 8;
export const sampleTasks = 4;
const perTask = samplePictures / sampleTasks;
const size = 640;

/** The two colours of each sample, and where the spot stands on the ground. */
const samples = [
  { ground: 0xf2b134, spot: 0x3d5a98, x: 1, y: 1 },
  { ground: 0xef7b6c, spot: 0x56a3d9, x: 2, y: 1 },
  { ground: 0x7d5ba6, spot: 0x2a9d8f, x: 1, y: 1 },
  { ground: 0x3d5a98, spot: 0x7a9e3f, x: 2, y: 1 },
  { ground: 0x56a3d9, spot: 0xd9c6a5, x: 1, y: 2 },
  { ground: 0x2a9d8f, spot: 0xf2b134, x: 2, y: 2 },
  { ground: 0x7a9e3f, spot: 0xef7b6c, x: 1, y: 2 },
  { ground: 0xd9c6a5, spot: 0x7d5ba6, x: 2, y: 2 },
];

/** Draws the samples of one task, inverts them in one batch and saves what comes out. */
export function sampleGraph(task: number): SampleGraph {
  const chosen = samples.slice(task * perTask, (task + 1) * perTask);
  const drawn = chosen.map((_, place) => `sample-${place + 1}`);
  const batches = drawn.slice(1).map((id, place) => ({
    id: `batch-${place + 2}`,
    node: node(`Batch of ${place + 2}`, 'ImageBatch', {
      image1: [place === 0 ? drawn[0] : `batch-${place + 1}`, 0],
      image2: [id, 0],
    }),
  }));
  return {
    ...Object.assign({}, ...chosen.map((sample, place) => drawSample(place + 1, sample))),
    ...Object.fromEntries(batches.map(({ id, node: batch }) => [id, batch])),
    grow: node('Grow', 'ImageScale', {
      image: [batches.at(-1)?.id ?? drawn[0], 0],
      upscale_method: 'bicubic',
      width: size,
      height: size,
      crop: 'disabled',
    }),
    invert: node('Invert', 'ImageInvert', { image: ['grow', 0] }),
    soften: node('Soften', 'ImageBlur', { image: ['invert', 0], blur_radius: 10, sigma: 1 }),
    sharpen: node('Sharpen', 'ImageSharpen', {
      image: ['soften', 0],
      sharpen_radius: 6,
      sigma: 1,
      alpha: 0.3,
    }),
    save: node('Save', 'SaveImage', { images: ['sharpen', 0], filename_prefix: 'start/inverted' }),
  };
}

function drawSample(number: number, { ground, spot, x, y }: (typeof samples)[number]): SampleGraph {
  const solid = (title: string, side: number, color: number) =>
    node(title, 'EmptyImage', { width: side, height: side, batch_size: 1, color });
  return {
    [`ground-${number}`]: solid(`Ground ${number}`, 3, ground),
    [`spot-${number}`]: solid(`Spot ${number}`, 1, spot),
    [`sample-${number}`]: node(`Sample ${number}`, 'ImageCompositeMasked', {
      destination: [`ground-${number}`, 0],
      source: [`spot-${number}`, 0],
      x,
      y,
      resize_source: false,
    }),
  };
}

function node(title: string, class_type: string, inputs: Record<string, unknown>): SampleGraph[string] {
  return { class_type, inputs, _meta: { title } };
}
