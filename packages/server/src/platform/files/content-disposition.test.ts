import { expect, test } from 'vitest';
import { contentDisposition } from './content-disposition.ts';

test.each([
  ['photo.png', `inline; filename="photo.png"; filename*=UTF-8''photo.png`],
  ['a "b".png', `inline; filename="a _b_.png"; filename*=UTF-8''a%20%22b%22.png`],
  ['naïve (1).png', `inline; filename="na_ve (1).png"; filename*=UTF-8''na%C3%AFve%20%281%29.png`],
  ['50%.txt', `inline; filename="50_.txt"; filename*=UTF-8''50%25.txt`],
])('names %j for old and for new readers', (filename, header) => {
  expect(contentDisposition('inline', filename)).toBe(header);
});

test('cannot be broken into a second header', () => {
  expect(contentDisposition('attachment', 'a\r\nSet-Cookie: x=1')).not.toMatch(/[\r\n]/);
});

test('accepts half a character without failing', () => {
  expect(contentDisposition('attachment', 'a\ud800')).toContain('%EF%BF%BD');
});
