import { describe, expect, test } from 'vitest';
import { contentTypeOf } from './content-type.ts';

function typeOf(head: string | Buffer, filename = 'file') {
  return contentTypeOf(typeof head === 'string' ? Buffer.from(head, 'utf8') : head, filename);
}

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe('shown in the browser', () => {
  test.each([
    ['image/png', png],
    ['image/jpeg', Buffer.from('ffd8ffe000104a464946', 'hex')],
    ['image/gif', Buffer.from('GIF89a......')],
    ['image/webp', Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1')],
    ['video/mp4', Buffer.from('\0\0\0\x20ftypisom', 'latin1')],
    ['video/webm', Buffer.from('1a45dfa3', 'hex')],
    ['audio/wav', Buffer.from('RIFF\x10\0\0\0WAVEfmt ', 'latin1')],
  ])('%s by its first bytes, whatever its name', (contentType, head) => {
    expect(typeOf(head, 'page.html')).toEqual({ contentType, isInline: true });
  });

  test('plain text, JSON and CSV', () => {
    expect(typeOf('a prompt, with ünicode')).toEqual({
      contentType: 'text/plain; charset=utf-8',
      isInline: true,
    });
    expect(typeOf('{"a":1}', 'a.JSON')).toEqual({ contentType: 'application/json', isInline: true });
    expect(typeOf('a,b\n1,2', 'a.csv')).toEqual({ contentType: 'text/csv; charset=utf-8', isInline: true });
    expect(typeOf('', 'empty.txt')).toEqual({ contentType: 'text/plain; charset=utf-8', isInline: true });
  });

  test('text whose last character is cut at the end of the head', () => {
    const head = Buffer.from('ü'.repeat(256)).subarray(0, 511);
    expect(typeOf(head).contentType).toBe('text/plain; charset=utf-8');
  });
});

describe('never shown in the browser', () => {
  test.each([
    [
      'a page that is called a picture',
      '<!DOCTYPE html><script>alert(1)</script>',
      'cat.png',
      'text/html; charset=utf-8',
    ],
    [
      'a page behind white space and a byte order mark',
      '\ufeff \n<html>',
      'a.txt',
      'text/html; charset=utf-8',
    ],
    ['a page that begins with a comment', '<!-- x --><script>', 'a.txt', 'text/html; charset=utf-8'],
    ['a lone script element', '<script>alert(1)</script>', 'a.json', 'text/html; charset=utf-8'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'a.png', 'image/svg+xml'],
    [
      'XML, which may be SVG or carry a style sheet',
      '<?xml version="1.0"?><svg/>',
      'a.txt',
      'application/xml',
    ],
    ['script by its extension', 'alert(1)', 'a.js', 'text/javascript; charset=utf-8'],
    ['a page whose markup comes late', 'text first <script>', 'a.html', 'text/html; charset=utf-8'],
  ])('%s', (_, head, filename, contentType) => {
    expect(typeOf(head, filename)).toEqual({ contentType, isInline: false });
  });

  test.each([
    ['PDF', Buffer.from('%PDF-1.7'), 'application/pdf'],
    ['an archive', Buffer.from('504b0304', 'hex'), 'application/zip'],
    ['a page in UTF-16', Buffer.from('\ufeff<html>', 'utf16le'), 'application/octet-stream'],
    ['bytes of no known kind', Buffer.from([0, 1, 2, 3]), 'application/octet-stream'],
    ['broken UTF-8', Buffer.from([0x61, 0xff, 0x62]), 'application/octet-stream'],
    ['a picture that is cut in its first bytes', png.subarray(0, 4), 'application/octet-stream'],
  ])('%s', (_, head, contentType) => {
    expect(typeOf(head, 'picture.png')).toEqual({ contentType, isInline: false });
  });
});
