import type { TaskDetail, TaskError } from '@switchyard/contract/dispatch/task';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../../kit/button.tsx';
import { useFailure } from '../../../kit/failures/use-failure.ts';
import { LongText } from '../../../kit/long-text.tsx';
import { ThumbPicture } from '../../../kit/pictures/thumb.tsx';
import { Section } from '../../../kit/section.tsx';
import { instancesQuery } from '../../../lib/data/instances.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useNow } from '../../../lib/format/use-now.ts';
import { useGatewayWords } from '../../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../../lib/i18n.ts';
import { hasEnded, picturesOf } from '../../../lib/task-state.ts';
import { type AttemptBar, layOutAttempts } from './attempt-layout.ts';
import { inputGroups } from './input-rows.ts';
import { TaskFacts } from './task-facts.tsx';
import { TaskHeader } from './task-header.tsx';
import { TaskNodes } from './task-nodes.tsx';
import { TaskWhyNote } from './task-why-note.tsx';

const maxShown = 48;

/** The numbers of nodes that are shown at first and at most; the JSON has all of them. */
const firstGroups = 6;
const maxGroups = 60;

/** A task: its state and what it made first, then how it went, then what it was given. */
export function TaskBody({ task, wide = false }: { task: TaskDetail; wide?: boolean }) {
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <TaskHeader task={task} />
      {task.status === 'failed' && task.error ? <FailureNote error={task.error} /> : null}
      <TaskResult task={task} wide={wide} />
      {hasEnded(task) ? null : <TaskWhyNote task={task} />}
      <div className={wide ? 'grid gap-x-8 gap-y-6 lg:grid-cols-2' : 'flex flex-col gap-6'}>
        <TaskNodes task={task} />
        <AttemptsStrip task={task} />
      </div>
      <TaskInput task={task} />
      <TaskFacts task={task} />
    </div>
  );
}

/** Why a task failed, in one sentence, and what to try; the traceback is folded. */
function FailureNote({ error }: { error: TaskError }) {
  const text = useText('tasks');
  const failureOf = useFailure();
  if (error.code === 'cancelled') return <p className="text-body text-text-2">{text('failure.cancelled')}</p>;
  const { cause, rest, advice } = failureOf(error);
  const node = error.nodeTitle ?? error.node;
  return (
    <div role="alert" className="flex min-w-0 flex-col gap-2 rounded-card bg-failed-tint p-3">
      <p className="text-body font-medium break-words text-failed">{cause}</p>
      <p className="text-body text-text">{advice}</p>
      {node === undefined ? null : (
        <p className="text-table text-text-2">
          <a href={`#node-${error.node ?? ''}`} className="underline">
            {text('failure.node', { node })}
          </a>
        </p>
      )}
      {rest ? (
        <details>
          <summary className="cursor-pointer text-table text-text-2">{text('failure.details')}</summary>
          <div className="mt-2">
            <LongText text={rest} label={text('failure.details')} />
          </div>
        </details>
      ) : null}
    </div>
  );
}

/** The attempts of a task on one time axis, a line for each instance that had it. */
function AttemptsStrip({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const format = useFormat();
  const words = useGatewayWords();
  const now = useNow();
  const instances = useQuery(instancesQuery());
  if (task.attempts.length === 0) return null;
  const strip = layOutAttempts(task.attempts, { createdAt: task.createdAt, nowMs: now });
  const nameOf = (instanceId: string) =>
    instances.data?.find(({ id }) => id === instanceId)?.serverName ?? instanceId;
  return (
    <Section
      title={text('attempts.title')}
      aside={<span className="text-table text-text-2">{format.duration(strip.toMs - strip.fromMs)}</span>}
    >
      <div aria-hidden className="flex flex-col gap-1">
        {strip.instances.map(({ instanceId, bars }) => (
          <div key={instanceId} className="flex items-center gap-2 text-table">
            <span className="w-28 shrink-0 truncate">{nameOf(instanceId)}</span>
            <span className="relative h-5 flex-1 rounded-control bg-sunken forced-colors:border">
              {bars.map((bar) => (
                <span
                  key={bar.attempt}
                  className={`absolute inset-y-0.5 rounded-control forced-colors:bg-[CanvasText] ${colourOf(bar)}`}
                  style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
                />
              ))}
            </span>
          </div>
        ))}
      </div>
      <ol className="flex flex-col gap-1 text-table">
        {task.attempts.map(({ attempt, instanceId, outcome, error, startedAt, endedAt }) => (
          <li key={attempt} className="break-words">
            {text('attempts.line', {
              attempt,
              instance: nameOf(instanceId),
              outcome: outcome === null ? 'running' : outcome === 'completed' ? 'completed' : 'other',
              time: format.duration((endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt)),
            })}
            {error === null ? null : (
              <span className="text-text-2"> · {words.said(error).split('\n')[0]}</span>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}

function colourOf({ outcome }: AttemptBar): string {
  if (outcome === null) return 'bg-running';
  return outcome === 'completed' ? 'bg-done' : 'bg-failed';
}

/** The input of the task: as a form that is only read, or as JSON. */
function TaskInput({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const [asJson, setAsJson] = useState(false);
  return (
    <Section
      title={text('input.title')}
      aside={
        <Button size="s" variant="plain" aria-pressed={asJson} onClick={() => setAsJson(!asJson)}>
          {asJson ? text('input.asForm') : text('input.asJson')}
        </Button>
      }
    >
      {asJson ? <InputJson task={task} /> : <InputForm task={task} />}
    </Section>
  );
}

function InputForm({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const [whole, setWhole] = useState(task.error?.node !== undefined);
  const groups = useMemo(() => inputGroups(task.workflow, task.params), [task.workflow, task.params]);
  return (
    <div className="@container flex flex-col gap-3">
      <div className="grid gap-x-8 gap-y-3 @2xl:grid-cols-2">
        {groups.slice(0, whole ? maxGroups : firstGroups).map(({ node, title, inputs }) => (
          <div key={node} id={`node-${node}`} className="scroll-mt-16 border-t border-border pt-2">
            <h3 className="text-table font-medium break-words">
              {title} <span className="font-normal text-text-3">{node}</span>
            </h3>
            <dl className="mt-1 grid grid-cols-[minmax(6rem,12rem)_1fr] gap-x-4 gap-y-1 text-table">
              {inputs.map(({ name, value, changed }) => (
                <div key={name} className="contents">
                  <dt className="truncate text-text-2">{name}</dt>
                  <dd className={`line-clamp-4 min-w-0 break-words ${changed ? 'font-medium' : ''}`}>
                    {value}
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </div>
      {!whole && groups.length > firstGroups ? (
        <Button size="s" variant="plain" className="self-start" onClick={() => setWhole(true)}>
          {text('input.showAll', { count: groups.length })}
        </Button>
      ) : null}
      {whole && groups.length > maxGroups ? (
        <p className="text-table text-text-2">{text('input.cut', { count: groups.length - maxGroups })}</p>
      ) : null}
    </div>
  );
}

function InputJson({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const json = useMemo(
    () => JSON.stringify({ workflow: task.workflow, params: task.params }, null, 2),
    [task.workflow, task.params],
  );
  return <LongText text={json} label={text('input.title')} />;
}

/** The results of the task: pictures first, then other files and texts. */
function TaskResult({ task, wide }: { task: TaskDetail; wide: boolean }) {
  const text = useText('tasks');
  const { result } = task;
  if (result === null) return null;
  const pictures = picturesOf(task);
  const others = result.outputs.filter((output) => !pictures.includes(output));
  const nothing = result.outputs.length === 0 && result.texts.length === 0;
  return (
    <Section
      title={text('result.title')}
      aside={
        pictures.length > 0 ? (
          <Link href={`/gallery?task=${task.id}`} className="text-table text-accent hover:underline">
            {text('result.gallery')}
          </Link>
        ) : undefined
      }
    >
      {pictures.length > 0 ? <Pictures pictures={pictures.slice(0, maxShown)} wide={wide} /> : null}
      {pictures.length > maxShown ? (
        <p className="text-table text-text-2">{text('list.more', { count: pictures.length - maxShown })}</p>
      ) : null}
      <FileList files={others} />
      {result.texts.map(({ node, text: content }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one node may make several texts, and their order never changes
        <LongText key={`${node}-${index}`} text={content} label={text('result.text', { node })} />
      ))}
      {nothing ? <p className="text-body text-text-2">{text('result.nothing')}</p> : null}
      {result.outputsReused ? <p className="text-table text-text-2">{text('result.reused')}</p> : null}
      {result.outputsMissing > 0 ? (
        <p className="text-table text-failed">{text('result.missing', { count: result.outputsMissing })}</p>
      ) : null}
    </Section>
  );
}

type Output = NonNullable<TaskDetail['result']>['outputs'][number];

function Pictures({ pictures, wide }: { pictures: readonly Output[]; wide: boolean }) {
  const columns = wide ? 'grid-cols-2 sm:grid-cols-3 lg:grid-cols-4' : 'grid-cols-2';
  return (
    <ul className={`grid gap-1 ${pictures.length === 1 ? 'max-w-[32rem] grid-cols-1' : columns}`}>
      {pictures.map(({ fileId, filename, url, contentType }) => (
        <li key={fileId} className="min-w-0">
          <a
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            className="relative block aspect-square overflow-hidden rounded-control bg-sunken outline-accent focus-visible:outline-2 focus-visible:outline-offset-2"
          >
            <ThumbPicture fileId={fileId} alt={filename} cssPixels={320} contentType={contentType} />
          </a>
        </li>
      ))}
    </ul>
  );
}

function FileList({ files }: { files: readonly Output[] }) {
  const format = useFormat();
  if (files.length === 0) return null;
  return (
    <ul className="flex flex-col">
      {files.map(({ fileId, filename, url, size }) => (
        <li
          key={fileId}
          className="flex min-h-8 items-center justify-between gap-3 border-b border-border text-table"
        >
          <a href={url} download={filename} className="min-w-0 truncate text-accent hover:underline">
            {filename}
          </a>
          <span className="shrink-0 text-text-2">{format.bytes(size)}</span>
        </li>
      ))}
    </ul>
  );
}
