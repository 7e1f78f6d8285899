import type { PromptTuple } from './prompt-queue.ts';

export interface HistoryEntry {
  prompt: PromptTuple;
  outputs: Record<string, unknown>;
  status: { status_str: 'success' | 'error'; completed: boolean; messages: [event: string, data: unknown][] };
  meta: Record<string, unknown>;
}

/** The finished prompts, oldest first, limited in number and bytes. A repeated prompt id replaces its entry. */
export class History {
  readonly #entries = new Map<string, { entry: HistoryEntry; sizeBytes: number }>();
  readonly #limits: { maxHistoryEntries: number; maxHistoryBytes: number };
  #sizeBytes = 0;

  constructor(limits: { maxHistoryEntries: number; maxHistoryBytes: number }) {
    this.#limits = limits;
  }

  add(promptId: string, entry: HistoryEntry): void {
    this.delete(promptId);
    const sizeBytes = JSON.stringify(entry).length;
    this.#entries.set(promptId, { entry, sizeBytes });
    this.#sizeBytes += sizeBytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size === 1 || this.#isWithinLimits()) break;
      this.delete(oldest);
    }
  }

  get(promptId: string): Record<string, HistoryEntry> {
    const found = this.#entries.get(promptId);
    return found === undefined ? {} : Object.fromEntries([[promptId, found.entry]]);
  }

  /** Without an offset it returns the last entries. */
  list({
    maxItems,
    offset,
  }: {
    maxItems: number | undefined;
    offset: number | undefined;
  }): Record<string, HistoryEntry> {
    const count = this.#entries.size;
    const start = offset !== undefined && offset >= 0 ? offset : Math.max(0, count - (maxItems ?? count));
    const page = [...this.#entries].slice(
      start,
      maxItems === undefined ? undefined : start + Math.max(1, maxItems),
    );
    return Object.fromEntries(page.map(([id, { entry }]) => [id, entry]));
  }

  delete(promptId: string): void {
    this.#sizeBytes -= this.#entries.get(promptId)?.sizeBytes ?? 0;
    this.#entries.delete(promptId);
  }

  clear(): void {
    this.#entries.clear();
    this.#sizeBytes = 0;
  }

  #isWithinLimits(): boolean {
    return (
      this.#entries.size <= this.#limits.maxHistoryEntries && this.#sizeBytes <= this.#limits.maxHistoryBytes
    );
  }
}
