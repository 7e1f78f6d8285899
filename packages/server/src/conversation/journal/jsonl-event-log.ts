import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { nodeDisk } from '../../platform/files/disk.ts';
import type { EventLog, LoggedEvent, ScanRange } from './event-log.ts';
import type { RunKey } from './event-storage.ts';

const safeName = /^[A-Za-z0-9_-]{1,64}$/;
const suffix = '.jsonl';
const newline = 0x0a;

/**
 * One file for each run, with a line for each event: `<home>/users/<user>/threads/<thread>/runs/<run>.jsonl`, and
 * `<home>/threads/<thread>/runs/<run>.jsonl` without a user. A line that a crash has torn is skipped when it is read.
 */
export class JsonlEventLog implements EventLog {
  readonly #home: string;

  constructor({ home }: { home: string }) {
    this.#home = resolve(home);
  }

  /** Resolves when the lines are on the disk. A write that fails leaves the file as it was. */
  async append(run: RunKey, events: readonly LoggedEvent[]): Promise<void> {
    const folder = this.#folder(run.userId, run.threadId);
    const isNew = await makeDirectories(folder);
    const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW = 0 } = constants;
    const file = await open(fileIn(folder, run.runId), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
    try {
      const { size } = await file.stat();
      await appendLines(file, { size, events });
      if (isNew || size === 0) await syncUpTo(folder, this.#home);
    } finally {
      await file.close();
    }
  }

  async *scan({ threadId, scope, runId }: ScanRange): AsyncGenerator<LoggedEvent> {
    const users = scope === null ? await this.#everyUser() : [scope];
    for (const user of users) {
      const folder = this.#folder(user, threadId);
      const names = runId === undefined ? await runFiles(folder) : [`${checked('run', runId)}${suffix}`];
      for (const name of names) {
        for await (const event of readEvents(join(folder, name))) {
          // Two names can mean the same file on a disk that ignores upper and lower case, so the ids in the events decide.
          if (event.thread_id === threadId && event.user_id === user) yield event;
        }
      }
    }
  }

  async replace(run: RunKey, events: readonly LoggedEvent[]): Promise<void> {
    const folder = this.#folder(run.userId, run.threadId);
    const path = fileIn(folder, run.runId);
    if (events.length === 0) {
      await rm(path, { force: true });
      return;
    }
    const draft = `${path}.new`;
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(linesOf(events));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    await nodeDisk.syncDirectory(folder);
  }

  async removeThread(threadId: string): Promise<void> {
    for (const user of await this.#everyUser()) {
      await rm(this.#folder(user, threadId), { recursive: true, force: true });
    }
  }

  /** Null stands for the events that belong to no user. */
  async #everyUser(): Promise<(string | null)[]> {
    const names = await namesIn(join(this.#home, 'users'));
    return [null, ...names.filter((name) => safeName.test(name))];
  }

  #folder(userId: string | null, threadId: string): string {
    const owner = userId === null ? [] : ['users', checked('user', userId)];
    return join(this.#home, ...owner, 'threads', checked('thread', threadId), 'runs');
  }
}

async function appendLines(
  file: FileHandle,
  { size, events }: { size: number; events: readonly LoggedEvent[] },
): Promise<void> {
  const separator = (await endsInLine(file, size)) ? '' : '\n';
  try {
    await file.appendFile(separator + linesOf(events));
    await file.datasync();
  } catch (error) {
    await file.truncate(size).catch(() => undefined); // the caller that gets the error writes the same events again
    throw error;
  }
}

/** False after a crash in the middle of a line: the next line must not become part of it. */
async function endsInLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === newline;
}

function linesOf(events: readonly LoggedEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

async function* readEvents(path: string): AsyncGenerator<LoggedEvent> {
  const file = await openToRead(path);
  if (!file) return;
  try {
    for await (const line of file.readLines()) {
      const event = parseEvent(line);
      if (event) yield event;
    }
  } finally {
    await file.close();
  }
}

async function openToRead(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function parseEvent(line: string): LoggedEvent | undefined {
  try {
    const event = JSON.parse(line) as Partial<LoggedEvent> | null;
    return Number.isSafeInteger(event?.seq) ? (event as LoggedEvent) : undefined;
  } catch {
    return undefined;
  }
}

async function runFiles(folder: string): Promise<string[]> {
  const names = await namesIn(folder);
  return names.filter((name) => name.endsWith(suffix)).sort();
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function makeDirectories(folder: string): Promise<boolean> {
  return (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined;
}

/** After a power cut a new file exists only when its name and those of its folders were written to the disk as well. */
async function syncUpTo(folder: string, home: string): Promise<void> {
  for (let current = folder; current.length >= home.length; current = dirname(current)) {
    await nodeDisk.syncDirectory(current);
  }
}

function fileIn(folder: string, runId: string): string {
  return join(folder, `${checked('run', runId)}${suffix}`);
}

function checked(what: string, name: string): string {
  if (safeName.test(name)) return name;
  throw new Error(`The id of a ${what} becomes the name of a file: at most 64 letters, digits, "_" and "-".`);
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
