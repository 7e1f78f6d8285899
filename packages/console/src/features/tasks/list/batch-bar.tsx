import { createTaskBatch, maxTasksInBatch } from '@switchyard/contract/dispatch/task-batches';
import type { TaskListQuery } from '@switchyard/contract/dispatch/tasks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { useCommandHint } from '../../../kit/command-hint.tsx';
import { CommandLine } from '../../../kit/command-line.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { QueryView } from '../../../kit/query-view.tsx';
import { keys } from '../../../lib/data/keys.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import {
  type BatchChoice,
  batchActions,
  batchCommand,
  batchOf,
  type ListBatchAction,
} from './batch-choice.ts';
import type { Selection } from './selection.ts';
import type { TaskListFilter } from './task-filter.ts';

const typedAbove = 50;
const waitSeconds = 10;

interface BatchBarProps {
  selection: Selection;
  filter: TaskListFilter;
  query: Omit<TaskListQuery, 'limit' | 'offset'>;
  /** The number of tasks that the filter finds. */
  total: number;
  onAll: () => void;
  onDone: () => void;
}

/** The actions on the chosen rows, or on everything that the filter finds. */
export function BatchBar({ selection, filter, query, total, onAll, onDone }: BatchBarProps) {
  const text = useText('tasks');
  const [action, setAction] = useState<ListBatchAction | null>(null);
  const count = selection.chosen.size;
  const choice: BatchChoice = selection.all ? { filter, query } : { taskIds: [...selection.chosen] };
  if (count === 0) return null;
  return (
    <section
      aria-label={text('batch.label')}
      className="sticky bottom-16 z-20 short:static mt-2 flex flex-wrap items-center gap-2 rounded-card border border-border bg-surface p-2 shadow-layer sm:bottom-4"
    >
      <span role="status" className="px-1 font-medium">
        {selection.all ? text('batch.all', { count: total }) : text('batch.chosen', { count })}
      </span>
      {!selection.all && total > count ? (
        <Button variant="plain" size="s" onClick={onAll}>
          {text('batch.chooseAll', { count: total })}
        </Button>
      ) : null}
      <span className="flex-1" />
      {batchActions.map((each) => (
        <ActionButton key={each} action={each} choice={choice} onClick={() => setAction(each)} />
      ))}
      <Button variant="plain" onClick={onDone}>
        {text('batch.none')}
      </Button>
      {action === null ? null : (
        <BatchDialog
          action={action}
          choice={choice}
          onClose={() => setAction(null)}
          onDone={() => {
            setAction(null);
            onDone();
          }}
        />
      )}
    </section>
  );
}

function ActionButton({
  action,
  choice,
  onClick,
}: {
  action: ListBatchAction;
  choice: BatchChoice;
  onClick: () => void;
}) {
  const text = useText('tasks');
  const hint = useCommandHint(batchCommand(action, choice));
  return (
    <Button {...hint} variant={action === 'cancel' ? 'danger' : 'quiet'} onClick={onClick}>
      {text(`batch.${action}`)}
    </Button>
  );
}

/** Counts first, then asks, then acts on exactly as many tasks as were counted. */
function BatchDialog({
  action,
  choice,
  onClose,
  onDone,
}: {
  action: ListBatchAction;
  choice: BatchChoice;
  onClose: () => void;
  onDone: () => void;
}) {
  const text = useText('tasks');
  const { act, isBusy } = useAct();
  const body = batchOf(action, choice);
  const count = useQuery({
    queryKey: ['task-batches', 'count', body],
    queryFn: ({ signal }) => gateway.call(createTaskBatch, { body: { ...body, dryRun: true }, signal }),
    staleTime: 0,
    gcTime: 0,
  });
  const total = count.data?.total ?? 0;
  const run = async () => {
    const isDone = await act(
      () => gateway.call(createTaskBatch, { body: { ...body, count: total }, query: { wait: waitSeconds } }),
      {
        done: ({ state, done, skipped, failed }) => ({
          text: text(state === 'finished' ? 'batch.finished' : 'batch.goesOn', { done, skipped, failed }),
          tone: failed > 0 ? 'failed' : 'done',
        }),
        refresh: [keys.tasks, keys.overview],
        onDone,
      },
    );
    // The count may have changed; the dialog shows the new one.
    if (!isDone) void count.refetch();
  };
  const tooMany = count.data?.totalIsMinimum === true;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={text(`batch.${action}Title`)}
      confirm={text(`batch.${action}Confirm`, { count: total })}
      busy={isBusy || count.isFetching || total === 0 || tooMany}
      typed={action !== 'front' && total > typedAbove ? String(total) : undefined}
      onConfirm={() => void run()}
    >
      <QueryView query={count}>
        {() => (
          <p>
            {tooMany
              ? text('batch.tooMany', { count: maxTasksInBatch })
              : text(`batch.${action}Effect`, { count: total })}
          </p>
        )}
      </QueryView>
      <CommandLine command={batchCommand(action, choice)} />
    </ConfirmDialog>
  );
}
