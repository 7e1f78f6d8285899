import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import type { Log } from '../../lib/log.ts';

/** Wait after a change, because an editor writes a file in several steps. */
const settleMs = 100;
/** Agents do not need more folders than this. */
const maxFolders = 200;
const watched = new Set(['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx', '.json']);

/** Loads everything again and returns what is wrong with it. */
type Reload = () => Promise<readonly unknown[]>;

/**
 * Watches the folders from which agents were loaded and loads the agents again on a change. It serves people who write agents.
 */
export class AgentWatcher {
  readonly #log: Pick<Log, 'info'>;
  #reloadAgents: Reload = async () => [];
  readonly #folders = new Map<string, FSWatcher>();
  #settling: NodeJS.Timeout | undefined;

  constructor(log: Pick<Log, 'info'>) {
    this.#log = log;
  }

  /** Registers what to do on a change. */
  onChange(reload: Reload): void {
    this.#reloadAgents = reload;
  }

  /** Watches the folder of a file that was loaded. */
  see(file: string): void {
    const folder = dirname(file);
    if (this.#folders.has(folder) || this.#folders.size >= maxFolders) return;
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (name !== null && watched.has(extname(name))) this.#changed(basename(name));
    });
    // A folder that is removed is no longer watched; the gateway keeps running.
    watcher.on('error', () => this.#forget(folder));
    this.#folders.set(folder, watcher);
  }

  close(): void {
    clearTimeout(this.#settling);
    for (const folder of this.#folders.keys()) this.#forget(folder);
  }

  #changed(file: string): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => void this.#reload(file), settleMs);
  }

  async #reload(file: string): Promise<void> {
    const faults = await this.#reloadAgents();
    if (faults.length > 0) return;
    this.#log.info({ file }, 'Agents loaded again; runs under way keep the ones that they began with');
  }

  #forget(folder: string): void {
    this.#folders.get(folder)?.close();
    this.#folders.delete(folder);
  }
}
