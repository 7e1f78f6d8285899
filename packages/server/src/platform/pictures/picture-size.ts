export interface PictureSize {
  width: number;
  height: number;
}

/** The first marker of a JPEG that names its size; the others between them are tables and reserved ones. */
const frameMarkers = { from: 0xc0, to: 0xcf, others: [0xc4, 0xc8, 0xcc] };
const exifMarker = 0xe1;
const orientationTag = 0x0112;
const maxEntries = 200;

/**
 * The size of a picture as it is shown, by the first bytes of its file. Returns null when they do not say it. Nothing is
 * decoded, and a size that is a lie costs nothing: it only decides how much room a page keeps.
 */
export function pictureSizeOf(head: Buffer): PictureSize | null {
  const size = pngSize(head) ?? gifSize(head) ?? webpSize(head) ?? jpegSize(head);
  return size && size.width > 0 && size.height > 0 ? size : null;
}

export function isJpeg(head: Buffer): boolean {
  return head.length >= 3 && head.readUIntBE(0, 3) === 0xffd8ff;
}

function pngSize(head: Buffer): PictureSize | null {
  if (head.length < 24 || head.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return null;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

function gifSize(head: Buffer): PictureSize | null {
  if (head.length < 10 || head.toString('latin1', 0, 4) !== 'GIF8') return null;
  return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
}

function webpSize(head: Buffer): PictureSize | null {
  if (head.length < 30 || head.toString('latin1', 8, 12) !== 'WEBP') return null;
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
}

function jpegSize(head: Buffer): PictureSize | null {
  if (!isJpeg(head)) return null;
  let isTurned = false;
  for (let at = 2; at + 9 <= head.length && head[at] === 0xff; ) {
    const marker = head[at + 1] ?? 0;
    const length = head.readUInt16BE(at + 2);
    const isFrame = marker >= frameMarkers.from && marker <= frameMarkers.to;
    if (isFrame && !frameMarkers.others.includes(marker)) {
      const size = { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) };
      return isTurned ? { width: size.height, height: size.width } : size;
    }
    if (marker === exifMarker) isTurned = isTurnedBy(head.subarray(at + 4, at + 2 + length));
    at += 2 + length;
  }
  return null;
}

/** Orientations from 5 on lay the picture on its side. */
function isTurnedBy(exif: Buffer): boolean {
  if (exif.toString('latin1', 0, 6) !== 'Exif\0\0' || exif.length < 14) return false;
  const tiff = exif.subarray(6);
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.length);
  const directory = view.getUint32(4, isLittle);
  if (directory + 2 > tiff.length) return false;
  const entries = Math.min(view.getUint16(directory, isLittle), maxEntries);
  for (let at = directory + 2; at + 12 <= Math.min(tiff.length, directory + 2 + entries * 12); at += 12) {
    if (view.getUint16(at, isLittle) === orientationTag) return view.getUint16(at + 8, isLittle) >= 5;
  }
  return false;
}
