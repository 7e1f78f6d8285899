import { basename, relative } from 'node:path';

/**
 * How this program is called by who started it, for lines to copy: by its name where the shell found it so, else by the
 * path of its file, as after `npm start` in a clone.
 */
export function commandName(entry: string, cwd: string): string {
  if (!basename(entry).endsWith('.mjs')) return 'switchyard';
  const path = relative(cwd, entry);
  const shown = path.startsWith('..') ? entry : path;
  return /^[\w./@:-]+$/.test(shown) ? shown : 'switchyard';
}
