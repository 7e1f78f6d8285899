import { useQuery } from '@tanstack/react-query';
import { ProgressBar } from '../../kit/progress-bar.tsx';
import { StatusWord } from '../../kit/status-word.tsx';
import { taskQuery } from '../../lib/data/tasks.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import type { LiveWorkerTask } from '../../lib/live/run-worker-tasks.ts';
import { useRunStream } from '../../lib/live/use-run-stream.ts';
import { Pictures } from './pictures.tsx';
import { replyParts } from './reply-parts.ts';

/** The messages and actions of the agent, as they happen. */
export function AgentReply({
  threadId,
  runId,
  question,
}: {
  threadId: string;
  runId: string;
  question: string;
}) {
  const text = useText('start');
  const news = useRunStream(threadId, runId);
  const { before, tasks, after } = replyParts(news);
  return (
    <div className="flex flex-col gap-3 border-l-2 border-border pl-3">
      <p className="text-body">
        <span className="mr-2 text-meta font-medium text-text-2">{text('talk.you')}</span>
        {question}
      </p>
      {before !== '' && <Said>{before}</Said>}
      {tasks.map((task) => (
        <TaskCard key={task.taskId} task={task} />
      ))}
      {after !== '' && <Said>{after}</Said>}
      {news.phase === 'failed' && <p className="text-body break-words text-failed">{news.error}</p>}
      <p role="status" className="sr-only">
        {news.phase === 'ended' ? text('talk.finished') : ''}
      </p>
    </div>
  );
}

function Said({ children }: { children: string }) {
  const text = useText('start');
  return (
    <p className="text-body break-words whitespace-pre-wrap">
      <span className="mr-2 text-meta font-medium text-text-2">{text('talk.agent')}</span>
      {children}
    </p>
  );
}

function TaskCard({ task }: { task: LiveWorkerTask }) {
  const text = useText('start');
  const format = useFormat();
  const { taskId, progress, node, instanceId, files, error } = task;
  // The stream of the run has a task's progress; the pool knows whether it has begun.
  const isWaiting = useQuery(taskQuery(taskId)).data?.status === 'pending';
  const step = node ?? text('run.working');
  const pictures = (files ?? []).map(({ file_id, filename }) => ({ fileId: file_id, filename }));
  return (
    <div className="flex max-w-80 flex-col gap-2 rounded-card border border-border p-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="text-table font-medium">{text('talk.task')}</span>
        {error ? (
          <StatusWord kind="failed">{text('run.failed')}</StatusWord>
        ) : files ? (
          <StatusWord kind="done">{text('run.done')}</StatusWord>
        ) : isWaiting ? (
          <StatusWord kind="waiting">{text('run.waiting')}</StatusWord>
        ) : (
          <StatusWord kind="running">{format.percent(progress)}</StatusWord>
        )}
      </div>
      <div className="w-40">
        <Pictures files={pictures} slots={1} label={text('talk.task')} />
      </div>
      {!files && !error && !isWaiting && (
        <ProgressBar
          thin
          label={text('talk.task')}
          value={progress}
          text={`${format.percent(progress)}, ${step}`}
        />
      )}
      <p className="truncate text-table text-text-2">
        {error ? error.message : [files || isWaiting ? null : step, instanceId].filter(Boolean).join(' · ')}
      </p>
    </div>
  );
}
