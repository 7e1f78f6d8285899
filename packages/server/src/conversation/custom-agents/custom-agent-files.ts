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
const maxFileBytes = 256 * 1024;

/**
 * Agents as files: `users/<user>/agents/<agent>/config.yaml` and `SOUL.md`. An agent exists when its settings exist: a folder may
 * also hold only a memory.
 */
export class CustomAgentFiles {
  readonly #home: string;

  constructor(home: string) {
    this.#home = resolve(home);
  }

  /** The names of all folders, including those that hold only a memory. */
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

  /** Returns null when there is no such agent. Throws `agent_corrupted`. */
  async read(key: CustomAgentKey): Promise<StoredAgent | null> {
    const file = await readFile(this.#pathOf(key, settingsFile));
    if (file === null) return null;
    const soul = (await readFile(this.#pathOf(key, soulFile)))?.text ?? '';
    return { ...settingsIn(key.name, file.text), soul, changedMs: file.modifiedMs };
  }

  /** Writes the settings last: once they exist, a new agent exists and is complete. */
  async write(key: CustomAgentKey, { soul, ...settings }: CustomAgent): Promise<void> {
    const before = await readFile(this.#pathOf(key, settingsFile));
    await writeTextFile(this.#pathOf(key, soulFile), soul);
    await writeTextFile(this.#pathOf(key, settingsFile), settingsText(settings, before?.text ?? null));
  }

  /** Removes the agent and its memory. The settings go last, so that an interrupted removal can be requested again. */
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
  const file = await readTextFile(path, { maxBytes: maxFileBytes });
  return file === 'unchanged' ? null : file;
}
