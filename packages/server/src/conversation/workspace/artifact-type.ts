import { extname } from 'node:path';
import { type ContentType, contentTypeOf } from '../../platform/files/content-type.ts';

/** How much of the beginning tells text from bytes. */
export const headBytes = 8_192;

const plainText = 'text/plain; charset=utf-8';
/** What a browser runs or renders with scripts in it, whatever its bytes are. */
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
/** Written by people, often with some markup in it or at its beginning. */
const writtenText = /\.(md|markdown|mdx|txt|log|rst|py|ts|tsx|jsx|vue|java|c|h|cpp|rs|go|rb|sh|ya?ml|toml)$/i;

/**
 * The type that a file of a thread is served as, and whether a browser may show it: markup never. Other text is plain text,
 * scripts and styles too, and with sniffing off a browser neither runs nor applies them. `head` is the file's beginning.
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
  // The sandbox keeps the browser's own viewer from working, which would leave an empty page.
  return { contentType, isInline: contentType !== 'application/pdf' };
}

function typeOfText(found: ContentType, filename: string): ContentType {
  if (writtenText.test(filename)) return { contentType: plainText, isInline: true };
  if (markup.test(found.contentType)) return { ...found, isInline: false };
  return passiveText.test(found.contentType) ? found : { contentType: plainText, isInline: true };
}
