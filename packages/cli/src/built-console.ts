import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Returns the folder of the web console that the build has put beside the program. It may not exist. */
export function builtConsoleOf(program: string): string {
  return join(dirname(realpathSync(program)), '../dist/console');
}
