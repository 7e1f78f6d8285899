import { createTaskBatch, maxTasksInBatch } from '@switchyard/contract/dispatch/task-batches';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CommandLine } from '../../../kit/command-line.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { QueryView } from '../../../kit/query-view.tsx';
import { useToast } from '../../../kit/toast.tsx';
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
  const toast = useToast();
  const cache = useQueryClient();
  const body = batchOf(action, choice);
  const count = useQuery({
    queryKey: ['task-batches', 'count', body],
    queryFn: ({ signal }) => gateway.call(createTaskBatch, { body: { ...body, dryRun: true }, signal }),
    staleTime: 0,
    gcTime: 0,
  });
  const run = useMutation({
    mutationFn: (total: number) =>
      gateway.call(createTaskBatch, { body: { ...body, count: total }, query: { wait: waitSeconds } }),
    onSuccess: async ({ state, done, skipped, failed }) => {
      const key = state === 'finished' ? 'finished' : 'goesOn';
      toast({ text: text(`batch.${key}`, { done, skipped, failed }), tone: failed > 0 ? 'failed' : 'done' });
      onDone();
      await Promise.all([
        cache.invalidateQueries({ queryKey: keys.tasks }),
        cache.invalidateQueries({ queryKey: keys.overview }),
      ]);
    },
    onError: (error) => {
      toast({ error });
      // The count may have changed; the dialog shows the new one.
      void count.refetch();
    },
  });
  const total = count.data?.total ?? 0;
  const tooMany = count.data?.totalIsMinimum === true;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={text(`batch.${action}Title`)}
      confirm={text(`batch.${action}Confirm`, { count: total })}
      busy={run.isPending || count.isFetching || total === 0 || tooMany}
      typed={action !== 'front' && total > typedAbove ? String(total) : undefined}
      onConfirm={() => run.mutate(total)}
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
