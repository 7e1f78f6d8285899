import { wellFormed } from '../../lib/storable-text.ts';

/**
 * Returns the header that says whether a browser shows or saves a file, and under which name: an ASCII name for old
 * readers and the true one in UTF-8 (RFC 6266). Pass it a name from `safeDisplayName`.
 */
export function contentDisposition(type: 'inline' | 'attachment', filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  return `${type}; filename="${ascii}"; filename*=UTF-8''${encoded(filename)}`;
}

/** encodeURIComponent does not encode four characters that RFC 8187 does not allow. */
function encoded(text: string): string {
  const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(wellFormed(text)).replace(/['()*]/g, percent);
}
