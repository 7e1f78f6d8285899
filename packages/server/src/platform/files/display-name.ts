import { isWindowsDevice } from './safe-path.ts';

const longestNameBytes = 255;
const longestExtensionBytes = 16;

/** Controls, and the marks that turn the direction of text: `gpj.exe` must not be shown as `exe.jpg`. */
const invisible = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const notForWindows = /[<>:"|?*]/g;

/**
 * What a file from outside is called towards people: in lists, in links and in the download dialogue. Never a path on our
 * disk, and a name that every system can save.
 */
export function safeDisplayName(untrusted: string, fallback = 'file'): string {
  const cleaned = untrusted
    .split(/[\\/]/)
    .at(-1)
    ?.normalize('NFC')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(invisible, '')
    .replace(notForWindows, '_')
    .replace(/^ +|[. ]+$/g, '');
  if (!cleaned || /^\.*$/.test(cleaned)) return fallback;
  return shortened(isWindowsDevice(cleaned) ? `_${cleaned}` : cleaned);
}

/** Keeps the extension, and cuts between characters. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= longestNameBytes) return name;
  const dot = name.lastIndexOf('.');
  const extension =
    dot > 0 && Buffer.byteLength(name.slice(dot)) <= longestExtensionBytes ? name.slice(dot) : '';
  const stem = extension ? name.slice(0, dot) : name;
  return cutAt(stem, longestNameBytes - Buffer.byteLength(extension)).replace(/[. ]+$/, '') + extension;
}

function cutAt(text: string, mostBytes: number): string {
  let cut = '';
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > mostBytes) break;
    cut += character;
  }
  return cut;
}
