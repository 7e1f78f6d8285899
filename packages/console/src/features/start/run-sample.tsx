import type { Task } from '@switchyard/contract/dispatch/task';
import { submitTask } from '@switchyard/contract/dispatch/tasks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { Link } from 'wouter';
import { Button, LinkButton } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { GatewayText } from '../../kit/gateway-text.tsx';
import { ProgressBar } from '../../kit/progress-bar.tsx';
import { ErrorState } from '../../kit/states/error-state.tsx';
import { StatusWord } from '../../kit/status-word.tsx';
import { keys } from '../../lib/data/keys.ts';
import { tasksQuery } from '../../lib/data/tasks.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { sampleGraph, sampleTasks } from '../../lib/sample-graph.ts';
import { Pictures } from './pictures.tsx';
import { Tile } from './tile.tsx';

/** Marks the tasks of this tile, so that it finds them again after a reload. */
const tag = 'start-here';

/** Runs a real workflow on the pool: one click, progress, pictures. */
export function RunSample() {
  const text = useText('start');
  const cache = useQueryClient();
  const latest = useQuery(tasksQuery({ tag, limit: sampleTasks }));
  const run = useMutation({
    mutationFn: submitSamples,
    onSettled: () => cache.invalidateQueries({ queryKey: keys.taskLists }),
  });
  const hint = useCommandHint('switchyard run examples/workflows/batch-invert.json -o pictures/');
  const tasks = [...(latest.data?.items ?? [])].reverse();
  const isGoing = run.isPending || tasks.some(({ status }) => status === 'pending' || status === 'running');
  return (
    <Tile number={1} title={text('run.title')} lead={text('run.lead')}>
      <ul className="grid grid-cols-2 gap-x-3 gap-y-2">
        {Array.from({ length: sampleTasks }, (_, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the places stay, and the tasks come to them
          <SampleTask key={place} task={tasks[place]} number={place + 1} />
        ))}
      </ul>
      <p role="status" className="sr-only">
        {tasks.length > 0 && !isGoing ? text('run.finished', { count: pictureCount(tasks) }) : ''}
      </p>
      {run.error && <ErrorState error={run.error} retry={() => run.mutate()} />}
      {latest.error && <ErrorState error={latest.error} retry={latest.refetch} />}
      <div className="mt-auto flex flex-wrap gap-2">
        <Button
          {...hint}
          variant={tasks.length === 0 ? 'solid' : 'quiet'}
          icon={<Play size={16} strokeWidth={1.75} aria-hidden />}
          isBusy={isGoing || latest.isPending}
          onClick={() => run.mutate()}
        >
          {text(isGoing ? 'run.busy' : tasks.length === 0 ? 'run.start' : 'run.again')}
        </Button>
        {tasks.length > 0 && !isGoing && (
          <>
            <LinkButton href="/gallery">{text('run.gallery')}</LinkButton>
            <LinkButton href="/tasks" variant="plain">
              {text('run.tasks')}
            </LinkButton>
          </>
        )}
      </div>
    </Tile>
  );
}

/** In order, so that the first sample is the first in the queue. */
async function submitSamples(): Promise<void> {
  for (let task = 0; task < sampleTasks; task += 1) {
    const name = `Batch invert ${task + 1}`;
    await gateway.call(submitTask, { body: { workflow: sampleGraph(task), name, tags: [tag] } });
  }
}

const perTask = 2;

/** One task of the sample: its pictures, or how far it is. Its place is kept before it exists. */
function SampleTask({ task, number }: { task: Task | undefined; number: number }) {
  const text = useText('start');
  const label = text('run.task', { number });
  return (
    <li className="flex min-w-0 flex-col gap-1.5">
      <Pictures files={task?.result?.outputs ?? []} slots={perTask} label={label} />
      <div className="min-h-6">{task && <State task={task} label={label} />}</div>
    </li>
  );
}

function State({ task, label }: { task: Task; label: string }) {
  const text = useText('start');
  switch (task.status) {
    case 'pending':
      return <StatusWord kind="waiting">{text('run.waiting')}</StatusWord>;
    case 'running':
      return <Going task={task} label={label} />;
    case 'completed':
      return <StatusWord kind="done">{text('run.done')}</StatusWord>;
    case 'failed':
      return <Failed task={task} />;
  }
}

function Going({ task: { progress, node }, label }: { task: Task; label: string }) {
  const text = useText('start');
  const format = useFormat();
  const percent = format.percent(progress);
  const step = node ?? text('run.working');
  return (
    <div className="flex flex-col gap-1">
      <ProgressBar thin label={label} value={progress} text={`${percent}, ${step}`} />
      <p className="truncate text-table text-text-2 tabular-nums">
        {percent} <span title={step}>{step}</span>
      </p>
    </div>
  );
}

function Failed({ task }: { task: Task }) {
  const text = useText('start');
  return (
    <>
      <StatusWord kind="failed">{text('run.failed')}</StatusWord>
      <p className="line-clamp-3 text-table break-words text-text-2">
        {task.error && <GatewayText message={task.error.message} sentences={task.error.sentences} />}
      </p>
      <Link href={`/tasks/${task.id}`} className="text-table text-accent underline">
        {text('run.why')}
      </Link>
    </>
  );
}

function pictureCount(tasks: readonly Task[]): number {
  return tasks.reduce((count, { result }) => count + (result?.outputs.length ?? 0), 0);
}
