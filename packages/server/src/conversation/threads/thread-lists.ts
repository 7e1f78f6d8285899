import type { FoundThread, ThreadField } from '@switchyard/contract/conversation/thread';
import type { Owner } from '../../lib/owner.ts';
import type { MountRules } from '../mount-rules.ts';
import { type ExtractPath, valueAtPath } from './extract-paths.ts';
import type { ThreadFilter, ThreadOrder } from './thread-filter.ts';
import type { CountedThreads, ThreadSearch } from './thread-search.ts';
import type { FoundThreadRow } from './thread-search-store.ts';
import { listedValues, selected, shownSnapshot, threadView } from './thread-view.ts';

export interface ThreadListRequest {
  filter: ThreadFilter;
  order: ThreadOrder;
  limit: number;
  offset: number;
  select: ThreadField[] | null;
  extract: ExtractPath[];
  rules: MountRules;
}

export interface ThreadList {
  threads: FoundThread[];
  total: number | null;
  nextOffset: number | null;
  isPartial: boolean;
}

/** The caller's threads in lists, read from records and stored states and never from checkpoints. */
export class ThreadLists {
  readonly #search: ThreadSearch;

  constructor(search: ThreadSearch) {
    this.#search = search;
  }

  async page(
    owner: Owner,
    { filter, order, limit, offset, ...requested }: ThreadListRequest,
  ): Promise<ThreadList> {
    const withValues = wantsValues(requested);
    const page = { ...filter, ...order, limit, offset, withValues };
    const { threads, total, nextOffset, isPartial } = await this.#search.page(owner, page);
    return {
      threads: threads.map((row) => found(row, requested)),
      total,
      nextOffset,
      isPartial,
    };
  }

  async count(owner: Owner, filter: ThreadFilter): Promise<CountedThreads> {
    return this.#search.count(owner, filter);
  }
}

type Shown = Pick<ThreadListRequest, 'select' | 'extract' | 'rules'>;

function wantsValues({ select, extract, rules }: Shown): boolean {
  const listsValues = rules.searchValues === 'snapshot' && (!select || select.includes('values'));
  return listsValues || extract.some(({ segments }) => segments[0] === 'values');
}

function found(row: FoundThreadRow, { select, extract, rules }: Shown): FoundThread {
  const state = shownSnapshot(row);
  const whole = threadView(row, state);
  const view: FoundThread = { ...whole, values: listedValues(row, state.values, rules) };
  if (extract.length > 0) {
    const entries = extract.map(({ alias, segments }) => [alias, valueAtPath(whole, segments)]);
    view.extracted = Object.fromEntries(entries) as Record<string, unknown>;
  }
  return selected(view, select);
}
