import { isManagerPath } from '../../lib/manager-path.ts';

/** Folders of the page itself and of the scripts of custom nodes. ComfyUI serves them from disk, so no code answers there. */
const staticFolders = new Set([
  'assets',
  'extensions',
  'templates',
  'scripts',
  'lib',
  'types',
  'fonts',
  'cursor',
  'docs',
  'images',
  'locales',
]);
const rootFile = /^[\w@-][\w.@-]*\.(?:css|js|mjs|json|webmanifest|html|ico|png|svg|webp|woff2?|ttf|txt)$/;
/** The build of the page puts a hash of the content into these names. */
const hashedName = /^\/assets\/.*-[\w-]{8}\.[a-z0-9]+$/;
const maxPathLength = 1_000;

/**
 * Returns the path to ask a worker for, or null for one that is not passed on: calls of ComfyUI and of custom nodes, unless an
 * administrator has listed them, and everything of ComfyUI-Manager. It is written again from its parts, so that the worker reads it as
 * it was checked here.
 */
export function workerPathOf(address: string, listed: readonly string[]): string | null {
  const [path = '', query] = address.split('?', 2);
  const parts = partsOf(path);
  if (!parts || isManagerPath(parts)) return null;
  const [first = ''] = parts;
  const isStatic = parts.length === 1 ? rootFile.test(first) : staticFolders.has(first);
  if (isStatic) return written(parts);
  // The page puts /api before the calls of custom nodes, and ComfyUI takes both.
  const called = written(first === 'api' ? parts.slice(1) : parts);
  const isListed = listed.some((base) => called === base || called.startsWith(`${base}/`));
  if (!isListed) return null;
  return query === undefined ? called : `${called}?${query}`;
}

/** True for a file whose name changes with its content, so that browsers keep it. */
export function isKeptForever(path: string): boolean {
  return hashedName.test(path);
}

function written(parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

function partsOf(path: string): string[] | null {
  if (!path.startsWith('/') || path.length > maxPathLength) return null;
  try {
    const parts = path.slice(1).split('/').map(decodeURIComponent);
    return parts.every(isPlain) ? parts : null;
  } catch {
    return null; // It is not encoded as addresses are.
  }
}

function isPlain(part: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  return part !== '' && part !== '.' && part !== '..' && !/[/\\\u0000-\u001f\u007f]/.test(part);
}
