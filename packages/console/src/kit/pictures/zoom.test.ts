import { expect, it } from 'vitest';
import { movedBy, placeInBox, wholePicture, zoomedBy } from './zoom.ts';

const picture = { width: 400, height: 200 };
const box = { width: 200, height: 200 };

it('shows the whole picture in the middle of the box', () => {
  expect(placeInBox(wholePicture, picture, box)).toEqual({ left: 0, top: 50, width: 200, height: 100 });
});

it('keeps the point under the pointer where it is', () => {
  const at = { x: 50, y: 80 };
  const zoom = zoomedBy(wholePicture, 4, { picture, box, at });
  const before = placeInBox(wholePicture, picture, box);
  const after = placeInBox(zoom, picture, box);
  expect((at.x - after.left) / after.width).toBeCloseTo((at.x - before.left) / before.width);
  expect((at.y - after.top) / after.height).toBeCloseTo((at.y - before.top) / before.height);
  expect(zoomedBy(zoom, 1 / 8, { picture, box })).toEqual(wholePicture);
});

it('shows the same place of a picture of another size', () => {
  const zoom = zoomedBy(wholePicture, 3, { picture, box, at: { x: 20, y: 100 } });
  const large = { width: 1_200, height: 600 };
  expect(placeInBox(zoom, large, box)).toEqual(placeInBox(zoom, picture, box));
});

it('leaves no gap at an edge, and comes back from there at once', () => {
  const zoom = zoomedBy(wholePicture, 4, { picture, box });
  const atEdge = movedBy(zoom, { x: 9_999, y: 0 }, picture, box);
  expect(placeInBox(atEdge, picture, box).left).toBe(0);
  expect(placeInBox(movedBy(atEdge, { x: -10, y: 0 }, picture, box), picture, box).left).toBeCloseTo(-10);
});
