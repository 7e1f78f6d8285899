import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SkillChange } from '@switchyard/contract/conversation/skill';
import { readTextFile, writeTextFile } from '../user-files/text-file.ts';

const maxChanges = 20;
/** Twenty changes hold forty texts of 128 kB, and JSON writes some characters with six. */
const maxFileBytes = 32 * 1024 * 1024;
/** Counts existing and deleted skills. Beyond it the histories that changed longest ago are removed. */
const maxHistories = 500;

/** The changes of the texts of custom skills, deleted ones included: `<custom>/.history/<name>.json`. */
export class SkillHistory {
  readonly #folder: string;

  constructor(customRoot: string) {
    this.#folder = join(customRoot, '.history');
  }

  /** Oldest first; null for a skill that was never changed. */
  async read(name: string): Promise<SkillChange[] | null> {
    const file = await readTextFile(this.#fileOf(name), { maxBytes: maxFileBytes });
    if (file === null || file === 'unchanged') return null;
    const parsed: unknown = JSON.parse(file.text);
    if (!Array.isArray(parsed)) throw new Error('The history of a skill holds something else than a list.');
    return parsed as SkillChange[];
  }

  async add(name: string, change: SkillChange): Promise<void> {
    const before = await this.read(name);
    if (before === null) await this.#makeRoom();
    const changes = [...(before ?? []), change].slice(-maxChanges);
    await writeTextFile(this.#fileOf(name), `${JSON.stringify(changes)}\n`);
  }

  async #makeRoom(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    const histories = names.filter((name) => name.endsWith('.json'));
    if (histories.length < maxHistories) return;
    const files = await Promise.all(
      histories.map(async (name) => {
        const path = join(this.#folder, name);
        return { path, modifiedMs: (await stat(path)).mtimeMs };
      }),
    );
    files.sort((a, b) => a.modifiedMs - b.modifiedMs);
    for (const { path } of files.slice(0, files.length - maxHistories + 1)) await rm(path, { force: true });
  }

  #fileOf(name: string): string {
    return join(this.#folder, `${name}.json`);
  }
}
