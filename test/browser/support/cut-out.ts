import sharp from 'sharp';

/** Red where the photo is masked. */
export const cutOutGraph = {
  photo: { class_type: 'LoadImage', inputs: { image: 'photo.png' } },
  red: { class_type: 'EmptyImage', inputs: { width: 96, height: 64, batch_size: 1, color: 0xff0000 } },
  cut: {
    class_type: 'ImageCompositeMasked',
    inputs: {
      destination: ['photo', 0],
      source: ['red', 0],
      mask: ['photo', 1],
      x: 0,
      y: 0,
      resize_source: false,
    },
  },
  save: { class_type: 'SaveImage', inputs: { images: ['cut', 0], filename_prefix: 'cut' } },
};

/** The same, softened, for which there are values to vary. */
export const softGraph = {
  ...cutOutGraph,
  photo: { ...cutOutGraph.photo, _meta: { title: 'Photo' } },
  soft: { class_type: 'ImageBlur', inputs: { image: ['cut', 0], blur_radius: 1, sigma: 1 } },
  save: { class_type: 'SaveImage', inputs: { images: ['soft', 0], filename_prefix: 'soft' } },
};

export function greenPhoto(): Promise<Buffer> {
  return sharp({ create: { width: 96, height: 64, channels: 3, background: { r: 0, g: 200, b: 0 } } })
    .png()
    .toBuffer();
}

/** Returns the colour of a pixel of a picture of that size. */
export async function coloursOf(picture: ArrayBuffer): Promise<(x: number, y: number) => number[]> {
  const pixels = await sharp(picture).removeAlpha().raw().toBuffer();
  return (x, y) => [...pixels.subarray((y * 96 + x) * 3, (y * 96 + x) * 3 + 3)];
}
