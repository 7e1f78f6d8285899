import type { Instance } from '@switchyard/contract/dispatch/instance';
import type { Task } from '@switchyard/contract/dispatch/task';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useMemo, useRef } from 'react';
import { useFailure } from '../../../kit/failures/use-failure.ts';
import { Menu } from '../../../kit/menu.tsx';
import { Thumb } from '../../../kit/pictures/thumb.tsx';
import { RowLink } from '../../../kit/rows/row-link.tsx';
import type { Column } from '../../../kit/table/column.ts';
import { TimeAgo } from '../../../kit/time-ago.tsx';
import { instancesQuery } from '../../../lib/data/instances.ts';
import { useOwnerNames } from '../../../lib/data/owner-names.ts';
import { blank, type Format } from '../../../lib/format/format.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useAtNow } from '../../../lib/format/use-now.ts';
import { useText } from '../../../lib/i18n.ts';
import { hasEnded, isWaiting, picturesOf, ranMs, stateOf, waitedMs } from '../../../lib/task-state.ts';
import { type TaskAction, useTaskAction } from '../task-actions.ts';
import { TaskEstimate, TaskProgress } from '../task-progress.tsx';
import { TaskStatusWord, useTaskName } from '../task-words.tsx';
import { type OptionalColumn, optionalColumns, useShownColumns } from './shown-columns.ts';

/**
 * The columns of the list. Texts share the width that the numbers leave, so that a name keeps its room. The name leads to the page
 * of the task; a plain click opens it beside the list.
 */
export function useTaskColumns({ onOpen }: { onOpen: (taskId: string) => void }): Column<Task>[] {
  const text = useText('tasks');
  const nameOf = useTaskName();
  const format = useFormat();
  const { actOn } = useTaskAction();
  const { data: instances } = useQuery({ ...instancesQuery(), select: namesOf });
  const opened = useRef(onOpen);
  opened.current = onOpen;
  const { shown } = useShownColumns();
  const ownerName = useOwnerNames({ isWanted: shown.has('owner') });
  const columns = useMemo<Column<Task>[]>(
    () => [
      {
        id: 'name',
        fits: true,
        header: text('column.task'),
        cell: (task) => <NameCell taskId={task.id} name={nameOf(task)} opened={opened} />,
      },
      {
        id: 'status',
        nameless: true,
        header: text('column.status'),
        width: '7rem',
        fits: true,
        cell: (task) => <TaskStatusWord task={task} />,
      },
      {
        id: 'result',
        nameless: true,
        header: text('column.result'),
        cell: (task) => <ResultCell task={task} />,
      },
      {
        id: 'instance',
        header: text('column.instance'),
        wideOnly: true,
        cell: ({ instanceId }) => (instanceId === null ? blank : (instances?.[instanceId] ?? instanceId)),
      },
      {
        id: 'owner',
        header: text('column.owner'),
        cell: ({ owner }) => <span title={owner}>{ownerName(owner)}</span>,
      },
      {
        id: 'waited',
        header: text('column.waited'),
        width: '5.5rem',
        align: 'end',
        fits: true,
        cell: (task) => (isWaiting(task) ? <Waited task={task} /> : format.duration(waitedMs(task, 0))),
      },
      {
        id: 'ran',
        header: text('column.ran'),
        width: '5.5rem',
        align: 'end',
        fits: true,
        cell: (task) => (hasEnded(task) ? ranFor(task, format, 0) : <Ran task={task} />),
      },
      {
        id: 'created',
        header: text('column.created'),
        width: '5.25rem',
        align: 'end',
        fits: true,
        wideOnly: true,
        cell: (task) => <TimeAgo at={task.createdAt} />,
      },
      {
        id: 'actions',
        header: text('column.actions'),
        hideHeader: true,
        width: '3.25rem',
        tableOnly: true,
        fits: true,
        cell: (task) => <TaskMenu task={task} name={nameOf(task)} actOn={actOn} />,
      },
    ],
    [text, nameOf, format, actOn, instances, ownerName],
  );
  return useMemo(() => columns.filter(({ id }) => isShown(id, shown)), [columns, shown]);
}

function isShown(id: string, shown: ReadonlySet<OptionalColumn>): boolean {
  const optional = optionalColumns.find((name) => name === id);
  return optional === undefined || shown.has(optional);
}

function NameCell({
  taskId,
  name,
  opened,
}: {
  taskId: string;
  name: string;
  opened: RefObject<(taskId: string) => void>;
}) {
  return (
    <RowLink
      href={`/tasks/${taskId}`}
      command={`switchyard tasks get ${taskId}`}
      className="-mx-1 block truncate px-1 -outline-offset-2! leading-8.5 font-medium text-text hover:underline"
      onClick={(event) => {
        if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        opened.current(taskId);
      }}
    >
      {name}
    </RowLink>
  );
}

/** A row has room for four pictures, or for three and how many more there are. */
const picturesInRow = 4;

function ResultCell({ task }: { task: Task }) {
  const text = useText('tasks');
  const failureOf = useFailure();
  const state = stateOf(task);
  if (state === 'waiting') {
    return (
      <span className="text-text-2">
        {task.position === null ? null : text('list.position', { position: task.position })}{' '}
        <TaskEstimate task={task} />
      </span>
    );
  }
  if (state === 'running' || state === 'stopping') {
    return (
      <span className="flex flex-col gap-1">
        <span className="truncate text-meta text-text-2">{task.node ?? text(`phase.${task.phase}`)}</span>
        <TaskProgress task={task} thin />
      </span>
    );
  }
  // The status says it already.
  if (state === 'cancelled') return null;
  if (task.error !== null) {
    return <span className="text-text-2">{failureOf(task.error).cause}</span>;
  }
  const pictures = picturesOf(task);
  const others = (task.result?.outputs.length ?? 0) - pictures.length;
  const shown = pictures.slice(0, pictures.length > picturesInRow ? picturesInRow - 1 : picturesInRow);
  const hidden = pictures.length - shown.length;
  return (
    <span className="flex h-8.5 items-center gap-0.5">
      {shown.map(({ fileId, filename }) => (
        <Thumb key={fileId} fileId={fileId} alt={filename} size={34} />
      ))}
      {hidden > 0 ? (
        <span className="pl-1 text-meta text-text-2">{text('list.more', { count: hidden })}</span>
      ) : null}
      {others > 0 ? (
        <span className="px-1 text-meta text-text-2">{text('list.files', { count: others })}</span>
      ) : null}
    </span>
  );
}

/** Stays the same object until a name changes: the rest of an instance changes with every task. */
function namesOf(instances: readonly Instance[]): Record<string, string> {
  return Object.fromEntries(instances.map(({ id, serverName }) => [id, serverName]));
}

function Waited({ task }: { task: Task }) {
  const format = useFormat();
  return useAtNow((now) => format.duration(waitedMs(task, now)));
}

function Ran({ task }: { task: Task }) {
  const format = useFormat();
  return useAtNow((now) => ranFor(task, format, now));
}

function ranFor(task: Task, format: Format, nowMs: number): string {
  const ms = ranMs(task, nowMs);
  return ms === null ? blank : format.duration(ms);
}

function TaskMenu({
  task,
  name,
  actOn,
}: {
  task: Task;
  name: string;
  actOn: (taskId: string, action: TaskAction) => void;
}) {
  const text = useText('tasks');
  const taskId = task.id;
  const items = hasEnded(task)
    ? [
        {
          label: text('action.retry'),
          command: `switchyard tasks retry ${taskId}`,
          onSelect: () => actOn(taskId, 'retry'),
        },
      ]
    : [
        ...(task.status === 'pending'
          ? [
              {
                label: text('action.front'),
                command: `switchyard tasks front ${taskId}`,
                onSelect: () => actOn(taskId, 'front'),
              },
            ]
          : []),
        {
          label: text('action.cancel'),
          command: `switchyard tasks cancel ${taskId}`,
          danger: true,
          disabled: task.cancelRequested,
          onSelect: () => actOn(taskId, 'cancel'),
        },
      ];
  return (
    <Menu
      label={text('action.menu', { name })}
      items={[{ label: text('action.openPage'), href: `/tasks/${taskId}` }, ...items]}
    />
  );
}
