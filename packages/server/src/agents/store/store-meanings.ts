import { isRecord } from '@switchyard/contract/is-record';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import type { StoreIndex } from './embedder.ts';
import { indexedTexts, indexLimits } from './indexed-texts.ts';
import type { ItemKey } from './item-rows-store.ts';
import { matches, type StoreFilter } from './store-filter.ts';
import type { StoreVectorStore, VectorPage } from './store-vector-store.ts';
import { bytesOf, cosine, vectorOf } from './vector.ts';

/** The fields of an item that the index takes: the usual ones (null), other ones, or none. */
export type ItemIndex = false | readonly string[] | null;

export interface Nearest {
  prefix: string;
  query: string;
  filter: StoreFilter;
  limit: number;
  offset: number;
  now: string;
}

export interface RankedItem extends ItemKey {
  score: number;
}

/** Vectors that one search compares. Each takes a few microseconds, and between pages the gateway does other work. */
export const maxCompared = 20_000;
const pageSize = 200;

/** Finds items by their meaning: compares the vector of a query with those of all items below a namespace. */
export class StoreMeanings {
  readonly #index: StoreIndex;
  readonly #store: Pick<StoreVectorStore, 'page'>;

  constructor(index: StoreIndex, store: Pick<StoreVectorStore, 'page'>) {
    this.#index = index;
    this.#store = store;
  }

  get model(): string {
    return this.#index.embedder.model;
  }

  /** Returns the vectors that are kept with an item. */
  async vectorsOf(
    value: Record<string, unknown>,
    index: ItemIndex,
  ): Promise<{ part: number; vector: Uint8Array }[]> {
    if (index === false) return [];
    const { texts, isTooMany } = indexedTexts(value, index ?? this.#index.fields);
    if (isTooMany) throw invalid('index', `The fields to index hold more than ${indexLimits.texts} texts`);
    if (texts.length === 0) return [];
    const vectors = await this.#index.embedder.embed(texts.map(({ text }) => text));
    return texts.map(({ part }, at) => ({ part, vector: bytesOf(vectors[at] ?? new Float32Array()) }));
  }

  /** Returns the items that are nearest to the query, the nearest first. An item is as near as its nearest part. */
  async nearest(owner: Owner, { query, filter, limit, offset, ...where }: Nearest): Promise<RankedItem[]> {
    const text = query.slice(0, indexLimits.textCharacters);
    const [wanted = new Float32Array()] = await this.#index.embedder.embed([text]);
    const best = new Map<string, RankedItem>();
    for await (const { namespace, key, vector, value } of this.#vectors(owner, where)) {
      if (!fits(value, filter)) continue;
      const score = cosine(wanted, vectorOf(vector));
      const name = JSON.stringify([namespace, key]);
      if (score > (best.get(name)?.score ?? Number.NEGATIVE_INFINITY))
        best.set(name, { namespace, key, score });
    }
    return [...best.values()].sort((one, other) => other.score - one.score).slice(offset, offset + limit);
  }

  async *#vectors(owner: Owner, { prefix, now }: Pick<Nearest, 'prefix' | 'now'>) {
    let after: VectorPage['after'] = null;
    for (let compared = 0; ; compared += pageSize) {
      if (compared >= maxCompared) {
        throw invalid(
          'namespace_prefix',
          `More than ${maxCompared} texts are below this namespace; name a narrower one`,
        );
      }
      const page = { model: this.model, prefix, after, limit: pageSize, now };
      const rows: Awaited<ReturnType<StoreVectorStore['page']>> = await this.#store.page(owner, page);
      yield* rows;
      const last = rows.at(-1);
      if (!last || rows.length < pageSize) return;
      after = last;
    }
  }
}

function fits(value: string, filter: StoreFilter): boolean {
  if (Object.keys(filter).length === 0) return true;
  const parsed: unknown = JSON.parse(value);
  return isRecord(parsed) && matches(parsed, filter);
}

function invalid(field: string, message: string): AppError {
  return new AppError('validation_failed', {
    message,
    faults: [{ in: 'body', path: [field], message: `Value error, ${message}`, type: 'value_error' }],
  });
}
