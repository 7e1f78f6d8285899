import type { FileReference, WorkerFiles } from '../files/worker-files.ts';
import { fileAreas } from '../files/worker-files.ts';
import { isRecord } from './graph.ts';
import type { History } from './history.ts';
import type { OutputCache } from './output-cache.ts';

/**
 * The files of prompts whose outputs were collected. They are deleted when no prompt runs and no uncollected entry of
 * the history names them: an unchanged graph is answered with the files of the prompt before.
 */
export class CollectedOutputs {
  readonly #tools;
  readonly #collected = new Set<string>();
  readonly #waiting = new Map<string, FileReference>();

  constructor(tools: {
    files: Pick<WorkerFiles, 'remove'>;
    history: Pick<History, 'get' | 'list'>;
    cache: Pick<OutputCache, 'dropShowing'>;
    /** A running prompt may show files of earlier prompts from the cache. */
    isRunning: () => boolean;
    log: (line: string) => void;
  }) {
    this.#tools = tools;
  }

  /** Its files are deleted now, or after the running prompt. */
  async discard(promptId: string): Promise<void> {
    const { history, isRunning } = this.#tools;
    const entry = history.get(promptId)[promptId];
    if (entry === undefined) return;
    for (const file of filesIn(entry.outputs)) this.#waiting.set(keyOf(file), file);
    this.#collected.add(promptId);
    if (!isRunning()) await this.sweep();
  }

  /** Called between prompts. */
  async sweep(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const { files, history, cache, log } = this.#tools;
    const entries = history.list({ maxItems: undefined, offset: undefined });
    for (const id of this.#collected) if (!Object.hasOwn(entries, id)) this.#collected.delete(id);
    const uncollected = Object.entries(entries).filter(([id]) => !this.#collected.has(id));
    const named = new Set(uncollected.flatMap(([, { outputs }]) => filesIn(outputs).map(keyOf)));
    const free = [...this.#waiting].filter(([key]) => !named.has(key));
    for (const [key] of free) this.#waiting.delete(key);
    // This comes first, so that a prompt that begins meanwhile makes the files again.
    const keys = new Set(free.map(([key]) => key));
    cache.dropShowing((ui) => filesIn({ node: ui }).some((file) => keys.has(keyOf(file))));
    for (const [, file] of free) {
      await files.remove(file).catch((error: unknown) => {
        log(`The collected file ${file.filename} could not be deleted: ${String(error)}`);
      });
    }
  }
}

function keyOf({ type, subfolder, filename }: FileReference): string {
  return JSON.stringify([type, subfolder, filename]);
}

/** The files that outputs of nodes name, in the folders that the worker writes to. */
function filesIn(outputs: Record<string, unknown>): FileReference[] {
  const lists = Object.values(outputs).flatMap((ui) => (isRecord(ui) ? Object.values(ui) : []));
  return lists.flatMap((list) => (Array.isArray(list) ? list.filter(isWritten) : []));
}

function isWritten(item: unknown): item is FileReference {
  if (!isRecord(item) || typeof item.filename !== 'string' || typeof item.subfolder !== 'string')
    return false;
  return item.type !== 'input' && fileAreas.some((area) => area === item.type);
}
