import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { hourMs } from '../../lib/time-units.ts';

/** The rest of an interrupted install or deletion is removed when it is this old. */
const oldMs = hourMs;

/** A folder beside the skills, on the same disk, so that a skill can be moved into place or out of it in one step. */
export class SkillStaging {
  readonly #folder: string;
  readonly #clock: Clock;

  constructor(customRoot: string, clock: Clock) {
    this.#clock = clock;
    this.#folder = join(customRoot, '.staging');
  }

  /** Returns an empty folder to fill, and to move or drop afterwards. */
  async open(): Promise<string> {
    await this.#sweep();
    const folder = join(this.#folder, newId());
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  async drop(folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true });
  }

  /** Takes a folder out of sight at once, whatever it holds. */
  async remove(folder: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const gone = join(this.#folder, newId());
    await rename(folder, gone);
    await this.drop(gone);
  }

  async #sweep(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const path = join(this.#folder, name);
      const stats = await stat(path).catch(() => null);
      if (stats && this.#clock() - stats.mtimeMs > oldMs) await this.drop(path);
    }
  }
}
