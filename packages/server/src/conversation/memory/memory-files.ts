import { join, resolve } from 'node:path';
import { type MemoryDocument, memoryDocument } from '@switchyard/contract/conversation/memory';
import { Value } from 'typebox/value';
import { AppError } from '../../lib/app-error.ts';
import { NotOurText, readTextFile, writeTextFile } from '../user-files/text-file.ts';
import { requireFolderName } from '../user-files/user-folder.ts';
import { emptyMemory } from './memory-document.ts';

/** The user, and the agent whose memory it is; null for the lead agent. */
export interface MemoryKey {
  userId: string;
  agent: string | null;
}

interface Kept {
  modifiedMs: number;
  memory: MemoryDocument;
}

const maxFileBytes = 8 * 1024 * 1024;
const maxKept = 1_000;

/** Memories as files: `users/<user>/memory.json` and `users/<user>/agents/<agent>/memory.json`. */
export class MemoryFiles {
  readonly #home: string;
  /** Memories by user and agent. A file that was changed from outside is read again. */
  readonly #kept = new Map<string, Kept>();

  constructor(home: string) {
    this.#home = resolve(home);
  }

  async read(key: MemoryKey): Promise<MemoryDocument> {
    const path = this.#pathOf(key);
    const kept = this.#kept.get(path);
    const file = await readMemory(path, kept?.modifiedMs);
    if (file === 'unchanged' && kept) return kept.memory;
    if (file === null || file === 'unchanged') {
      this.#kept.delete(path);
      return emptyMemory();
    }
    const memory = parsed(file.text);
    this.#keep(path, { modifiedMs: file.modifiedMs, memory });
    return memory;
  }

  async write(key: MemoryKey, memory: MemoryDocument): Promise<void> {
    const path = this.#pathOf(key);
    // The next use reads the file again, because the time of change on the disk is what counts.
    this.#kept.delete(path);
    await writeTextFile(path, `${JSON.stringify(memory, null, 2)}\n`);
  }

  forget(key: MemoryKey): void {
    this.#kept.delete(this.#pathOf(key));
  }

  #keep(path: string, kept: Kept): void {
    const oldest = this.#kept.keys().next();
    if (this.#kept.size >= maxKept && !oldest.done) this.#kept.delete(oldest.value);
    this.#kept.set(path, kept);
  }

  #pathOf({ userId, agent }: MemoryKey): string {
    const user = join(this.#home, 'users', requireFolderName('user', userId));
    if (agent === null) return join(user, 'memory.json');
    return join(user, 'agents', requireFolderName('agent', agent.toLowerCase()), 'memory.json');
  }
}

async function readMemory(path: string, unlessModifiedMs: number | undefined) {
  try {
    return await readTextFile(path, { maxBytes: maxFileBytes, unlessModifiedMs });
  } catch (cause) {
    throw cause instanceof NotOurText ? new AppError('memory_corrupted', { cause }) : cause;
  }
}

/** A broken file never counts as an empty memory, because the next change would overwrite it. */
function parsed(text: string): MemoryDocument {
  const value = jsonOf(text);
  if (Value.Check(memoryDocument, value)) return value;
  throw new AppError('memory_corrupted');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('memory_corrupted', { cause });
  }
}
