import { getRunTimeline, maxSpansPerPage, type RunSpan } from '@switchyard/contract/conversation/timeline';
import { queryOptions } from '@tanstack/react-query';
import { mergedSpans, spanOfRun, type TimelineSpan } from '../../../kit/timeline/span.ts';
import { keys } from '../../../lib/data/keys.ts';
import { gateway } from '../../../lib/gateway.ts';

/** The spans of a timeline: for drawing, and as the gateway sent them. */
export interface SpanData {
  spans: readonly TimelineSpan[];
  raw: ReadonlyMap<string, RunSpan>;
  mark: string | undefined;
  isLive: boolean;
  /** There are more than a page draws. */
  isCut: boolean;
}

export const maxShownSpans = 20_000;
const liveMs = 1_000;
/** Nodes are stored a few seconds late, so a timeline is read again after its end. */
const settleMs = 15_000;
const settleEveryMs = 3_000;

export const noSpans: SpanData = { spans: [], raw: new Map(), mark: undefined, isLive: false, isCut: false };

export function addSpans(known: SpanData, changed: readonly RunSpan[]): SpanData {
  const raw = new Map([...known.raw, ...changed.map((span) => [span.id, span] as const)]);
  return { ...known, raw, spans: mergedSpans(known.spans, changed.map(spanOfRun)) };
}

/** The spans of a run. Reading it again asks only for what changed since. Without `byClock` the caller decides when. */
export function spanQuery(threadId: string, runId: string, { byClock }: { byClock: boolean }) {
  const queryKey = [...keys.run(threadId, runId), 'spans'] as const;
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client }) => {
      let data = client.getQueryData<SpanData>(queryKey) ?? noSpans;
      const since = data.mark;
      let cursor: string | undefined;
      do {
        const query = { limit: maxSpansPerPage, since, cursor };
        const params = { thread_id: threadId, run_id: runId };
        const page = await gateway.call(getRunTimeline, { params, query, signal });
        data = addSpans(data, page.spans);
        // The mark of the first page covers what changes while the others are read.
        data = { ...data, mark: cursor === undefined ? page.mark : data.mark, isLive: page.live };
        cursor = page.next_cursor ?? undefined;
        data = { ...data, isCut: cursor !== undefined && data.spans.length >= maxShownSpans };
      } while (cursor !== undefined && !data.isCut);
      return data;
    },
    structuralSharing: false,
    refetchInterval: ({ state: { data } }) => {
      if (data?.isLive) return byClock ? liveMs : false;
      return data && endedMs(data) > Date.now() - settleMs ? settleEveryMs : false;
    },
  });
}

function endedMs({ spans }: SpanData): number {
  return spans.find(({ kind }) => kind === 'run')?.endMs ?? 0;
}
