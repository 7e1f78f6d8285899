import { listFiles } from '@switchyard/contract/dispatch/file';
import { type SavedWorkflowDetail, updateWorkflow } from '@switchyard/contract/dispatch/workflow';
import { useQuery } from '@tanstack/react-query';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { classes, focusRing } from '../../../kit/parts/classes.ts';
import { Thumb } from '../../../kit/pictures/thumb.tsx';
import { QueryView } from '../../../kit/query-view.tsx';
import { EmptyState } from '../../../kit/states/empty-state.tsx';
import { keys } from '../../../lib/data/keys.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';

const maxOffered = 48;

/** Chooses the picture on the card of a workflow among those that it has made. */
export function CoverDialog({ workflow, onClose }: { workflow: SavedWorkflowDetail; onClose: () => void }) {
  const text = useText('workflows');
  const { act, isBusy } = useAct();
  const { id: workflowId, cover } = workflow;
  const made = useQuery({
    queryKey: [...keys.files, 'covers', workflowId],
    queryFn: ({ signal }) =>
      gateway.call(listFiles, { query: { workflowId, kind: 'image', limit: maxOffered }, signal }),
  });
  const choose = (coverFileId: string | null) =>
    act(() => gateway.call(updateWorkflow, { params: { workflowId }, body: { coverFileId } }), {
      done: text('cover.done'),
      refresh: [keys.workflows],
      onDone: onClose,
    });
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={text('cover.title', { name: workflow.name })}
      actions={
        cover?.chosen ? (
          <Button isBusy={isBusy} onClick={() => void choose(null)}>
            {text('cover.last')}
          </Button>
        ) : undefined
      }
    >
      <p className="pb-3 text-body text-text-2">{text('cover.hint')}</p>
      <QueryView
        query={made}
        isEmpty={({ items }) => items.length === 0}
        first={<EmptyState title={text('cover.none')} />}
      >
        {({ items }) => (
          <ul className="flex flex-wrap gap-2">
            {items.map(({ fileId, filename, contentType }) => (
              <li key={fileId}>
                <button
                  type="button"
                  disabled={isBusy}
                  aria-label={text('cover.choose', { filename })}
                  aria-pressed={cover?.fileId === fileId}
                  onClick={() => void choose(fileId)}
                  className={classes(
                    focusRing,
                    'block cursor-pointer rounded-control border-2',
                    cover?.fileId === fileId ? 'border-accent' : 'border-transparent',
                  )}
                >
                  <Thumb fileId={fileId} alt="" size={112} contentType={contentType} />
                </button>
              </li>
            ))}
          </ul>
        )}
      </QueryView>
    </Dialog>
  );
}
