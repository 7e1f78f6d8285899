import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { QueryView } from '../../../kit/query-view.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { SavedView } from './saved-view.ts';
import { deleteView, saveView, viewsKey, viewsQuery } from './saved-views.ts';

/** The saved views, each of which can be deleted and brought back. */
export function ManageViews({ onClose }: { onClose: () => void }) {
  const text = useText('tasks');
  const views = useQuery(viewsQuery);
  return (
    <Dialog open onClose={onClose} title={text('view.manage')}>
      <QueryView query={views} isEmpty={(list) => list.length === 0} first={<p>{text('view.none')}</p>}>
        {(list) => (
          <ul className="flex flex-col">
            {list.map((view) => (
              <Row key={view.name} view={view} onClose={onClose} />
            ))}
          </ul>
        )}
      </QueryView>
    </Dialog>
  );
}

function Row({ view, onClose }: { view: SavedView; onClose: () => void }) {
  const text = useText('tasks');
  const { act } = useAct();
  const { name, search } = view;
  const remove = () => {
    // The message with the way back lies behind an open dialog.
    onClose();
    void act(() => deleteView(name), {
      done: text('view.deleted', { name }),
      undo: () => saveView(view),
      refresh: [viewsKey],
    });
  };
  return (
    <li className="flex items-center justify-between gap-3 border-b border-border py-1.5 last:border-0">
      <Link href={`/tasks${search}`} onClick={onClose} className="min-w-0 truncate text-accent underline">
        {name}
      </Link>
      <Button size="s" variant="plain" aria-label={text('view.deleteOf', { name })} onClick={remove}>
        {text('view.delete')}
      </Button>
    </li>
  );
}
