import { createTaskBatch, maxTasksInBatch } from '@switchyard/contract/dispatch/task-batches';
import { useQuery } from '@tanstack/react-query';
import { CommandLine } from '../../../kit/command-line.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { QueryView } from '../../../kit/query-view.tsx';
import { keys } from '../../../lib/data/keys.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import { type BatchChoice, batchCommand, batchOf, type ListBatchAction } from './batch-choice.ts';

const typedAbove = 50;
const waitSeconds = 10;

/** Counts first, then asks, then acts on exactly as many tasks as were counted. */
export function BatchDialog({
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
