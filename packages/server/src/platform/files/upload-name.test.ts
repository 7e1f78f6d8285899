import { expect, test } from 'vitest';
import { numberedName, uploadName } from './upload-name.ts';

test.each([
  ['a.txt', 'a.txt'],
  ['C:/folder/a.txt', 'a.txt'],
  ['../../a.txt', 'a.txt'],
  ['100%.txt', '100%.txt'],
  ['.hidden', '.hidden'],
  ['x'.repeat(255), 'x'.repeat(255)],
  ['ü'.repeat(127), 'ü'.repeat(127)],
])('keeps %s as %s', (given, name) => {
  expect(uploadName(given)).toBe(name);
});

test.each([
  '',
  '.',
  '..',
  'a/',
  'a\\b',
  'a\nb',
  'a:b',
  'nul.txt',
  'a ',
  'x'.repeat(256),
  'ü'.repeat(128),
  'a%2fb',
  '\ud800',
  '.upload-x.part',
  '.UPLOAD-x.PART',
])('refuses %j as a name', (given) => {
  expect(uploadName(given)).toBeNull();
});

test('puts the first free number before the extension', () => {
  const taken = new Set(['a.tar_1.gz', 'noext_1']);
  const isTaken = (name: string) => taken.has(name);
  expect(numberedName('a.tar.gz', isTaken)).toBe('a.tar_2.gz');
  expect(numberedName('noext', isTaken)).toBe('noext_2');
  expect(numberedName('.hidden', isTaken)).toBe('.hidden_1');
});

test('keeps a numbered name within the maximum length, cut between characters', () => {
  const name = numberedName(`${'ü'.repeat(125)}.jpg`, () => false);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
  expect(name).toMatch(/^ü+_1\.jpg$/);
  expect(numberedName(`a.${'x'.repeat(253)}`, () => false)).toBe(`a.${'x'.repeat(251)}_1`);
});
