import { LongText } from '../../../kit/long-text.tsx';
import { MarkdownText } from '../../../kit/markdown.tsx';
import { ProgressBar } from '../../../kit/progress-bar.tsx';
import { type StatusKind, StatusWord } from '../../../kit/status-word.tsx';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';
import type { ReplayState, ShownCall, ShownItem, ShownTask } from './replay-state.ts';

const taskKinds: Record<ShownTask['state'], StatusKind> = {
  waiting: 'waiting',
  running: 'running',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};

interface RunPictureProps {
  state: ReplayState;
  pictureOf: (fileId: string) => string | null;
}

/**
 * The messages and actions of a run until a moment. The page of a live run and the end of its replay show this same
 * picture.
 */
export function RunPicture({ state, pictureOf }: RunPictureProps) {
  const text = useText('runs');
  return (
    <ol className="flex max-w-[68ch] flex-col gap-4" data-picture>
      {state.items.map((item) => (
        <li key={item.id} className="min-w-0">
          <Item item={item} pictureOf={pictureOf} />
        </li>
      ))}
      {state.isModelAtWork ? (
        <li>
          <StatusWord kind="running">{text('picture.thinking')}</StatusWord>
        </li>
      ) : null}
      {state.end?.error ? (
        <li className="rounded-card bg-failed-tint p-3 text-failed">
          <LongText text={state.end.error} />
        </li>
      ) : null}
    </ol>
  );
}

function Item({ item, pictureOf }: { item: ShownItem; pictureOf: RunPictureProps['pictureOf'] }) {
  const text = useText('runs');
  if (item.type === 'call') return <Call call={item} pictureOf={pictureOf} />;
  const isHuman = item.type === 'human';
  return (
    <div className={isHuman ? 'rounded-card bg-sunken p-3' : ''}>
      <p className="mb-1 text-meta text-text-2">
        {text(isHuman ? 'picture.person' : 'picture.agent')}
        {item.type === 'ai' && item.simulated ? ` · ${text('simulated')}` : ''}
      </p>
      {isHuman ? (
        <div className="text-lead">
          <LongText text={item.text} />
        </div>
      ) : (
        <MarkdownText text={item.text} />
      )}
    </div>
  );
}

const kinds: Record<ShownCall['state'], StatusKind> = {
  waiting: 'waiting',
  running: 'running',
  done: 'done',
  failed: 'failed',
};

function Call({ call, pictureOf }: { call: ShownCall; pictureOf: RunPictureProps['pictureOf'] }) {
  const text = useText('runs');
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <details className="min-w-0">
        <summary className="flex w-fit max-w-full cursor-pointer items-center gap-2 rounded-control py-1 text-table outline-accent focus-visible:outline-2">
          <StatusWord kind={kinds[call.state]}>{call.name}</StatusWord>
          <span className="text-text-2">{text(`call.${call.state}`)}</span>
        </summary>
        <div className="flex min-w-0 flex-col gap-2 border-l border-border py-1 pl-3">
          <LongText mono text={JSON.stringify(call.args, null, 2) ?? ''} />
          {call.result === null ? null : (
            <>
              <p className="text-meta text-text-2">{text('call.result')}</p>
              <LongText mono text={call.result} />
            </>
          )}
        </div>
      </details>
      {call.steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added at the end
        <div key={index} className="ml-3 border-l border-border pl-3 text-text-2">
          <LongText text={step} />
        </div>
      ))}
      {call.tasks.map((task) => (
        <TaskCard key={task.taskId} task={task} pictureOf={pictureOf} />
      ))}
    </div>
  );
}

/** A task of the pool at one moment: how far it is, where, and what it has made. */
function TaskCard({ task, pictureOf }: { task: ShownTask; pictureOf: (fileId: string) => string | null }) {
  const text = useText('runs');
  const format = useFormat();
  const percent = format.percent(task.percent);
  const where = [task.node, task.instanceName].filter((part) => part !== null);
  return (
    <div className="flex flex-col gap-2 rounded-card border border-border bg-surface p-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 truncate font-medium">{task.name ?? task.taskId}</span>
        <StatusWord kind={taskKinds[task.state]}>{text(`task.${task.state}`)}</StatusWord>
        {task.attempt > 1 ? (
          <span className="text-table text-text-2">{text('task.attempt', { attempt: task.attempt })}</span>
        ) : null}
      </div>
      {task.state === 'running' || task.state === 'waiting' ? (
        <div className="flex items-center gap-3">
          <ProgressBar
            value={task.percent}
            label={text('task.progress', { name: task.name ?? '' })}
            text={[percent, ...where].join(', ')}
            thin
          />
          <span className="w-10 shrink-0 text-right text-table tabular-nums">{percent}</span>
        </div>
      ) : null}
      {where.length === 0 ? null : <p className="text-table text-text-2">{where.join(' · ')}</p>}
      {task.error === null ? null : <p className="text-table break-words text-failed">{task.error}</p>}
      {task.files.length === 0 ? null : (
        <ul className="flex flex-wrap gap-2">
          {task.files.map(({ fileId, filename }) => (
            <li key={fileId} className="size-32 overflow-hidden rounded-control bg-sunken">
              <FilePicture source={pictureOf(fileId)} name={filename} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function FilePicture({ source, name }: { source: string | null; name: string }) {
  if (source === null) return <span className="block p-2 text-meta break-all text-text-2">{name}</span>;
  return <img src={source} alt={name} title={name} className="size-full object-cover" />;
}
