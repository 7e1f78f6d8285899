/** Draws a bright disc on a soft ground and turns it over. It needs no model and no upload, so every worker can run it. */
export const sampleWorkflow = {
  '1': node('Ground', 'EmptyImage', { width: 3, height: 3, batch_size: 1, color: 0x1f3a5f }),
  '2': node('Spot', 'EmptyImage', { width: 1, height: 1, batch_size: 1, color: 0xf2b134 }),
  '3': node('Spot on the ground', 'ImageCompositeMasked', {
    destination: ['1', 0],
    source: ['2', 0],
    x: 1,
    y: 1,
    resize_source: false,
  }),
  '4': node('Grow', 'ImageScale', {
    image: ['3', 0],
    upscale_method: 'bicubic',
    width: 512,
    height: 512,
    crop: 'disabled',
  }),
  '5': node('Invert', 'ImageInvert', { image: ['4', 0] }),
  '6': node('Save', 'SaveImage', { images: ['5', 0], filename_prefix: 'demo/inverted' }),
};

/** Returns a node in ComfyUI's API format. */
export function node(title: string, classType: string, inputs: Record<string, unknown>) {
  return { class_type: classType, inputs, _meta: { title } };
}
