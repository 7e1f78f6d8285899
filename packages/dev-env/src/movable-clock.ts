import { chmodSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** For tests that set the clock of a process: a title and whether to skip them. In CI they fail instead. */
export function testMovableClock(title: string): { title: string; isSkipped: boolean } {
  if (findLibrary() !== undefined) return { title, isSkipped: false };
  const reason = 'no libfaketime; scripts/install-services.sh brings it';
  return { title: `${title} (${reason})`, isSkipped: process.env.CI !== 'true' };
}

/**
 * The clock of one process, which can be set while it runs, as that of a computer can. The time of its timers and of files on the
 * disk stays as it is.
 */
export class MovableClock {
  /** The environment in which the process is started. */
  readonly env: Record<string, string>;
  readonly #file: string;

  /** The folder exists, and is kept for as long as the process runs. */
  constructor(folder: string) {
    const library = findLibrary();
    if (library === undefined)
      throw new Error('libfaketime is needed here; scripts/install-services.sh brings it.');
    this.#file = join(folder, 'clock');
    // A server that runs under an account of its own reads it as well.
    chmodSync(folder, 0o755);
    this.env = {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
    this.set('+0');
  }

  /** Such as `+3d` or `-2h` from the true time. The process notices within a second or two. */
  set(offset: string): void {
    writeFileSync(`${this.#file}.new`, `${offset}\n`);
    // The process must never read half of it.
    renameSync(`${this.#file}.new`, this.#file);
  }
}

/** Debian keeps it in the folder of the machine's architecture. */
function findLibrary(): string | undefined {
  const name = 'libfaketimeMT.so.1';
  return readdirIfThere('/usr/lib')
    .filter((folder) => folder.endsWith('-linux-gnu'))
    .map((folder) => join('/usr/lib', folder, 'faketime'))
    .filter((folder) => readdirIfThere(folder).includes(name))
    .map((folder) => join(folder, name))[0];
}

function readdirIfThere(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
