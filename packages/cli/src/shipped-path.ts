import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * What comes with the program (`skills`, `examples`) is beside the folder of the program: `bin` when it is installed, `src` when
 * it runs from source.
 */
export function shippedPath(path: string, program = process.argv[1] ?? ''): string {
  return join(dirname(realpathSync(program)), '..', path);
}
