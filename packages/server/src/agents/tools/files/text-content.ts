import { isUtf8 } from 'node:buffer';

/** Bytes at the beginning that decide whether a file is text. */
const headBytes = 8_192;

/** Checks only the beginning, because text that is only shown may contain faults. */
export function isText(bytes: Uint8Array): boolean {
  return !bytes.subarray(0, headBytes).includes(0);
}

/** Returns whether the bytes can be read as text, changed and written again without changing anything else. */
export function isExactText(bytes: Uint8Array): boolean {
  return !bytes.includes(0) && isUtf8(bytes);
}

/** Leaves out an incomplete character at the end. */
export function decodedText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}

/** Never cuts within a character. */
export function cutTo(text: string, length: number): string {
  const cut = text.slice(0, length);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** Limit of the files that agents write and change, because each is held as a whole. */
export const maxFileBytes = 8 * 1024 * 1024;
