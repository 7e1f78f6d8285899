import type { StoredFile } from '@switchyard/contract/dispatch/file';
import { FolderMinus, FolderPlus, ListOrdered, Star, Tag } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Menu } from '../../../kit/menu.tsx';
import { useMarks } from '../../../kit/pictures/use-marks.ts';
import { useText } from '../../../lib/i18n.ts';
import { TagInput } from '../file-marks.tsx';
import { CollectDialog } from './collect-dialog.tsx';
import { followerAfter } from './follower.ts';
import { useCollections } from './use-collections.ts';

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** What can be noted about the chosen files, and in a collection their order. */
export function MarkActions({
  files,
  order,
  collectionId,
}: {
  /** The chosen files. */
  files: readonly StoredFile[];
  /** The ids of all files of the page in their order. */
  order: readonly string[];
  collectionId: string | null;
}) {
  const text = useText('gallery');
  const { mark } = useMarks();
  const { remove } = useCollections();
  const [open, setOpen] = useState<'tags' | 'collect' | null>(null);
  const ids = files.map(({ fileId }) => fileId);
  const areStarred = files.every(({ starred }) => starred);
  return (
    <>
      <Button
        size="s"
        aria-pressed={areStarred}
        icon={<Star {...icon} fill={areStarred ? 'currentColor' : 'none'} />}
        onClick={() => void mark(ids, { starred: !areStarred })}
      >
        {text(areStarred ? 'marks.unstar' : 'marks.star')}
      </Button>
      <Button size="s" icon={<Tag {...icon} />} onClick={() => setOpen('tags')}>
        {text('marks.edit')}
      </Button>
      <Button size="s" icon={<FolderPlus {...icon} />} onClick={() => setOpen('collect')}>
        {text('collections.add')}
      </Button>
      {collectionId === null ? null : (
        <>
          <OrderMenu ids={ids} order={order} collectionId={collectionId} />
          <Button size="s" icon={<FolderMinus {...icon} />} onClick={() => void remove(collectionId, ids)}>
            {text('collections.remove')}
          </Button>
        </>
      )}
      <TagsDialog open={open === 'tags'} files={files} onClose={() => setOpen(null)} />
      <CollectDialog open={open === 'collect'} fileIds={ids} onClose={() => setOpen(null)} />
    </>
  );
}

function OrderMenu({
  ids,
  order,
  collectionId,
}: {
  ids: readonly string[];
  order: readonly string[];
  collectionId: string;
}) {
  const text = useText('gallery');
  const { move, cover } = useCollections();
  const [only] = ids;
  return (
    <Menu
      label={text('order.label')}
      trigger={
        <Button size="s" icon={<ListOrdered {...icon} />}>
          {text('order.label')}
        </Button>
      }
      items={[
        ...(['start', 'earlier', 'later', 'end'] as const).map((to) => {
          const before = followerAfter(to, { ids, order });
          return {
            label: text(`order.${to}`),
            disabled: before === undefined,
            onSelect: () => void (before !== undefined && move(collectionId, ids, before)),
          };
        }),
        {
          label: text('collections.cover'),
          separated: true,
          disabled: ids.length !== 1,
          onSelect: () => void (only !== undefined && cover(collectionId, only)),
        },
      ]}
    />
  );
}

function TagsDialog({
  open,
  files,
  onClose,
}: {
  open: boolean;
  files: readonly StoredFile[];
  onClose: () => void;
}) {
  const text = useText('gallery');
  const { mark, isBusy } = useMarks();
  const ids = files.map(({ fileId }) => fileId);
  const tags = [...new Set(files.flatMap((file) => file.tags))].sort();
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={text('marks.editTitle')}
      actions={<Button onClick={onClose}>{text('marks.done')}</Button>}
    >
      <div className="flex flex-col gap-3">
        <TagInput
          label={text('marks.tagAll', { count: ids.length })}
          known={tags}
          onAdd={(tag) => mark(ids, { addTags: [tag] })}
        />
        <ul aria-label={text('marks.tags')} className="flex flex-wrap gap-1.5">
          {tags.map((tag) => (
            <li key={tag}>
              <Button size="s" isBusy={isBusy} onClick={() => void mark(ids, { removeTags: [tag] })}>
                {text('marks.untag', { tag })}
              </Button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
