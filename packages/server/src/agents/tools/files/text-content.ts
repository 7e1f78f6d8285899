import { isUtf8 } from 'node:buffer';

/** How much of the beginning tells text from bytes. */
const headBytes = 8_192;

/** As far as its beginning tells; nothing that is shown as text must be without faults. */
export function isText(bytes: Uint8Array): boolean {
  return !bytes.subarray(0, headBytes).includes(0);
}

/** What can be read, changed and written again without changing anything else. */
export function isExactText(bytes: Uint8Array): boolean {
  return !bytes.includes(0) && isUtf8(bytes);
}

/** Without half of a character at its end. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}

/** No half of a character at the cut. */
export function cutTo(text: string, length: number): string {
  const cut = text.slice(0, length);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** Of the files that agents write and change, each time as a whole. */
export const largestFileBytes = 8 * 1024 * 1024;
