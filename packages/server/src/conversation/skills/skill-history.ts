import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SkillChange } from '@switchyard/contract/conversation/skill';
import { readTextFile, writeTextFile } from '../user-files/text-file.ts';

const mostChanges = 20;
/** Twenty changes hold forty texts of 128 kB, and JSON writes some characters with six. */
const largestFileBytes = 32 * 1024 * 1024;
/** Of skills that there are and that there were; beyond it the ones that were changed longest ago are forgotten. */
const mostHistories = 500;

/** What happened to the texts of custom skills, also of those that are gone: `<custom>/.history/<name>.json`. */
export class SkillHistory {
  readonly #folder: string;

  constructor(customRoot: string) {
    this.#folder = join(customRoot, '.history');
  }

  /** The oldest first; null for a skill that never changed. */
  async read(name: string): Promise<SkillChange[] | null> {
    const file = await readTextFile(this.#fileOf(name), { maxBytes: largestFileBytes });
    if (file === null || file === 'unchanged') return null;
    const parsed: unknown = JSON.parse(file.text);
    if (!Array.isArray(parsed)) throw new Error('The history of a skill holds something else than a list.');
    return parsed as SkillChange[];
  }

  async add(name: string, change: SkillChange): Promise<void> {
    const before = await this.read(name);
    if (before === null) await this.#makeRoom();
    const changes = [...(before ?? []), change].slice(-mostChanges);
    await writeTextFile(this.#fileOf(name), `${JSON.stringify(changes)}\n`);
  }

  async #makeRoom(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    const histories = names.filter((name) => name.endsWith('.json'));
    if (histories.length < mostHistories) return;
    const files = await Promise.all(
      histories.map(async (name) => {
        const path = join(this.#folder, name);
        return { path, modifiedMs: (await stat(path)).mtimeMs };
      }),
    );
    files.sort((a, b) => a.modifiedMs - b.modifiedMs);
    for (const { path } of files.slice(0, files.length - mostHistories + 1)) await rm(path, { force: true });
  }

  #fileOf(name: string): string {
    return join(this.#folder, `${name}.json`);
  }
}
