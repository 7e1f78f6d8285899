import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Owner } from '../../lib/owner.ts';
import { userScope } from '../user-scope.ts';
import type { ThreadFilter, ThreadOrder } from './thread-filter.ts';
import type { FoundThreadRow, Position, ThreadSearchStore, Walk } from './thread-search-store.ts';

export interface ThreadPage extends ThreadFilter, ThreadOrder {
  limit: number;
  offset: number;
  /** True when the values of the states are included; they can be large. */
  withValues: boolean;
}

export interface FoundThreads {
  threads: FoundThreadRow[];
  /** Null when no page follows. */
  nextOffset: number | null;
  /** Exact below the ceiling, the ceiling itself from there on, and null when counting would take too long. */
  total: number | null;
  /** Not every thread was looked at: later ones may match too. */
  isPartial: boolean;
}

export interface CountedThreads {
  count: number;
  /** There are at least this many. */
  isMinimum: boolean;
}

interface PageOfIds {
  /** One more than the page holds, when there are more. */
  threadIds: string[];
  total: number | null;
  isPartial?: boolean;
}

/** The way to look: along an index, or among a few threads. */
type Plan = { walk: Walk; among: string[] | null };

export interface SearchLimits {
  /** A list's total is not counted beyond this. */
  countCeiling: number;
  /** A set of up to this size is read completely. */
  smallSet: number;
  /** The number of threads that are looked at in one go, while no other request is served. */
  stepSize: number;
  /** The number of threads that are looked at only for a list's total, once its page is full. */
  lookedForTotal: number;
  /** The number of threads that one search looks at, for page and total together. */
  lookedAt: number;
  /** A page ends early when the values of its threads would be larger than this. */
  pageBytes: number;
}

const defaultLimits: SearchLimits = {
  countCeiling: 10_000,
  smallSet: 1_000,
  stepSize: 500,
  lookedForTotal: 1_000,
  lookedAt: 10_000,
  pageBytes: 32 * 1024 * 1024,
};

/** Lists and counts of a user's own threads. Shared threads are in no list. */
export class ThreadSearch {
  readonly #store: ThreadSearchStore;
  readonly #limits: SearchLimits;

  constructor(store: ThreadSearchStore, limits: Partial<SearchLimits> = {}) {
    this.#store = store;
    this.#limits = { ...defaultLimits, ...limits };
  }

  async page(owner: Owner, page: ThreadPage): Promise<FoundThreads> {
    const userId = requireUser(owner);
    const plan = await this.#plan(userId, page, page);
    const found = plan ? await this.#pageOfIds(plan, page) : { threadIds: [], total: 0 };
    const { threadIds, total, isPartial = false } = found;
    const shown = await this.#withinBytes(threadIds.slice(0, page.limit), page);
    return {
      threads: await this.#store.rows(userId, shown, page),
      total: total && Math.min(total, this.#limits.countCeiling),
      nextOffset: threadIds.length > shown.length ? page.offset + shown.length : null,
      isPartial,
    };
  }

  /** Counts up to the ceiling, among as many threads as one search may look at. */
  async count(owner: Owner, filter: ThreadFilter): Promise<CountedThreads> {
    const plan = await this.#plan(requireUser(owner), filter, { sortBy: 'updated_at', order: 'desc' });
    if (!plan) return { count: 0, isMinimum: false };
    const { countCeiling } = this.#limits;
    if (plan.among) {
      const { length } = await this.#store.matchesAmong(plan.walk, plan.among);
      return { count: length, isMinimum: false };
    }
    if (!isPlain(plan.walk)) return this.#countMatches(plan.walk);
    const count = await this.#store.countUpTo(plan.walk, countCeiling + 1);
    return { count: Math.min(count, countCeiling), isMinimum: count > countCeiling };
  }

  /**
   * Starts with the rarest condition: a small set is read completely, a large one is walked when its index has the requested
   * order. Undefined when a condition holds for no thread.
   */
  async #plan(userId: string, filter: ThreadFilter, order: ThreadOrder): Promise<Plan | undefined> {
    const { conditions, parts, ids, values, title } = filter;
    const along = (start: Walk['start']): Walk => {
      const rest = conditions.filter((condition) => condition !== start);
      return { userId, order, start, rest: { conditions: rest, parts, values, title } };
    };
    if (ids) return { walk: along(null), among: ids };
    const [only] = conditions;
    if (!only) return { walk: along(null), among: null };
    const isOrdered = order.sortBy === 'updated_at';
    const isOnlyCondition = conditions.length + parts.length === 1 && values.length === 0 && title === null;
    if (isOnlyCondition && isOrdered) return { walk: along(only), among: null };

    const byTime: ThreadOrder = { sortBy: 'updated_at', order: 'desc' };
    let [rarest, count] = [only, Number.POSITIVE_INFINITY];
    for (const condition of conditions) {
      const probe: Walk = {
        userId,
        order: byTime,
        start: condition,
        rest: { conditions: [], parts: [], values: [], title: null },
      };
      const found = await this.#store.countUpTo(probe, this.#limits.smallSet + 1);
      if (found === 0) return undefined;
      if (found < count) [rarest, count] = [condition, found];
    }
    const walk = along(rarest);
    if (count > this.#limits.smallSet) return { walk: isOrdered ? walk : along(null), among: null };
    return {
      walk,
      among: await this.#store.ids({ ...walk, order: byTime }, { limit: this.#limits.smallSet, offset: 0 }),
    };
  }

  async #pageOfIds({ walk, among }: Plan, { offset, limit }: ThreadPage): Promise<PageOfIds> {
    const end = offset + limit + 1;
    if (among) {
      const all = await this.#store.matchesAmong(walk, among);
      return { threadIds: all.slice(offset, end), total: all.length };
    }
    if (!isPlain(walk)) return this.#pageOfMatches(walk, { offset, end });
    const threadIds = await this.#store.ids(walk, { limit: limit + 1, offset });
    return { threadIds, total: await this.#store.countUpTo(walk, this.#limits.countCeiling) };
  }

  /** Keeps at least the first thread. */
  async #withinBytes(threadIds: string[], { withValues }: ThreadPage): Promise<string[]> {
    if (!withValues || threadIds.length < 2) return threadIds;
    const bytesOf = await this.#store.valueBytes(threadIds);
    let bytes = 0;
    const end = threadIds.findIndex((threadId, place) => {
      bytes += bytesOf.get(threadId) ?? 0;
      return place > 0 && bytes > this.#limits.pageBytes;
    });
    return end < 0 ? threadIds : threadIds.slice(0, end);
  }

  async #pageOfMatches(walk: Walk, { offset, end }: { offset: number; end: number }): Promise<PageOfIds> {
    const threadIds: string[] = [];
    let [total, looked] = [0, 0];
    let isEnd = false;
    for await (const step of this.#steps(walk)) {
      const from = Math.max(offset - total, 0);
      threadIds.push(...step.matching.slice(from, Math.max(end - total, 0)));
      total += step.matching.length;
      looked += step.looked;
      isEnd = step.isEnd;
      if (total >= end && total >= this.#limits.countCeiling) return { threadIds, total };
      if (total >= end && looked >= this.#limits.lookedForTotal) return { threadIds, total: null };
    }
    return isEnd ? { threadIds, total } : { threadIds, total: null, isPartial: true };
  }

  async #countMatches(walk: Walk): Promise<CountedThreads> {
    const { countCeiling } = this.#limits;
    let count = 0;
    for await (const { matching, isEnd } of this.#steps(walk)) {
      count += matching.length;
      if (count > countCeiling) return { count: countCeiling, isMinimum: true };
      if (isEnd) return { count, isMinimum: false };
    }
    return { count, isMinimum: true };
  }

  /** Ends after the step that is marked as the end, or without such a step at the limit of threads to look at. */
  async *#steps(walk: Walk): AsyncGenerator<{ looked: number; matching: string[]; isEnd: boolean }> {
    const { stepSize, lookedAt } = this.#limits;
    let after: Position | undefined;
    for (let left = lookedAt; left > 0; ) {
      const limit = Math.min(left, stepSize);
      const { looked, matching, last } = await this.#store.step(walk, { after, limit });
      const isEnd = looked < limit;
      yield { looked, matching, isEnd };
      if (isEnd) return;
      left -= looked;
      after = last;
      await nextTurn();
    }
  }
}

/** Every thread on the way matches. */
function isPlain({ rest }: Walk): boolean {
  const { conditions, parts, values, title } = rest;
  return conditions.length + parts.length + values.length === 0 && title === null;
}

/** Without a user a list would hold the threads of all users. */
function requireUser(owner: Owner): string {
  const userId = userScope(owner);
  if (userId === null) throw new Error('Threads are searched for a user. Pass { user }.');
  return userId;
}
