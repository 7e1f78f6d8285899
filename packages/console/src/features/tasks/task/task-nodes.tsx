import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { QueryView } from '../../../kit/query-view.tsx';
import { Section } from '../../../kit/section.tsx';
import { StatusWord } from '../../../kit/status-word.tsx';
import { taskNodesQuery } from '../../../lib/data/tasks.ts';
import { blank } from '../../../lib/format/format.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useNow } from '../../../lib/format/use-now.ts';
import { useText } from '../../../lib/i18n.ts';
import { hasEnded } from '../../../lib/task-state.ts';
import { type NodeRow, nodeRows } from './node-rows.ts';

const refreshMs = 3_000;
/** The number of nodes that are shown at first, and with each click. */
const firstRows = 12;
const moreRows = 500;
const glyphs = {
  running: 'running',
  finished: 'done',
  cached: 'done',
  failed: 'failed',
  stopped: 'cancelled',
  waiting: 'waiting',
} as const satisfies Record<NodeRow['state'], string>;

/** The nodes of the graph: what is done and how long it took, what runs, what waits. */
export function TaskNodes({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const goesOn = !hasEnded(task);
  const nodes = useInfiniteQuery({
    ...taskNodesQuery(task.id),
    ...(goesOn && { refetchInterval: refreshMs }),
  });
  return (
    <Section title={text('nodes.title')}>
      <QueryView query={nodes}>
        {({ pages }) => (
          <NodeTable
            task={task}
            nodes={pages.flatMap(({ items }) => items)}
            usual={pages[0]?.usual ?? []}
            goesOn={goesOn}
            hasMore={nodes.hasNextPage}
            loadMore={() => void nodes.fetchNextPage()}
          />
        )}
      </QueryView>
    </Section>
  );
}

interface NodeTableProps {
  task: TaskDetail;
  nodes: Parameters<typeof nodeRows>[0];
  usual: Parameters<typeof nodeRows>[2]['usual'];
  goesOn: boolean;
  /** There are nodes that have begun and are not read yet. */
  hasMore: boolean;
  loadMore: () => void;
}

function NodeTable({ task, nodes, usual, goesOn, hasMore, loadMore }: NodeTableProps) {
  const text = useText('tasks');
  const format = useFormat();
  const rows = nodeRows(nodes, task.workflow, {
    nowMs: useNow(),
    // Which nodes wait is known once all that have begun are read.
    goesOn: goesOn && !hasMore,
    usual,
  });
  const [count, setCount] = useState(firstRows);
  const shown = rows.slice(0, count);
  const more = Math.min(moreRows, rows.length - count);
  const showMore = (): void => {
    setCount(count + moreRows);
    if (hasMore && count + moreRows > nodes.length) loadMore();
  };
  const longest = Math.max(1, ...rows.map(({ ms }) => ms ?? 0));
  if (rows.length === 0) return <p className="text-body text-text-2">{text('nodes.none')}</p>;
  return (
    <>
      <table className="w-full table-fixed text-table">
        <caption className="sr-only">{text('nodes.title')}</caption>
        <thead className="text-left text-text-2">
          <tr className="h-8 border-b border-border">
            <th scope="col" className="font-medium">
              {text('nodes.node')}
            </th>
            <th scope="col" className="w-28 font-medium">
              {text('column.status')}
            </th>
            <th scope="col" className="w-32 text-right font-medium">
              {text('nodes.time')}
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ node, title, state, ms, usualMs }) => (
            <tr key={node} className="h-8 border-b border-border">
              <th scope="row" className="truncate pr-2 text-left font-normal">
                {title} <span className="text-text-3">{node}</span>
              </th>
              <td>
                <StatusWord kind={glyphs[state]}>{text(`nodes.${state}`)}</StatusWord>
              </td>
              <td className="text-right tabular-nums">
                <span className="flex items-center justify-end gap-2">
                  {ms === null ? null : (
                    <span aria-hidden className="flex h-1 w-14 justify-end">
                      <span
                        className="h-1 rounded-full bg-running forced-colors:bg-[CanvasText]"
                        style={{ width: `${(ms / longest) * 100}%` }}
                      />
                    </span>
                  )}
                  {ms === null ? blank : format.duration(ms)}
                </span>
                {usualMs === null ? null : (
                  <span className="block text-meta text-text-3">
                    {text('nodes.usually', { time: format.duration(usualMs) })}
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 || hasMore ? (
        <Button size="s" variant="plain" className="self-start" onClick={showMore}>
          {text('nodes.more', { count: more > 0 ? more : moreRows })}
        </Button>
      ) : null}
    </>
  );
}
