import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { planStripping, strippedBytes } from './strip-metadata.ts';

const secret = 'a lighthouse at night';

async function* inPieces(file: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += bytes) yield file.subarray(at, at + bytes);
}

/** The file as it is sent, or the reason why it is sent as it was stored. */
async function stripped(file: Buffer, bytes = 7): Promise<Buffer | 'other' | 'damaged'> {
  const plan = await planStripping(inPieces(file, bytes));
  if (typeof plan === 'string') return plan;
  const sent = await buffer(strippedBytes(inPieces(file, bytes), plan));
  expect(plan.sizeBytes).toBe(sent.length);
  return sent;
}

function chunk(kind: string, body: string | Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(kind), Buffer.from(body as string)]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length - 4);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, sum]);
}
function segment(marker: number, body: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

const pixels = { create: { width: 40, height: 30, channels: 3, background: '#a05020' } } as const;
const exif = { IFD0: { ImageDescription: secret } };
const inserted = (file: Buffer, at: number, ...parts: Buffer[]) =>
  Buffer.concat([file.subarray(0, at), ...parts, file.subarray(at)]);
const plain = {
  png: await sharp(pixels).png().toBuffer(),
  jpeg: await sharp(pixels).jpeg().toBuffer(),
  webp: await sharp(pixels).webp().toBuffer(),
};
const withMetadata = {
  png: inserted(
    plain.png,
    33,
    chunk('tEXt', `prompt\0${secret}`),
    chunk('zTXt', `workflow\0\0${secret}`),
    chunk('iTXt', `Comment\0\0\0\0\0${secret}`),
    chunk('eXIf', secret),
  ),
  jpeg: inserted(
    await sharp(pixels).withExif(exif).withIccProfile('p3').jpeg({ progressive: true }).toBuffer(),
    2,
    segment(0xfe, Buffer.from(secret)),
    segment(0xed, Buffer.from(secret)),
  ),
  webp: await sharp(pixels).withExif(exif).withXmp(`<x>${secret}</x>`).withIccProfile('p3').webp().toBuffer(),
};

describe('a picture without its metadata', () => {
  it('has no text any more, and the same pixels and colours', async () => {
    for (const file of Object.values(withMetadata)) {
      expect(file.includes(secret)).toBe(true);
      for (const bytes of [1, 7, 64 * 1024]) {
        const sent = (await stripped(file, bytes)) as Buffer;
        expect(sent.includes(secret)).toBe(false);
        expect(await sharp(sent).raw().toBuffer()).toEqual(await sharp(file).raw().toBuffer());
        const { exif: left, xmp, icc } = await sharp(sent).metadata();
        expect([left, xmp, icc]).toEqual([undefined, undefined, (await sharp(file).metadata()).icc]);
      }
    }
    expect(await stripped(withMetadata.png)).toEqual(plain.png);
  });

  it('stays as it is where it has none', async () => {
    const scan = Buffer.concat([
      segment(0xda, Buffer.alloc(8)),
      Buffer.from('12ff00ffd034ffffff00ffd7ff01', 'hex'),
    ]);
    const restarted = Buffer.concat([Buffer.from('ffd8', 'hex'), scan, scan, Buffer.from('ffd9', 'hex')]);
    for (const file of [...Object.values(plain), restarted])
      for (const bytes of [1, 7, 4096]) expect(await stripped(file, bytes)).toEqual(file);
  });

  it('does not claim in its head what a WebP has lost', async () => {
    const sent = (await stripped(withMetadata.webp)) as Buffer;
    expect(sent.readUInt32LE(4)).toBe(sent.length - 8);
    expect(withMetadata.webp.readUInt8(20) & 0x0c).toBe(0x0c);
    expect(sent.readUInt8(20) & 0x0c).toBe(0);
  });

  it('is turned as before', async () => {
    const turned = await sharp(pixels).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const sent = (await stripped(inserted(turned, 2, segment(0xfe, Buffer.from(secret))))) as Buffer;
    expect((await sharp(sent).metadata()).orientation).toBe(6);
    expect(sent.includes(secret)).toBe(false);
  });

  it('loses what stands behind its end', async () => {
    for (const file of Object.values(plain)) {
      expect(await stripped(Buffer.concat([file, Buffer.from(secret)]))).toEqual(file);
    }
  });

  it('is found to be damaged wherever it is cut off', async () => {
    for (const file of Object.values(withMetadata)) {
      for (let end = 12; end < file.length; end += 1 + Math.floor(file.length / 150)) {
        expect([end, await stripped(file.subarray(0, end), 4096)]).toEqual([end, 'damaged']);
      }
    }
  });

  it('is found to be damaged when its lengths lie', async () => {
    const changed = (file: Buffer, at: number, value: string) => {
      const copy = Buffer.from(file);
      Buffer.from(value, 'hex').copy(copy, at);
      return copy;
    };
    const { png, jpeg, webp } = withMetadata;
    for (const file of [
      changed(png, 33, 'ffffffff'),
      changed(png, 33, '00000001'),
      changed(png, 8, '0000000e'),
      inserted(png, 8, chunk('tEXt', secret)),
      Buffer.concat([plain.png.subarray(0, 33), chunk('IEND', '')]),
      changed(jpeg, 4, '0000'),
      changed(jpeg, 4, 'ffff'),
      Buffer.from('ffd8ffd9', 'hex'),
      changed(webp, 4, 'ffffffff'),
      changed(webp, 4, '00000000'),
      changed(webp, 16, 'ffffffff'),
      changed(webp, 16, '00000008'),
      changed(webp, 12, '41424344'),
      Buffer.concat([changed(plain.webp, 16, lengthBeyond(plain.webp)), Buffer.alloc(20)]),
      Buffer.concat([plain.png.subarray(0, 33), ...manyTexts(), plain.png.subarray(33)]),
    ])
      expect(await stripped(file, 4096)).toBe('damaged');
  });

  it('is no picture of these types', async () => {
    for (const file of ['', 'GIF89a', 'RIFF....WAVE', '\x89PNG', '{"prompt": 1}'])
      expect(await stripped(Buffer.from(file, 'latin1'))).toBe('other');
  });

  it('ends its source whether it was read to the end or not', async () => {
    let isOpen = true;
    async function* source() {
      try {
        yield* inPieces(withMetadata.png, 7);
      } finally {
        isOpen = false;
      }
    }
    const plan = await planStripping(source());
    expect(isOpen).toBe(false);
    isOpen = true;
    for await (const _ of strippedBytes(source(), plan as Extract<typeof plan, object>)) break;
    expect(isOpen).toBe(false);
  });
});

/** A length of the first chunk of a WebP that is four bytes more than the picture has. */
function lengthBeyond(webp: Buffer): string {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(webp.length - 20 + 4);
  return length.toString('hex');
}

/** More pieces than a plan may have. */
function manyTexts(): Buffer[] {
  return Array.from({ length: 10_001 }, () => [chunk('tEXt', ''), chunk('teSt', '')]).flat();
}
