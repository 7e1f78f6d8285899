import { type FileSlices, latinText, utf8Text } from './file-slices.ts';

const riffBytes = 12;
const headBytes = 8;
const maxExifBytes = 16 * 1024 * 1024;
const maxChunks = 100_000;
const maxEntries = 1_000;
const asciiType = 2;
const entryBytes = 12;

/** The texts that ComfyUI writes into the EXIF block of a WebP, each as `keyword:text`. */
export async function webpTexts(file: FileSlices): Promise<Map<string, string>> {
  let at = riffBytes;
  for (let count = 0; count < maxChunks && at + headBytes <= file.size; count += 1) {
    const head = await file.read(at, headBytes);
    if (head.length < headBytes) break;
    const length = new DataView(head.buffer, head.byteOffset, headBytes).getUint32(4, true);
    if (latinText(head.subarray(0, 4)) === 'EXIF' && length <= maxExifBytes) {
      return exifTexts(await file.read(at + headBytes, length));
    }
    at += headBytes + length + (length % 2);
  }
  return new Map();
}

function exifTexts(block: Uint8Array): Map<string, string> {
  const hasPrefix = latinText(block.subarray(0, 4)) === 'Exif';
  const tiff = hasPrefix ? block.subarray(6) : block;
  const texts = new Map<string, string>();
  for (const value of asciiValues(tiff)) {
    const colon = value.indexOf(':');
    if (colon > 0) texts.set(value.slice(0, colon), value.slice(colon + 1));
  }
  return texts;
}

/** The texts of the first directory of a TIFF. A place outside the block ends the reading. */
function asciiValues(tiff: Uint8Array): string[] {
  const order = latinText(tiff.subarray(0, 2));
  if (tiff.length < 10 || (order !== 'II' && order !== 'MM')) return [];
  const isLittle = order === 'II';
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.length);
  const directory = view.getUint32(4, isLittle);
  if (directory + 2 > tiff.length) return [];
  const entries = Math.min(view.getUint16(directory, isLittle), maxEntries);
  const values: string[] = [];
  for (let index = 0; index < entries; index += 1) {
    const at = directory + 2 + index * entryBytes;
    if (at + entryBytes > tiff.length) break;
    if (view.getUint16(at + 2, isLittle) !== asciiType) continue;
    const count = view.getUint32(at + 4, isLittle);
    const start = count <= 4 ? at + 8 : view.getUint32(at + 8, isLittle);
    if (start + count <= tiff.length) {
      values.push(utf8Text(tiff.subarray(start, start + count)).replace(/\0+$/, ''));
    }
  }
  return values;
}
