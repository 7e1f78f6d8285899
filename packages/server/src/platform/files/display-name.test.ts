import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeDisplayName } from './display-name.ts';

test.each([
  ['photo.png', 'photo.png'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\me\\photo.png', 'photo.png'],
  ['a\0b\r\nc.png', 'abc.png'],
  ['\u202egnp.exe', 'gnp.exe'],
  ['what?.png', 'what_.png'],
  ['stream.txt:hidden', 'stream.txt_hidden'],
  ['CON.txt', '_CON.txt'],
  ['name. . ', 'name'],
  ['图片：一.png', '图片：一.png'],
  ['e\u0301.png', '\u00e9.png'],
  ['half\ud800.png', 'half\ufffd.png'],
  ['', 'file'],
  ['..', 'file'],
  ['folder/', 'file'],
  ['   ', 'file'],
])('calls %j %j', (given, expected) => {
  expect(safeDisplayName(given)).toBe(expected);
});

test('shortens a long name to 255 bytes, between characters and before the extension', () => {
  const short = safeDisplayName(`${'图'.repeat(200)}.png`);
  expect(Buffer.byteLength(short)).toBeLessThanOrEqual(255);
  expect(short).toMatch(/^图+\.png$/);
});

test('is never empty, never a path and never longer than 255 bytes, for any input', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (given) => {
      const name = safeDisplayName(given);
      expect(name).not.toBe('');
      expect(name).not.toMatch(/[\\/\p{Cc}]|^\.+$/u);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      expect(safeDisplayName(name)).toBe(name);
    }),
  );
});
