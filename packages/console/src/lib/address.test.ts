import { expect, it } from 'vitest';
import { decodePart } from './address.ts';

it('reads a part of an address as it was before it was written there', () => {
  expect(decodePart(encodeURIComponent('127.0.0.1:8188'))).toBe('127.0.0.1:8188');
  expect(decodePart('100%')).toBe('100%');
});
