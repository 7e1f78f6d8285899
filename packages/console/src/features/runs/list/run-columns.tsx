import type { ConsoleRun } from '@switchyard/contract/conversation/console';
import { useMemo } from 'react';
import { RowLink } from '../../../kit/rows/row-link.tsx';
import type { Column } from '../../../kit/table/column.ts';
import { TimeAgo } from '../../../kit/time-ago.tsx';
import { useAgentNames } from '../../../lib/data/assistants.ts';
import { blank } from '../../../lib/format/format.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';
import { RunStatusWord } from '../run-status.tsx';

/** The columns of the list. The wait stands apart from the work. */
export function useRunColumns(runs: readonly ConsoleRun[]): Column<ConsoleRun>[] {
  const text = useText('runs');
  const format = useFormat();
  const agentName = useAgentNames(runs.map(({ assistant_id }) => assistant_id));
  return useMemo(
    () => [
      {
        id: 'run',
        header: text('list.thread'),
        cell: ({ thread_id, run_id, thread_title }) => (
          <RowLink
            href={`/runs/${encodeURIComponent(thread_id)}/${encodeURIComponent(run_id)}`}
            command={`switchyard runs show ${thread_id} ${run_id}`}
            className="block truncate font-medium text-text hover:underline"
          >
            {thread_title ?? text('run.title', { id: run_id.slice(0, 8) })}
          </RowLink>
        ),
      },
      {
        id: 'status',
        header: text('totals.status'),
        width: '7.5rem',
        cell: ({ status }) => <RunStatusWord status={status} />,
      },
      {
        id: 'agent',
        header: text('list.agent'),
        width: '6.5rem',
        wideOnly: true,
        cell: ({ assistant_id: id }) => <span title={id}>{agentName(id)}</span>,
      },
      {
        id: 'model',
        header: text('list.model'),
        width: '8.5rem',
        wideOnly: true,
        cell: ({ model_name }) => model_name ?? blank,
      },
      {
        id: 'waited',
        header: text('totals.waited'),
        width: '4.75rem',
        align: 'end',
        cell: ({ queue_seconds }) => format.duration(queue_seconds * 1_000),
      },
      {
        id: 'ran',
        header: text('totals.ran'),
        width: '4.75rem',
        align: 'end',
        cell: ({ duration_seconds: seconds }) =>
          seconds === null ? blank : format.duration(seconds * 1_000),
      },
      {
        id: 'tokens',
        header: text('list.tokens'),
        width: '7rem',
        align: 'end',
        cell: ({ input_tokens, output_tokens, simulated }) => (
          <span
            title={simulated ? text('simulated') : undefined}
            className={simulated ? 'italic text-text-2' : ''}
          >
            {text('totals.inOut', {
              input: format.compact(input_tokens),
              output: format.compact(output_tokens),
            })}
          </span>
        ),
      },
      {
        id: 'cost',
        header: text('totals.cost'),
        width: '4.5rem',
        align: 'end',
        cell: ({ cost, currency }) => format.money(cost, currency),
      },
      {
        id: 'created',
        header: text('list.created'),
        width: '5.5rem',
        align: 'end',
        cell: ({ created_at }) => <TimeAgo at={created_at} />,
      },
    ],
    [text, format, agentName],
  );
}
