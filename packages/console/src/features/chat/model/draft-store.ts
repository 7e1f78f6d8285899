import type { BrowserStorage } from '../../../lib/browser-storage.ts';

/** The message that a person has begun to write, and its files. */
export interface Draft {
  text: string;
  /** Names of files that the thread has already. */
  files: string[];
}

/** Longer texts are not kept: the browser has room for a few megabytes in all. */
const maxTextLength = 200_000;
const maxDrafts = 50;

/** The drafts of one account in this browser, the last changed first. They outlive a reload and the end of a session. */
export class DraftStore {
  readonly #storage: BrowserStorage;
  readonly #key: string;

  constructor(storage: BrowserStorage, accountId: string) {
    this.#storage = storage;
    this.#key = `switchyard.drafts.${accountId}`;
  }

  read(threadId: string): Draft {
    return this.#all().find(([id]) => id === threadId)?.[1] ?? { text: '', files: [] };
  }

  write(threadId: string, { text, files }: Draft): void {
    const others = this.#all().filter(([id]) => id !== threadId);
    const isEmpty = text === '' && files.length === 0;
    const kept: Draft = { text: text.slice(0, maxTextLength), files };
    const next = isEmpty ? others : [[threadId, kept] as const, ...others].slice(0, maxDrafts);
    if (next.length === 0) this.#storage.removeItem(this.#key);
    else this.#storage.setItem(this.#key, JSON.stringify(next));
  }

  #all(): (readonly [string, Draft])[] {
    try {
      const all: unknown = JSON.parse(this.#storage.getItem(this.#key) ?? '[]');
      return Array.isArray(all) ? (all as [string, Draft][]) : [];
    } catch {
      return []; // something else wrote there
    }
  }
}
