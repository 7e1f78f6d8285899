import { basename, relative } from 'node:path';

/**
 * The command with which the user started this program, for lines to copy: its name when the shell found it by name,
 * otherwise the path of its file, as after `npm start` in a clone.
 */
export function commandName(entry: string, cwd: string): string {
  if (!basename(entry).endsWith('.mjs')) return 'switchyard';
  const path = relative(cwd, entry);
  const shown = path.startsWith('..') ? entry : path;
  return /^[\w./@:-]+$/.test(shown) ? shown : 'switchyard';
}
