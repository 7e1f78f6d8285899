import { exportRun } from '@switchyard/client/conversation/export-run';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useParams } from 'wouter';
import { Button, LinkButton } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useAgentNames } from '../../lib/data/assistants.ts';
import { runEventsQuery, runQuery } from '../../lib/data/runs.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { useRunPulse } from '../../lib/live/use-run-pulse.ts';
import { saveFile } from '../../lib/save-file.ts';
import { RunView } from './detail/run-view.tsx';
import { runTitle } from './run-title.ts';
import { replayEventQuery } from './source/event-data.ts';
import { type RunSource, thumbnailAddress } from './source/run-source.ts';
import { spanQuery } from './source/span-data.ts';

const liveMs = 1_000;

/** One run: what it did, when, where and for how much. */
export function RunPage() {
  const text = useText('runs');
  const { threadId = '', runId = '' } = useParams<{ threadId: string; runId: string }>();
  const { query, source } = useRunSource(threadId, runId);
  const run = source?.run;
  const agentName = useAgentNames([run?.assistant_id ?? null]);
  const title = (run && runTitle(run)) ?? text('run.title', { id: runId.slice(0, 8) });
  return (
    <Page
      title={title}
      lead={
        run ? (
          <span className="flex flex-wrap gap-x-3">
            <span>{agentName(run.assistant_id)}</span>
            <span>{run.model_name}</span>
            <TimeAgo at={run.created_at} />
          </span>
        ) : null
      }
      actions={
        <>
          <LinkButton href={`/chat/${encodeURIComponent(threadId)}`}>{text('run.openThread')}</LinkButton>
          <ExportButton threadId={threadId} runId={runId} />
        </>
      }
    >
      <QueryView query={query}>
        {(found) => <RunView source={found} path={`/runs/${threadId}/${runId}`} />}
      </QueryView>
    </Page>
  );
}

function ExportButton({ threadId, runId }: { threadId: string; runId: string }) {
  const text = useText('runs');
  const toast = useToast();
  const [isBusy, setIsBusy] = useState(false);
  const hint = useCommandHint(`switchyard runs export ${threadId} ${runId} > run.json`);
  const save = async (): Promise<void> => {
    setIsBusy(true);
    try {
      const file = await exportRun(gateway, { threadId, runId });
      saveFile(`run-${runId}.json`, JSON.stringify(file), 'application/json');
    } catch (error) {
      toast({ tone: 'failed', text: text('run.exportFailed', { cause: (error as Error).message }) });
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button
      {...hint}
      icon={<Download size={16} strokeWidth={1.75} aria-hidden />}
      isBusy={isBusy}
      onClick={save}
    >
      {text('run.export')}
    </Button>
  );
}

/** The run of the gateway, read again when its stream brings something, and by the clock while that brings nothing. */
function useRunSource(threadId: string, runId: string) {
  const recordQuery = runQuery(threadId, runId);
  const known = useQuery(recordQuery).data;
  const isLive = known?.ended_at === null;
  const byClock = !useRunPulse(threadId, runId, isLive);
  const refetchInterval = isLive && byClock ? liveMs : false;
  const record = useQuery({ ...recordQuery, refetchInterval });
  const spans = useQuery(spanQuery(threadId, runId, { byClock }));
  const isGrowing = isLive || spans.data?.isLive === true;
  const replay = useQuery(replayEventQuery(threadId, runId, { byClock: isGrowing && byClock }));
  const pages = useInfiniteQuery({ ...runEventsQuery(threadId, runId), refetchInterval });
  const { fetchNextPage } = pages;
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const events = useMemo(() => pages.data?.pages.flat() ?? [], [pages.data]);
  const source: RunSource | undefined =
    record.data && spans.data && replay.data
      ? {
          run: record.data,
          spanData: spans.data,
          replayEvents: replay.data.events,
          isReplayCut: replay.data.isCut,
          eventPages: {
            events,
            hasMore: pages.hasNextPage,
            isLoading: pages.isFetchingNextPage,
            loadMore,
          },
          pictureOf: thumbnailAddress,
          isFile: false,
        }
      : undefined;
  const queries = [record, spans, replay];
  const query = {
    data: source,
    error: queries.find(({ error }) => error)?.error ?? null,
    isPending: source === undefined,
    isFetching: false,
    refetch: () => Promise.all(queries.map(({ refetch }) => refetch())),
  };
  return { source, query };
}
