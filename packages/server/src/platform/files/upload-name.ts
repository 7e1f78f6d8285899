import { parse } from 'node:path/posix';
import { isDraftName } from './draft-file.ts';
import { safeSegments } from './safe-path.ts';

const maxNameBytes = 255;
const maxExtensionLength = 20;

/**
 * Returns the name of an upload on disk: the last part of the name that was sent, unchanged. Returns null when it is no
 * valid name, means something else on another system (`a:b`, `con.txt`, `x.`), hides a path behind an encoding, or is
 * one of our own names.
 */
export function uploadName(given: string): string | null {
  const name = given.slice(given.lastIndexOf('/') + 1);
  if (isDraftName(name)) return null;
  try {
    safeSegments(name);
    return name;
  } catch {
    return null;
  }
}

/** Returns the first of `cat_1.png`, `cat_2.png`, … that is not taken. */
export function numberedName(name: string, isTaken: (name: string) => boolean): string {
  const { stem, extension } = partsOf(name);
  for (let number = 1; ; number += 1) {
    const suffix = `_${number}${extension}`;
    const candidate = cutTo(stem, maxNameBytes - Buffer.byteLength(suffix)) + suffix;
    if (!isTaken(candidate)) return candidate;
  }
}

/** A very long ending after the last dot is not an extension. */
function partsOf(whole: string): { stem: string; extension: string } {
  const { name, ext } = parse(whole);
  return ext.length > maxExtensionLength ? { stem: whole, extension: '' } : { stem: name, extension: ext };
}

function cutTo(text: string, maxBytes: number): string {
  let cut = text;
  while (Buffer.byteLength(cut) > maxBytes) cut = [...cut].slice(0, -1).join('');
  return cut;
}
