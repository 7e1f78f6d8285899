import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The bundle has the thread as a file beside the program's own. From source there is none: the gateway does without it. */
export function writeThreadOf(program: string): URL | undefined {
  const file = realpathSync(program);
  if (file.endsWith('.ts')) return undefined;
  return pathToFileURL(join(dirname(file), '..', 'dist', 'write-thread.js'));
}
