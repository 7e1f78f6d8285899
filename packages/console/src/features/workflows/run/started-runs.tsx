import type { Task } from '@switchyard/contract/dispatch/task';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Thumb } from '../../../kit/pictures/thumb.tsx';
import { ProgressBar } from '../../../kit/progress-bar.tsx';
import { QueryView } from '../../../kit/query-view.tsx';
import { type StatusKind, StatusWord } from '../../../kit/status-word.tsx';
import { tasksQuery } from '../../../lib/data/tasks.ts';
import { type GatewayWords, useGatewayWords } from '../../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../../lib/i18n.ts';

const maxShown = 200;

/** The tasks that one click has started, with their progress and results. */
export function StartedRuns({ batch }: { batch: string }) {
  const text = useText('workflows');
  const query = useQuery(tasksQuery({ tag: batch, limit: maxShown, order: 'asc' }));
  return (
    <section aria-label={text('started.label')} className="flex flex-col gap-2">
      <h2 className="text-lead font-semibold">{text('started.label')}</h2>
      <QueryView query={query}>
        {({ items }) => (
          <>
            <p role="status" className="text-body text-text-2">
              {text('started.summary', {
                done: items.filter(({ status }) => status === 'completed').length,
                count: items.length,
                running: items.filter(({ status }) => status === 'running').length,
                waiting: items.filter(({ status }) => status === 'pending').length,
                failed: items.filter(({ status }) => status === 'failed').length,
              })}
            </p>
            <ul className="flex flex-col">
              {items.map((task) => (
                <StartedTask key={task.id} task={task} />
              ))}
            </ul>
          </>
        )}
      </QueryView>
    </section>
  );
}

function StartedTask({ task }: { task: Task }) {
  const text = useText('workflows');
  const words = useGatewayWords();
  const state = stateOf(task);
  const outputs = task.result?.outputs ?? [];
  return (
    <li className="flex min-h-[4.5rem] items-center gap-3 border-t border-border py-2">
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <Link href={`/tasks/${task.id}`} className="text-body text-accent hover:underline">
          <StatusWord kind={kinds[state]}>{text(`state.${state}`)}</StatusWord>
        </Link>
        {task.status === 'running' ? (
          <ProgressBar
            thin
            value={task.progress}
            label={text('started.progress')}
            text={text('started.progressAt', { percent: task.progress, node: task.node ?? '' })}
          />
        ) : null}
        <span className="truncate text-table text-text-2">{wordsOf(task, words)}</span>
      </div>
      {outputs.slice(0, 3).map(({ fileId, filename, contentType }) => (
        <Link key={fileId} href={`/gallery?task=${task.id}&file=${fileId}`} aria-label={filename}>
          <Thumb fileId={fileId} alt="" size={56} contentType={contentType} />
        </Link>
      ))}
    </li>
  );
}

/** Why it failed, where it is, or what it waits for. */
function wordsOf({ error, node, status, waiting, waitingSentences }: Task, words: GatewayWords): string {
  if (error !== null) return words.said(error);
  if (node !== null || status !== 'pending' || waiting === null) return node ?? '';
  return words.said({ message: waiting, sentences: waitingSentences });
}

type ShownState = 'waiting' | 'running' | 'done' | 'cancelled' | 'failed';

const kinds: Record<ShownState, StatusKind> = {
  waiting: 'waiting',
  running: 'running',
  done: 'done',
  cancelled: 'cancelled',
  failed: 'failed',
};

function stateOf({ status, error }: Task): ShownState {
  if (status === 'pending') return 'waiting';
  if (status === 'running') return 'running';
  if (status === 'completed') return 'done';
  return error?.code === 'cancelled' ? 'cancelled' : 'failed';
}
