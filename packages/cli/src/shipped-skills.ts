import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The skills of this package lie in `skills`, beside the folder of the program: `bin` where it is installed, `src` from source. */
export function shippedSkillsOf(program: string): string {
  return join(dirname(realpathSync(program)), '..', 'skills');
}
