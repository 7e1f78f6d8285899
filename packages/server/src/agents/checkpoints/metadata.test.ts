import { expect, test } from 'vitest';
import { metadataText } from './metadata.ts';

test('stores U+0000 and half a character as U+FFFD, in keys as well', () => {
  const text = metadataText({ 'a\0': ['b\0', { 'c\ud83d': '\ude00 d' }], whole: '😀', slash: '\\u0000' });

  expect(JSON.parse(text)).toEqual({
    'a\ufffd': ['b\ufffd', { 'c\ufffd': '\ufffd d' }],
    whole: '😀',
    slash: '\\u0000',
  });
});
