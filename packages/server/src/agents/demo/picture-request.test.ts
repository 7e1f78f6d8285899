import { describe, expect, it } from 'vitest';
import { pictureRequest } from './picture-request.ts';

describe('a request for pictures', () => {
  it.each([
    ['invert cat.png', [['cat.png', 'inverted']]],
    ['make a smaller inverted copy of cat.png', [['cat.png', 'smaller inverted']]],
    ['Invert cat.png and make it half size', [['cat.png', 'inverted smaller']]],
    ['resize cat.png to 64x48', [['cat.png', '64x48']]],
    ['scale "my cat.png" to 200 pixels wide', [['my cat.png', '200-wide']]],
    ['make cat.png 30% smaller, then 120 high', [['cat.png', '70-percent 120-high']]],
    ['resize cat.png to 50%', [['cat.png', '50-percent']]],
    ['make a thumbnail of cat-64x64.jpeg', [['cat-64x64.jpeg', 'thumbnail']]],
    ['crop cat.png to 30x20 at 5,6 and double it', [['cat.png', 'cropped larger']]],
    ['rotate cat.png left, flip it and mirror it', [['cat.png', 'rotated flipped mirrored']]],
    ['blur cat.png by 3; sharpen it', [['cat.png', 'blurred sharpened']]],
    ['turn cat.png into black and white', [['cat.png', 'grey']]],
    ['make cat.png 20% brighter with more contrast', [['cat.png', 'brighter contrast']]],
    ['darken cat.png and reduce it to 8 colors', [['cat.png', 'darker posterized']]],
    ['put a 10px border around cat.png', [['cat.png', 'framed']]],
    ['invert cat.png and dog.png', [['cat.png dog.png', 'inverted']]],
    [
      'invert cat.png and blur dog.png',
      [
        ['cat.png', 'inverted'],
        ['dog.png', 'blurred'],
      ],
    ],
    ['please look at cat.png, and invert and blur it', [['cat.png', 'inverted blurred']]],
    ['make it smaller', [['', 'smaller']]],
    ['invert /mnt/user-data/outputs/a b.png', [['b.png', 'inverted']]],
    ['invert "/mnt/user-data/outputs/a b.png"', [['/mnt/user-data/outputs/a b.png', 'inverted']]],
  ])('%j', (question, pictures) => {
    const found = pictureRequest(question)?.pictures.map(({ names, edits }) => [
      names.join(' '),
      edits.map(({ word }) => word).join(' '),
    ]);
    expect(found).toEqual(pictures);
  });

  it.each([
    ['a contact sheet of a.png, b.png and c.png', 'contact sheet', 3, false],
    ['make a contact sheet of all my pictures', 'contact sheet', 0, true],
    ['collage please', 'contact sheet', 0, true],
    ['blend a.png with b.png', 'blend', 2, false],
  ])('%j makes one of several', (question, kind, names, ofAll) => {
    const request = pictureRequest(question);
    expect(request).toMatchObject({ ofAll, pictures: [{ kind }] });
    expect(request?.pictures[0]?.names).toHaveLength(names);
  });

  it.each(['hello', 'what is in cat.png?', 'which files are there?', ''])('is not %j', (question) => {
    expect(pictureRequest(question)).toBeNull();
  });
});
