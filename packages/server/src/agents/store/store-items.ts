import type { StoreItem } from '@switchyard/contract/conversation/store-item';
import type { Fault } from '@switchyard/contract/errors';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import { minuteMs } from '../../lib/time-units.ts';
import { matches, type StoreFilter, unknownOperator } from './store-filter.ts';
import type { ItemPlace, StoreItemStore } from './store-item-store.ts';
import type { ItemIndex, StoreMeanings } from './store-meanings.ts';
import type { StoreItemRow } from './tables.ts';

export interface ItemSearch {
  prefix: readonly string[];
  filter?: StoreFilter;
  limit: number;
  offset: number;
  /** Ranks what is found by its meaning, where the store has an index of meanings. */
  query?: string | undefined;
}

/** An item that a search has found. */
export type FoundItem = StoreItem & { score?: number };

export interface NamespaceSearch {
  /** `*` stands for any one label. */
  prefix: readonly string[];
  suffix: readonly string[];
  maxDepth?: number | undefined;
  limit: number;
  offset: number;
}

export const storeLimits = {
  labels: 20,
  labelCharacters: 128,
  keyCharacters: 512,
  valueBytes: 100_000,
  itemsPerUser: 20_000,
  ttlMinutes: 5_256_000,
};

/** Number of rows that a search reads at once while it looks for items that match its filter. */
const batchSize = 100;

/** Items that agents and clients keep between conversations: JSON values under namespaces, separate for each user. */
export class StoreItems {
  readonly #store: StoreItemStore;
  readonly #clock: Clock;
  readonly #meanings: StoreMeanings | null;

  constructor({
    store,
    clock,
    meanings = null,
  }: {
    store: StoreItemStore;
    clock: Clock;
    /** The index of meanings; without one every search is by namespace and filter alone. */
    meanings?: StoreMeanings | null;
  }) {
    this.#store = store;
    this.#clock = clock;
    this.#meanings = meanings;
  }

  /** Returns whether items can be found by their meaning. */
  get hasMeanings(): boolean {
    return this.#meanings !== null;
  }

  /** Reading restarts the item's time to live, unless the caller refuses that. */
  async get(
    owner: Owner,
    namespace: readonly string[],
    { key, refreshTtl = true }: { key: string; refreshTtl?: boolean },
  ): Promise<StoreItem | null> {
    const name = { namespace: joined(namespace), key };
    const row = await this.#store.get(owner, name, toIso(this.#clock()));
    if (!row) return null;
    if (refreshTtl && row.ttl_minutes !== null) {
      await this.#store.setExpiry(owner, name, this.#expiry(row.ttl_minutes));
    }
    return itemOf(row);
  }

  async put(
    owner: Owner,
    namespace: readonly string[],
    item: { key: string; value: Record<string, unknown>; ttlMinutes?: number | null; index?: ItemIndex },
  ): Promise<void> {
    const { key, ttlMinutes = null, index = null } = item;
    const name = checkedNamespace(namespace);
    if (key.length === 0 || key.length > storeLimits.keyCharacters) {
      throw invalid(['key'], `A key has 1 to ${storeLimits.keyCharacters} characters`);
    }
    const value = JSON.stringify(item.value);
    if (Buffer.byteLength(value) > storeLimits.valueBytes) {
      throw invalid(['value'], `A value has at most ${storeLimits.valueBytes} bytes of JSON`);
    }
    // Asked before anything is written: an item that could not be found would be worse than a refusal.
    const parts = await this.#meanings?.vectorsOf(item.value, index);
    const at = toIso(this.#clock());
    const expires_at = ttlMinutes === null ? null : this.#expiry(ttlMinutes);
    await this.#store.put(
      owner,
      { namespace: name, key, value, created_at: at, updated_at: at, expires_at, ttl_minutes: ttlMinutes },
      {
        max: storeLimits.itemsPerUser,
        vectors: this.#meanings && parts ? { model: this.#meanings.model, parts } : null,
      },
    );
  }

  async delete(owner: Owner, namespace: readonly string[], key: string): Promise<void> {
    await this.#store.delete(owner, { namespace: joined(namespace), key });
  }

  /** Ordered by namespace and key; with a query the nearest first, each with its score. */
  async search(owner: Owner, search: ItemSearch): Promise<FoundItem[]> {
    const { prefix, filter = {}, limit, offset, query } = search;
    const unknown = unknownOperator(filter);
    if (unknown !== undefined) throw invalid(['filter'], `There is no operator ${unknown}`);
    if (query && this.#meanings) return this.#nearest(owner, this.#meanings, { ...search, query, filter });
    const found: StoreItem[] = [];
    let toSkip = offset;
    for await (const item of this.#below(owner, joined(prefix))) {
      if (!matches(item.value, filter)) continue;
      if (toSkip-- > 0) continue;
      found.push(item);
      if (found.length === limit) break;
    }
    return found;
  }

  async namespaces(owner: Owner, search: NamespaceSearch): Promise<string[][]> {
    const { prefix, suffix, maxDepth, limit, offset } = search;
    const all = await this.#store.namespaces(owner, toIso(this.#clock()));
    const fitting = all
      .map((namespace) => namespace.split('.'))
      .filter((labels) => fits(labels.slice(0, prefix.length), prefix))
      .filter((labels) => suffix.length === 0 || fits(labels.slice(-suffix.length), suffix));
    const cut = new Set(fitting.map((labels) => joined(labels.slice(0, maxDepth ?? labels.length))));
    return [...cut].slice(offset, offset + limit).map((namespace) => namespace.split('.'));
  }

  /** Called regularly; removes expired items. */
  async sweep(): Promise<void> {
    await this.#store.deleteExpired(toIso(this.#clock()));
  }

  async #nearest(
    owner: Owner,
    meanings: StoreMeanings,
    search: ItemSearch & { query: string; filter: StoreFilter },
  ): Promise<FoundItem[]> {
    const now = toIso(this.#clock());
    const ranked = await meanings.nearest(owner, { ...search, prefix: joined(search.prefix), now });
    const found: FoundItem[] = [];
    for (const { namespace, key, score } of ranked) {
      const row = await this.#store.get(owner, { namespace, key }, now);
      if (row) found.push({ ...itemOf(row), score });
    }
    return found;
  }

  async *#below(owner: Owner, prefix: string): AsyncGenerator<StoreItem> {
    const now = toIso(this.#clock());
    let after: ItemPlace = null;
    for (;;) {
      const rows: StoreItemRow[] = await this.#store.page(owner, { prefix, after, limit: batchSize, now });
      for (const row of rows) yield itemOf(row);
      const last = rows.at(-1);
      if (!last || rows.length < batchSize) return;
      after = last;
    }
  }

  #expiry(ttlMinutes: number): string {
    return toIso(this.#clock() + ttlMinutes * minuteMs);
  }
}

function checkedNamespace(labels: readonly string[]): string {
  if (labels.length === 0) throw invalid(['namespace'], 'A namespace has at least one label');
  if (labels.length > storeLimits.labels) {
    throw invalid(['namespace'], `A namespace has at most ${storeLimits.labels} labels`);
  }
  for (const [index, label] of labels.entries()) {
    if (label === '') throw invalid(['namespace', index], 'A label may not be empty');
    if (label.includes('.')) throw invalid(['namespace', index], 'A label may not contain a dot');
    if (label.length > storeLimits.labelCharacters) {
      throw invalid(['namespace', index], `A label has at most ${storeLimits.labelCharacters} characters`);
    }
  }
  if (labels[0] === 'langgraph') throw invalid(['namespace', 0], 'The first label may not be "langgraph"');
  return joined(labels);
}

function joined(labels: readonly string[]): string {
  return labels.join('.');
}

function fits(labels: readonly string[], pattern: readonly string[]): boolean {
  if (labels.length !== pattern.length) return false;
  return pattern.every((wanted, index) => wanted === '*' || wanted === labels[index]);
}

function itemOf({ namespace, key, value, created_at, updated_at }: StoreItemRow): StoreItem {
  const parsed = JSON.parse(value) as Record<string, unknown>;
  return { namespace: namespace.split('.'), key, value: parsed, created_at, updated_at };
}

function invalid(path: Fault['path'], message: string): AppError {
  return new AppError('validation_failed', {
    message,
    faults: [{ in: 'body', path, message: `Value error, ${message}`, type: 'value_error' }],
  });
}
