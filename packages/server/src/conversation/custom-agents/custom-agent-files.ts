import { lstat, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readTextFile, writeTextFile } from '../user-files/text-file.ts';
import { requireFolderName } from '../user-files/user-folder.ts';
import {
  type CustomAgent,
  type CustomAgentKey,
  isKeptName,
  type StoredAgent,
  settingsIn,
  settingsText,
} from './custom-agent.ts';

const settingsFile = 'config.yaml';
const soulFile = 'SOUL.md';
const largestFileBytes = 256 * 1024;

/**
 * Agents as files: `users/<user>/agents/<agent>/config.yaml` and `SOUL.md`. An agent is there when its settings are: a
 * folder may also hold a memory alone.
 */
export class CustomAgentFiles {
  readonly #home: string;

  constructor(home: string) {
    this.#home = resolve(home);
  }

  /** Of all folders, those with a memory alone included. */
  async names(userId: string): Promise<string[]> {
    try {
      const entries = await readdir(this.#agentsOf(userId), { withFileTypes: true });
      const names = entries.filter((entry) => entry.isDirectory() && isKeptName(entry.name));
      return names.map(({ name }) => name).sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  async exists(key: CustomAgentKey): Promise<boolean> {
    try {
      return (await lstat(this.#pathOf(key, settingsFile))).isFile();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  /** Null where there is none. Throws `agent_corrupted`. */
  async read(key: CustomAgentKey): Promise<StoredAgent | null> {
    const file = await readFile(this.#pathOf(key, settingsFile));
    if (file === null) return null;
    const soul = (await readFile(this.#pathOf(key, soulFile)))?.text ?? '';
    return { ...settingsIn(key.name, file.text), soul, changedMs: file.modifiedMs };
  }

  /** The settings last: with them a new agent is there, whole. */
  async write(key: CustomAgentKey, { soul, ...settings }: CustomAgent): Promise<void> {
    const before = await readFile(this.#pathOf(key, settingsFile));
    await writeTextFile(this.#pathOf(key, soulFile), soul);
    await writeTextFile(this.#pathOf(key, settingsFile), settingsText(settings, before?.text ?? null));
  }

  /** With its memory. The settings go last, so that what was interrupted can be asked for again. */
  async remove(key: CustomAgentKey): Promise<void> {
    const folder = this.#folderOf(key);
    const others = (await readdir(folder)).filter((name) => name !== settingsFile);
    for (const name of others) await rm(join(folder, name), { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  }

  #pathOf(key: CustomAgentKey, file: string): string {
    return join(this.#folderOf(key), file);
  }

  #folderOf({ userId, name }: CustomAgentKey): string {
    return join(this.#agentsOf(userId), requireFolderName('agent', name));
  }

  #agentsOf(userId: string): string {
    return join(this.#home, 'users', requireFolderName('user', userId), 'agents');
  }
}

async function readFile(path: string): Promise<{ text: string; modifiedMs: number } | null> {
  const file = await readTextFile(path, { maxBytes: largestFileBytes });
  return file === 'unchanged' ? null : file;
}
