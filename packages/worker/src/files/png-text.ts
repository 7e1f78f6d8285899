import * as zlib from 'node:zlib';

/**
 * Puts tEXt chunks behind the header of a PNG, where ComfyUI puts `prompt` and `workflow`. sharp cannot write them.
 * Text is JSON in plain ASCII (tEXt is Latin-1), as Python's `json.dumps` writes it.
 */
export function withPngText(png: Buffer, texts: Record<string, string>): Buffer {
  const headerEnd = 8 + 4 + 4 + 13 + 4;
  const chunks = Object.entries(texts).map(([keyword, text]) => textChunk(keyword, text));
  return Buffer.concat([png.subarray(0, headerEnd), ...chunks, png.subarray(headerEnd)]);
}

/** JSON whose characters are all ASCII. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function textChunk(keyword: string, text: string): Buffer {
  const body = Buffer.from(`tEXt${latinKeyword(keyword)}\0${text}`, 'latin1');
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

/** A keyword has 1 to 79 printable Latin-1 characters. */
function latinKeyword(keyword: string): string {
  return keyword.replace(/[^\x20-\x7e]/g, '?').slice(0, 79) || '?';
}

/** zlib has crc32 from Node 20.15 and 22.2 on. */
export const crc32: (bytes: Uint8Array) => number =
  (zlib as { crc32?: (bytes: Uint8Array) => number }).crc32 ?? slowCrc32;

export function slowCrc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
