import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withPngTexts } from './png-names.ts';

const signature = Buffer.from('89504e470d0a1a0a', 'hex');
const takeOff = (text: string) => text.replaceAll('secret-', '');

function chunk(kind: string, data: Buffer | string): Buffer {
  const body = Buffer.concat([Buffer.from(kind), Buffer.from(data)]);
  const sizes = [Buffer.alloc(4), Buffer.alloc(4)] as const;
  sizes[0].writeUInt32BE(body.length - 4);
  sizes[1].writeUInt32BE(crc32(body));
  return Buffer.concat([sizes[0], body, sizes[1]]);
}

/** Passes the bytes on in pieces of this size. */
async function passed(bytes: Buffer, pieceBytes = 7): Promise<Buffer> {
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      yield bytes.subarray(start, start + pieceBytes);
    }
  }
  const parts: Buffer[] = [];
  for await (const part of withPngTexts(pieces(), takeOff)) parts.push(part);
  return Buffer.concat(parts);
}

const pixels = chunk('IDAT', Buffer.concat([Buffer.alloc(100, 3), Buffer.from('secret-')]));
const png = (text: string) =>
  Buffer.concat([
    signature,
    chunk('IHDR', Buffer.alloc(13)),
    text === '' ? Buffer.alloc(0) : chunk('tEXt', text),
    pixels,
    chunk('IEND', ''),
  ]);

test('the graph in a picture names files as the user did, with a correct checksum, and the pixels stay', async () => {
  for (const pieceBytes of [1, 7, 64, 10_000]) {
    expect(await passed(png('prompt\0{"filename_prefix":"secret-x"}'), pieceBytes)).toEqual(
      png('prompt\0{"filename_prefix":"x"}'),
    );
  }
});

test('a picture without such a text, or a file that is not a picture, passes unchanged', async () => {
  for (const bytes of [png(''), png('prompt\0{}'), Buffer.from('secret-text'), Buffer.alloc(0), signature]) {
    expect(await passed(bytes)).toEqual(bytes);
  }
});

test('a picture that is cut off or lies about its lengths passes unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: png('a\0b').length }), fc.nat({ max: 255 }), async (at, value) => {
      const cut = png('a\0b').subarray(0, at);
      expect(await passed(cut)).toEqual(cut);
      const wrong = Buffer.from(png('a\0b'));
      if (at < wrong.length) wrong[at] = value;
      expect(await passed(wrong)).toEqual(wrong);
    }),
    // A text that is said to be longer, so that it holds a part of the pixels.
    { numRuns: 200, examples: [[36, 122]] },
  );
});

test('a source that is not read to its end is closed', async () => {
  let isClosed = false;
  async function* endless() {
    try {
      for (;;) yield Buffer.alloc(10, 1);
    } finally {
      isClosed = true;
    }
  }
  for await (const _part of withPngTexts(endless(), takeOff)) break;
  expect(isClosed).toBe(true);
});

test('a text that comes after the pixels is changed as well', async () => {
  const late = (text: string) =>
    Buffer.concat([
      signature,
      chunk('IHDR', Buffer.alloc(13)),
      pixels,
      chunk('tEXt', text),
      chunk('IEND', ''),
    ]);
  expect(await passed(late('prompt\0secret-x'))).toEqual(late('prompt\0x'));
});

test('each piece of a source becomes one piece at most, because each is a write to the disk', async () => {
  const bytes = png('prompt\0{}');
  async function* halves() {
    yield bytes.subarray(0, 100);
    yield bytes.subarray(100);
  }
  const parts: Buffer[] = [];
  for await (const part of withPngTexts(halves(), takeOff)) parts.push(part);
  expect(parts.length).toBeLessThanOrEqual(2);
  expect(Buffer.concat(parts)).toEqual(bytes);
});
