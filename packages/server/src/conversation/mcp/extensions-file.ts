import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ChangeLock } from '../../platform/ownership/change-lock.ts';
import { readTextFile, writeTextFile } from '../user-files/text-file.ts';

/** The settings that administrators make over the API: `<home>/extensions_config.json`. Unknown keys are kept. */
export interface Extensions extends Record<string, unknown> {
  mcpServers?: unknown;
  skills?: unknown;
}

const maxFileBytes = 8 * 1024 * 1024;

export class ExtensionsFile {
  readonly #path: string;
  readonly #changes: ChangeLock;

  constructor(home: string, changes = new ChangeLock(null)) {
    this.#path = join(home, 'extensions_config.json');
    this.#changes = changes;
  }

  async read(): Promise<Extensions> {
    const file = await readTextFile(this.#path, { maxBytes: maxFileBytes });
    if (file === null || file === 'unchanged') return {};
    const parsed: unknown = JSON.parse(file.text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Extensions;
    throw new Error('extensions_config.json holds something else than an object. Correct or remove it.');
  }

  /**
   * Identifies the content of the file. Another replica may have changed it, and opening it shows the newest version on
   * a network folder as well.
   */
  async version(): Promise<string> {
    try {
      const file = await open(this.#path, 'r');
      try {
        const { ino, size, mtimeNs } = await file.stat({ bigint: true });
        return `${ino} ${size} ${mtimeNs}`;
      } finally {
        await file.close();
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'none';
      throw error;
    }
  }

  /** Changes happen one after the other, so that none is lost. */
  async change(change: (extensions: Extensions) => Extensions): Promise<void> {
    await this.#changes.run('extensions', async () => {
      const changed = change(await this.read());
      await writeTextFile(this.#path, `${JSON.stringify(changed, null, 2)}\n`);
    });
  }
}
