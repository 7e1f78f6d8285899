import { deflateSync, inflateSync } from 'node:zlib';

/** Writes and reads small PNGs by hand: the suite shares no code with the server that it tests. */
interface Chunk {
  type: string;
  data: Buffer;
}

function pngChunks(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({
      type: png.toString('latin1', at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + length),
    });
    at += length + 12;
  }
  return chunks;
}

export function pngTexts(png: Buffer): Record<string, string> {
  const texts = pngChunks(png)
    .filter(({ type }) => type === 'tEXt')
    .map(({ data }) => {
      const end = data.indexOf(0);
      return [data.toString('latin1', 0, end), data.toString('latin1', end + 1)] as const;
    });
  return Object.fromEntries(texts);
}

export function pngSize(png: Buffer): { width: number; height: number } {
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

/** One pixel: red, green, blue, alpha. */
export function onePixelPng(rgba: readonly [number, number, number, number]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(1, 0);
  header.writeUInt32BE(1, 4);
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from([0, ...rgba]))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The bytes of the first pixel, as many as the file has channels. */
export function firstPixel(png: Buffer): number[] {
  const data = Buffer.concat(
    pngChunks(png)
      .filter(({ type }) => type === 'IDAT')
      .map((part) => part.data),
  );
  const colourType = png[25];
  const channels = colourType === 6 ? 4 : colourType === 2 ? 3 : 1;
  // Under every filter, the first pixel of the first row has no neighbour and is stored unchanged.
  return [...inflateSync(data).subarray(1, 1 + channels)];
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc(body), body.length + 4);
  return framed;
}

function crc(bytes: Buffer): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return (value ^ 0xffffffff) >>> 0;
}
