import { expect, it } from 'vitest';
import { isNewer } from '../src/conformance/examine.ts';

it.each([
  ['0.3.65', '0.3.64', true],
  ['0.10.0', '0.3.64', true],
  ['v1.0', '0.3.64', true],
  ['0.3.64', '0.3.64', false],
  ['0.3.9', '0.3.64', false],
  ['reference-1', '0.3.64', false],
])('%s is newer than %s: %s', (version, than, expected) => {
  expect(isNewer(version, than)).toBe(expected);
});
