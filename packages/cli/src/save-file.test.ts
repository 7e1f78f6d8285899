import { expect, it } from 'vitest';
import { safeName } from './save-file.ts';

it.each([
  ['../../etc/passwd', 'passwd'],
  ['..\\..\\evil.png', 'evil.png'],
  ['..', 'file'],
  ['', 'file'],
  ['.hidden', 'hidden'],
  ['a\u0000b\u202e.png', 'a_b_.png'],
  ['con<sole>.png', 'con_sole_.png'],
])('%j is saved as %s', (given, saved) => {
  expect(safeName(given)).toBe(saved);
});

it('a name that no file system takes is cut, and keeps its extension', () => {
  const saved = safeName(`${'ä'.repeat(400)}.png`);
  expect(Buffer.byteLength(saved)).toBeLessThanOrEqual(255);
  expect(saved.endsWith('.png')).toBe(true);
});
