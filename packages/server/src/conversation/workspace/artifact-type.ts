import { extname } from 'node:path';
import { type ContentType, contentTypeOf } from '../../platform/files/content-type.ts';

/** This many bytes from the beginning decide between text and binary. */
export const headBytes = 8_192;

const plainText = 'text/plain; charset=utf-8';
/** Types that a browser runs, or renders with scripts in them, whatever their bytes are. */
const activeNames: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.xhtml': 'application/xhtml+xml',
  '.xht': 'application/xhtml+xml',
  '.svg': 'image/svg+xml',
};
const markup = /^(text\/html|application\/xhtml\+xml|image\/svg\+xml|application\/xml)\b/;
const passiveText = /^(text\/csv|application\/json)\b/;
const anyText = /^(text\/|application\/json\b)/;
/** Files that people write, often with some markup in them. */
const writtenText = /\.(md|markdown|mdx|txt|log|rst|py|ts|tsx|jsx|vue|java|c|h|cpp|rs|go|rb|sh|ya?ml|toml)$/i;

/**
 * The type that a file of a thread is served as, and whether a browser may show it: markup is never shown. Other text is plain
 * text, including scripts and styles; with sniffing off a browser neither runs nor applies them. `head` is the beginning of the
 * file.
 */
export function artifactType(head: Uint8Array, filename: string): ContentType {
  const active = activeNames[extname(filename).toLowerCase()];
  if (active) return { contentType: active, isInline: false };
  const found = contentTypeOf(head.subarray(0, 512), filename);
  const { contentType } = found;
  const isBinary = head.includes(0);
  if (contentType === 'application/octet-stream' || anyText.test(contentType) || markup.test(contentType)) {
    return isBinary
      ? { contentType: 'application/octet-stream', isInline: true }
      : typeOfText(found, filename);
  }
  // The sandbox stops the browser's own viewer, which would show an empty page.
  return { contentType, isInline: contentType !== 'application/pdf' };
}

function typeOfText(found: ContentType, filename: string): ContentType {
  if (writtenText.test(filename)) return { contentType: plainText, isInline: true };
  if (markup.test(found.contentType)) return { ...found, isInline: false };
  return passiveText.test(found.contentType) ? found : { contentType: plainText, isInline: true };
}
