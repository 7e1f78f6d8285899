import { expect, it } from 'vitest';
import { fileAddress, mediaKindOf, ratioOf, thumbnailAddress } from './picture.ts';

it('asks for the smallest thumbnail that is sharp', () => {
  expect(thumbnailAddress('f1', 40)).toBe('/api/files/f1/thumbnail?size=64');
  expect(thumbnailAddress('f1', 200, 2)).toBe('/api/files/f1/thumbnail?size=512');
  expect(thumbnailAddress('f1', 5_000)).toBe('/api/files/f1/thumbnail?size=1024');
});

it('writes a hostile name into an address as text', () => {
  expect(fileAddress({ fileId: 'f1', filename: '../?a#"<b>.png' })).toBe(
    '/uploads/f1/..%2F%3Fa%23%22%3Cb%3E.png',
  );
});

it('gives a picture of unknown size a square', () => {
  expect(ratioOf({ width: null, height: null })).toBe(1);
  expect(ratioOf({ width: 300, height: 0 })).toBe(1);
  expect(ratioOf({ width: 300, height: 200 })).toBe(1.5);
});

it('shows no markup as a picture', () => {
  expect(mediaKindOf('image/svg+xml')).toBe('other');
  expect(mediaKindOf('text/html')).toBe('other');
  expect(mediaKindOf('image/webp')).toBe('picture');
  expect(mediaKindOf('video/mp4')).toBe('video');
});
