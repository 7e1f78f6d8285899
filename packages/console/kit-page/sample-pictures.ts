import type { RecipeDifference } from '@switchyard/contract/dispatch/recipe';
import { type Picture, thumbnailAddress } from '../src/kit/pictures/picture.ts';

/** A picture that the server of this page draws: `scripts/console/kit-page.ts`. */
export function pictureOf(id: string, width = 640, height = 480): Picture & { source: string } {
  const picture = { fileId: `kit-${id}`, filename: `${id}.png`, contentType: 'image/png', width, height };
  return { ...picture, source: thumbnailAddress(picture.fileId, 80) };
}

/** What the gateway would answer about two pictures. */
export const sampleDifference: RecipeDifference = {
  left: 'kit-left',
  right: 'kit-right',
  files: ['kit-left', 'kit-right'],
  sameContent: false,
  differences: [
    {
      path: 'graph.1.inputs.text',
      title: 'Prompt',
      label: null,
      input: 'text',
      values: ['a red kite', 'a blue kite'],
    },
    { path: 'graph.3.inputs.seed', title: 'Sampler', label: null, input: 'seed', values: [7, 8] },
  ],
  isCut: false,
};
