import { extname } from 'node:path';

export interface ContentType {
  contentType: string;
  /**
   * True when the browser may show it. Everything that is not known to be passive is served as an attachment: markup and
   * script (including SVG pictures), documents, archives, and unknown types.
   */
  isInline: boolean;
}

interface Signature {
  contentType: string;
  isInline: boolean;
  /** Texts at offsets; all of them have to match. */
  bytes: [offset: number, text: string][];
}

const signatures: Signature[] = [
  inline('image/png', [0, '\x89PNG\r\n\x1a\n']),
  inline('image/jpeg', [0, '\xff\xd8\xff']),
  inline('image/gif', [0, 'GIF87a']),
  inline('image/gif', [0, 'GIF89a']),
  inline('image/webp', [0, 'RIFF'], [8, 'WEBP']),
  inline('image/avif', [4, 'ftypavif']),
  inline('image/bmp', [0, 'BM'], [6, '\0\0\0\0']),
  attachment('image/tiff', [0, 'II*\0']),
  attachment('image/tiff', [0, 'MM\0*']),
  attachment('image/x-exr', [0, 'v/1\x01']),
  inline('video/webm', [0, '\x1aE\xdf\xa3']),
  inline('video/quicktime', [4, 'ftypqt  ']),
  inline('audio/mp4', [4, 'ftypM4A']),
  attachment('image/heic', [4, 'ftyphei']),
  attachment('image/heif', [4, 'ftypmif1']),
  inline('video/mp4', [4, 'ftyp']),
  inline('audio/wav', [0, 'RIFF'], [8, 'WAVE']),
  inline('audio/flac', [0, 'fLaC']),
  inline('audio/ogg', [0, 'OggS']),
  inline('audio/mpeg', [0, 'ID3']),
  inline('audio/mpeg', [0, '\xff\xfb']),
  attachment('application/pdf', [0, '%PDF-']),
  attachment('model/gltf-binary', [0, 'glTF']),
  attachment('application/gzip', [0, '\x1f\x8b']),
  attachment('application/zip', [0, 'PK\x03\x04']),
  attachment('application/zip', [0, 'PK\x05\x06']),
];

/**
 * Texts that a browser runs, or that load others. They are recognised by extension, because plain text and script look
 * alike.
 */
const activeTextTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.xhtml': 'application/xhtml+xml',
  '.svg': 'image/svg+xml',
  '.xml': 'application/xml',
  '.xsl': 'application/xml',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const markup: [start: RegExp, contentType: string][] = [
  [/^<svg[\s>]/i, 'image/svg+xml'],
  [/^<!doctype svg/i, 'image/svg+xml'],
  [/^<\?xml/i, 'application/xml'],
  [/^<(!doctype html|!--|\/?[a-z])/i, 'text/html; charset=utf-8'],
];

const passiveTextTypes: Record<string, string> = {
  '.json': 'application/json',
  '.csv': 'text/csv; charset=utf-8',
};

const plainText = 'text/plain; charset=utf-8';
const inlineTypes = new Set([
  ...signatures.filter(({ isInline }) => isInline).map(({ contentType }) => contentType),
  ...Object.values(passiveTextTypes),
  plainText,
]);

/**
 * Returns the type of a stored file. The first bytes decide. The sender's claim is not used, and the name only
 * distinguishes kinds of text. `head` is the beginning of the file: its first 512 bytes, or all of a shorter file.
 */
export function contentTypeOf(head: Uint8Array, filename: string): ContentType {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const known = signatures.find((signature) => matches(bytes, signature));
  if (known) return { contentType: known.contentType, isInline: known.isInline };
  const text = textOf(bytes);
  if (text === undefined) return { contentType: 'application/octet-stream', isInline: false };
  return typeOfText(text, extname(filename).toLowerCase());
}

/** For a type that `contentTypeOf` returned when the file was stored. */
export function isInlineType(contentType: string): boolean {
  return inlineTypes.has(contentType);
}

function typeOfText(text: string, extension: string): ContentType {
  const start = text.replace(/^\ufeff/, '').trimStart();
  const found = markup.find(([pattern]) => pattern.test(start));
  const active = found?.[1] ?? activeTextTypes[extension];
  if (active) return { contentType: active, isInline: false };
  return { contentType: passiveTextTypes[extension] ?? plainText, isInline: true };
}

function matches(head: Buffer, signature: Signature): boolean {
  return signature.bytes.every(([offset, text]) => {
    return head.toString('latin1', offset, offset + text.length) === text;
  });
}

/** Returns undefined when the bytes are not UTF-8 text. The last character may be incomplete, because `head` is cut. */
function textOf(head: Buffer): string | undefined {
  if (head.some((byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d)) {
    return undefined;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
  } catch {
    return undefined;
  }
}

function inline(contentType: string, ...bytes: Signature['bytes']): Signature {
  return { contentType, isInline: true, bytes };
}

function attachment(contentType: string, ...bytes: Signature['bytes']): Signature {
  return { contentType, isInline: false, bytes };
}
