import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The skills of this package are in `skills`, beside the folder of the program: `bin` when it is installed, `src` when
 * it runs from source.
 */
export function shippedSkillsOf(program: string): string {
  return join(dirname(realpathSync(program)), '..', 'skills');
}
