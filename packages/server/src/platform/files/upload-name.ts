import { parse } from 'node:path/posix';
import { isDraftName } from './draft-file.ts';
import { safeSegments } from './safe-path.ts';

const longestNameBytes = 255;
const longestExtension = 20;

/**
 * The name of an upload on disk: the last part of what was sent, which stays as it is. Null for what is no name, or is one
 * that means something else on another system (`a:b`, `con.txt`, `x.`), hides a path behind an encoding, or is one of ours.
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

/** `cat_1.png`, `cat_2.png`, …: the first that is not taken. */
export function numberedName(name: string, isTaken: (name: string) => boolean): string {
  const { stem, extension } = partsOf(name);
  for (let number = 1; ; number += 1) {
    const suffix = `_${number}${extension}`;
    const candidate = cutTo(stem, longestNameBytes - Buffer.byteLength(suffix)) + suffix;
    if (!isTaken(candidate)) return candidate;
  }
}

/** What stands behind the last dot of a very long name is no extension. */
function partsOf(whole: string): { stem: string; extension: string } {
  const { name, ext } = parse(whole);
  return ext.length > longestExtension ? { stem: whole, extension: '' } : { stem: name, extension: ext };
}

function cutTo(text: string, mostBytes: number): string {
  let cut = text;
  while (Buffer.byteLength(cut) > mostBytes) cut = [...cut].slice(0, -1).join('');
  return cut;
}
