import { modelHashOf } from '../graphs/fingerprint.ts';
import { OrderedList } from './ordered-list.ts';
import { goesBefore, type PendingEntry } from './pending-entry.ts';

type EntryList = OrderedList<PendingEntry>;

/**
 * One owner's waiting tasks in the order in which they go, and again grouped by the models and graphs that a worker may have loaded.
 */
export class PendingLine {
  readonly all: EntryList = new OrderedList(goesBefore);
  readonly #byGraph = new Map<string, EntryList>();
  readonly #byModels = new Map<string, EntryList>();

  get first(): PendingEntry | null {
    return this.all.first;
  }

  firstWithGraph(fingerprint: string): PendingEntry | null {
    return this.#byGraph.get(fingerprint)?.first ?? null;
  }

  firstWithModels(modelHash: string): PendingEntry | null {
    return this.#byModels.get(modelHash)?.first ?? null;
  }

  add(entry: PendingEntry): void {
    const { fingerprint } = entry.task;
    const models = modelHashOf(fingerprint);
    this.all.add(entry);
    listIn(this.#byGraph, fingerprint).add(entry);
    if (models !== null) listIn(this.#byModels, models).add(entry);
  }

  /** The entry must be in the line. */
  remove(entry: PendingEntry): void {
    const { fingerprint } = entry.task;
    const models = modelHashOf(fingerprint);
    this.all.remove(entry);
    removeFrom(this.#byGraph, fingerprint, entry);
    if (models !== null) removeFrom(this.#byModels, models, entry);
  }
}

function listIn(lists: Map<string, EntryList>, key: string): EntryList {
  let list = lists.get(key);
  if (!list) {
    list = new OrderedList(goesBefore);
    lists.set(key, list);
  }
  return list;
}

function removeFrom(lists: Map<string, EntryList>, key: string, entry: PendingEntry): void {
  const list = lists.get(key);
  list?.remove(entry);
  if (list?.size === 0) lists.delete(key);
}
