import {
  foreseeSweep,
  getSweep,
  listSweepCells,
  listSweeps,
  type NewSweep,
  type SweepCell,
} from '@switchyard/contract/dispatch/sweep';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { gateway } from '../gateway.ts';
import { recentNews } from '../live/recent-news.ts';
import { changedCell } from '../live/sweep-cells.ts';
import { keys } from './keys.ts';

export function sweepPagesQuery(workflowId: string) {
  return infiniteQueryOptions({
    queryKey: [...keys.sweeps, 'list', workflowId],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      gateway.call(listSweeps, { query: { workflowId, limit: 20, offset: pageParam }, signal }),
    getNextPageParam: ({ total }, pages) => {
      const read = pages.flatMap(({ items }) => items).length;
      return read < total ? read : undefined;
    },
  });
}

export function sweepQuery(sweepId: string) {
  return queryOptions({
    queryKey: keys.sweep(sweepId),
    queryFn: ({ signal }) => gateway.call(getSweep, { params: { sweepId }, signal }),
  });
}

/** All cells; a sweep has at most a thousand. Frames about their tasks change them in place. */
export function sweepCellsQuery(sweepId: string) {
  return queryOptions({
    queryKey: keys.sweepCells(sweepId),
    queryFn: async ({ signal }) => {
      const cells: SweepCell[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const query = { limit: 200, ...(cursor !== undefined && { cursor }) };
        const page = await gateway.call(listSweepCells, { params: { sweepId }, query, signal });
        cells.push(...page.items);
        cursor = page.nextCursor;
      }
      return cells.map(withRecentNews);
    },
  });
}

/** A task may have ended while its cell was on its way. */
function withRecentNews(cell: SweepCell): SweepCell {
  const change = cell.taskId === null ? undefined : recentNews.of(cell.taskId);
  return change ? changedCell(cell, change) : cell;
}

const refreshMs = 15_000;

/** Asks how many runs a sweep would make, how long they take and what they cost. */
export function sweepOutlookQuery(body: NewSweep) {
  return queryOptions({
    queryKey: [...keys.sweeps, 'outlook', body],
    queryFn: ({ signal }) => gateway.call(foreseeSweep, { body, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
    retry: false,
  });
}
