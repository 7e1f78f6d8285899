import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, extname } from 'node:path';

/** An editor writes a file in several steps. */
const settleMs = 100;
/** More folders than that would be no agents' own. */
const mostFolders = 200;
const watched = new Set(['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx', '.json']);

export interface AgentWatcherOptions {
  /** Loads everything anew and answers what is wrong with it. */
  reload: () => Promise<readonly unknown[]>;
  log: { info(details: object, message: string): void };
}

/** For whoever writes agents: watches the folders that their files were loaded from, and loads them again on a change. */
export class AgentWatcher {
  readonly #options: AgentWatcherOptions;
  readonly #folders = new Map<string, FSWatcher>();
  #settling: NodeJS.Timeout | undefined;

  constructor(options: AgentWatcherOptions) {
    this.#options = options;
  }

  /** A file that was loaded. */
  see(file: string): void {
    const folder = dirname(file);
    if (this.#folders.has(folder) || this.#folders.size >= mostFolders) return;
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (name !== null && watched.has(extname(name))) this.#changed(basename(name));
    });
    // A folder that goes away is seen no more; the gateway goes on.
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
    const faults = await this.#options.reload();
    if (faults.length > 0) return;
    this.#options.log.info(
      { file },
      'Agents loaded again; runs under way keep the ones that they began with',
    );
  }

  #forget(folder: string): void {
    this.#folders.get(folder)?.close();
    this.#folders.delete(folder);
  }
}
