import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { listRunEvents } from '@switchyard/contract/conversation/run-events';
import { queryOptions } from '@tanstack/react-query';
import { keys } from '../../../lib/data/keys.ts';
import { gateway } from '../../../lib/gateway.ts';
import { replayEventTypes } from '../replay/replay-track.ts';

/** Events in the order of their seq. */
export interface EventData {
  events: readonly RunEvent[];
  isCut: boolean;
}

const maxReplayEvents = 20_000;
const perPage = 2_000;
const liveMs = 1_000;

/** The events that a replay shows. Reading them again asks only for those after the last one. */
export function replayEventQuery(threadId: string, runId: string, { byClock }: { byClock: boolean }) {
  const queryKey = [...keys.run(threadId, runId), 'replay'] as const;
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client }) => {
      const events = [...(client.getQueryData<EventData>(queryKey)?.events ?? [])];
      for (let isMore = true; isMore && events.length < maxReplayEvents; ) {
        const rows = await gateway.call(listRunEvents, {
          params: { thread_id: threadId, run_id: runId },
          query: { event_types: replayEventTypes.join(','), limit: perPage, after_seq: events.at(-1)?.seq },
          signal,
        });
        events.push(...rows);
        isMore = rows.length === perPage;
      }
      return { events, isCut: events.length >= maxReplayEvents } satisfies EventData;
    },
    structuralSharing: false,
    refetchInterval: byClock ? liveMs : false,
  });
}
