import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { asciiJson, crc32, slowCrc32, withPngText } from './png-text.ts';

describe('withPngText', () => {
  it('leaves a PNG that can still be read, with its comments', async () => {
    const png = await sharp(Buffer.from([1, 2, 3]), { raw: { width: 1, height: 1, channels: 3 } })
      .png()
      .toBuffer();
    const marked = withPngText(png, { prompt: '{"1":{}}', workflow: '[]' });
    const { comments } = await sharp(marked).metadata();
    expect(comments).toEqual([
      { keyword: 'prompt', text: '{"1":{}}' },
      { keyword: 'workflow', text: '[]' },
    ]);
    expect([...(await sharp(marked).raw().toBuffer())]).toEqual([1, 2, 3]);
  });

  it('makes a keyword from any name', async () => {
    const png = await sharp(Buffer.from([1, 2, 3]), { raw: { width: 1, height: 1, channels: 3 } })
      .png()
      .toBuffer();
    const marked = withPngText(png, { ['ü\0'.repeat(60)]: 'x', '': 'y' });
    const { comments } = await sharp(marked).metadata();
    expect(comments?.map(({ keyword }) => keyword)).toEqual(['?'.repeat(79), '?']);
  });
});

describe('asciiJson', () => {
  it('writes only ASCII with the same meaning', () => {
    const value = { text: 'Grüße 🙂', line: 'a\nb' };
    expect(asciiJson(value)).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(asciiJson(value))).toEqual(value);
  });
});

describe('slowCrc32', () => {
  it('agrees with zlib', () => {
    for (const text of ['', 'a', '123456789', 'x'.repeat(1000)])
      expect(slowCrc32(Buffer.from(text))).toBe(crc32(Buffer.from(text)));
    expect(slowCrc32(Buffer.from('123456789'))).toBe(0xcbf43926);
  });
});
