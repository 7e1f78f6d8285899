import { wellFormed } from '../../lib/storable-text.ts';
import { isWindowsDevice } from './safe-path.ts';

const maxNameBytes = 255;
const maxExtensionBytes = 16;

/** Control characters, and the marks that change the direction of text: `gpj.exe` must not be shown as `exe.jpg`. */
const invisible = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const notForWindows = /[<>:"|?*]/g;

/**
 * Returns the name under which people see a file from outside: in lists, in links and in the download dialogue. It is
 * never a path on our disk, and every system can save it.
 */
export function safeDisplayName(untrusted: string, fallback = 'file'): string {
  const cleaned = wellFormed(untrusted)
    .split(/[\\/]/)
    .at(-1)
    ?.normalize('NFC')
    .replace(invisible, '')
    .replace(notForWindows, '_')
    .replace(/^ +|[. ]+$/g, '');
  if (!cleaned || /^\.*$/.test(cleaned)) return fallback;
  return shortened(isWindowsDevice(cleaned) ? `_${cleaned}` : cleaned);
}

/** Keeps the extension, and cuts only between characters. */
export function shortened(name: string, maxBytes = maxNameBytes): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const [stem, extension] = nameParts(name);
  return cutAt(stem, maxBytes - Buffer.byteLength(extension)).replace(/[. ]+$/, '') + extension;
}

/** An extension has its dot, and is empty when what follows the last dot is too long for one. */
export function nameParts(name: string): [stem: string, extension: string] {
  const dot = name.lastIndexOf('.');
  const hasExtension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= maxExtensionBytes;
  return hasExtension ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
}

function cutAt(text: string, maxBytes: number): string {
  let cut = '';
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    cut += character;
  }
  return cut;
}
