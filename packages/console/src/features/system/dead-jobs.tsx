import { retryJob, type SystemReport } from '@switchyard/contract/system';
import { Button } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { rowMarks, rowRing } from '../../kit/rows/row-marks.ts';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { Section } from './section.tsx';
import { systemKey } from './system-key.ts';

type DeadJob = SystemReport['deadJobs']['items'][number];

/** Work that failed too often and waits for a person. */
export function DeadJobs({ deadJobs: { total, items } }: Pick<SystemReport, 'deadJobs'>) {
  const text = useText('system');
  return (
    <Section title={text('jobs.title', { count: total })}>
      {total === 0 && <p className="text-table text-text-2">{text('jobs.none')}</p>}
      <ul className="flex flex-col">
        {items.map((job) => (
          <Job key={job.id} job={job} />
        ))}
      </ul>
      {total > items.length && (
        <p className="text-table text-text-2">{text('jobs.more', { shown: items.length })}</p>
      )}
    </Section>
  );
}

function Job({ job: { id, kind, attempts, lastError, diedAt } }: { job: DeadJob }) {
  const text = useText('system');
  const { act } = useAct();
  const hint = useCommandHint(`switchyard system retry-job ${id}`);
  const retry = () =>
    act(() => gateway.call(retryJob, { params: { jobId: id } }), {
      done: text('jobs.done', { kind }),
      refresh: [systemKey],
    });
  return (
    <li
      {...rowMarks(id)}
      className={`flex items-start justify-between gap-3 border-b border-border py-1.5 text-table ${rowRing}`}
    >
      <div className="min-w-0">
        <p>
          <span className="font-medium">{kind}</span>{' '}
          <span className="text-text-2">
            {text('jobs.attempts', { count: attempts })} · <TimeAgo at={diedAt} />
          </span>
        </p>
        <p className="break-words text-failed">{lastError}</p>
      </div>
      <Button {...hint} size="s" aria-label={text('jobs.retryOf', { kind })} onClick={() => void retry()}>
        {text('jobs.retry')}
      </Button>
    </li>
  );
}
