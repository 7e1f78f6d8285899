import { getSystem, type SystemReport } from '@switchyard/contract/system';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { Button } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { DeadJobs } from './dead-jobs.tsx';
import { Dependencies } from './dependencies.tsx';
import { Facts } from './facts.tsx';
import { Replicas } from './replicas.tsx';
import { Retention } from './retention.tsx';
import { Schedules } from './schedules.tsx';
import { Storage } from './storage.tsx';
import { systemKey } from './system-key.ts';

const systemQuery = queryOptions({
  queryKey: systemKey,
  queryFn: ({ signal }) => gateway.call(getSystem, { signal }),
  refetchInterval: 30_000,
});

/** How the gateway is. All numbers are from one snapshot, whose age stands on top. */
export function SystemPage() {
  const text = useText('system');
  const system = useQuery(systemQuery);
  const hint = useCommandHint('switchyard system');
  return (
    <Page
      title={text('title')}
      lead={
        system.data && (
          <>
            {text('taken')} <TimeAgo at={system.data.takenAt} />
          </>
        )
      }
      actions={
        <Button
          {...hint}
          disabled={system.isFetching}
          icon={<RefreshCw size={16} strokeWidth={1.75} aria-hidden />}
          onClick={() => void system.refetch()}
        >
          {text('refresh')}
        </Button>
      }
    >
      <QueryView query={system}>{(report) => <Report report={report} />}</QueryView>
    </Page>
  );
}

function Report({ report }: { report: SystemReport }) {
  return (
    <div className="grid min-w-0 gap-x-8 gap-y-6 lg:grid-cols-2">
      <Facts report={report} />
      <Dependencies dependencies={report.dependencies} />
      <Replicas replicas={report.replicas} />
      <DeadJobs deadJobs={report.deadJobs} />
      <Storage storage={report.storage} />
      <Retention retention={report.retention} />
      <Schedules schedules={report.schedules} />
    </div>
  );
}
