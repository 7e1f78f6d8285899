import type { TaskListQuery } from '@switchyard/contract/dispatch/tasks';
import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { useCommandHint } from '../../../kit/command-hint.tsx';
import { useText } from '../../../lib/i18n.ts';
import { type BatchChoice, batchActions, batchCommand, type ListBatchAction } from './batch-choice.ts';
import { BatchDialog } from './batch-dialog.tsx';
import type { Selection } from './selection.ts';
import type { TaskListFilter } from './task-filter.ts';

interface BatchBarProps {
  selection: Selection;
  filter: TaskListFilter;
  query: Omit<TaskListQuery, 'limit' | 'offset'>;
  /** How many tasks the filter finds. */
  total: number;
  onAll: () => void;
  onDone: () => void;
}

/** What can be done with the chosen rows, or with everything that the filter finds. */
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
