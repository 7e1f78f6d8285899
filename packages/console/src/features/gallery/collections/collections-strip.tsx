import type { Collection } from '@switchyard/contract/dispatch/collection';
import { useQuery } from '@tanstack/react-query';
import { FolderPlus, Images } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../../kit/button.tsx';
import { classes } from '../../../kit/parts/classes.ts';
import { draggedFiles, useFileDrop } from '../../../kit/pictures/file-drag.ts';
import { Thumb } from '../../../kit/pictures/thumb.tsx';
import { collectionsQuery } from '../../../lib/data/files.ts';
import { useText } from '../../../lib/i18n.ts';
import { CollectDialog } from './collect-dialog.tsx';
import { useCollections } from './use-collections.ts';

const coverSize = 40;

/** The collections in one row. Pictures can be dropped on each. */
export function CollectionsStrip({ current }: { current: string | null }) {
  const text = useText('gallery');
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery(collectionsQuery());
  return (
    <nav
      aria-label={text('collections.label')}
      className="flex min-w-0 items-center gap-2 overflow-x-auto p-0.5"
    >
      <Button
        variant="plain"
        icon={<FolderPlus size={16} strokeWidth={1.75} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {text('collections.new')}
      </Button>
      {data?.items.map((collection) => (
        <CollectionLink key={collection.id} collection={collection} isCurrent={collection.id === current} />
      ))}
      <CollectDialog open={isOpen} fileIds={[]} onClose={() => setOpen(false)} />
    </nav>
  );
}

function CollectionLink({ collection, isCurrent }: { collection: Collection; isCurrent: boolean }) {
  const text = useText('gallery');
  const { add } = useCollections();
  const { isOver, place } = useFileDrop((event) => void add(collection, draggedFiles(event)));
  const { id, name, count, cover } = collection;
  return (
    <Link
      {...place}
      href={`/gallery?collection=${id}`}
      aria-current={isCurrent ? 'page' : undefined}
      className={classes(
        'flex shrink-0 items-center gap-2 rounded-control border p-1 pr-3 text-table outline-accent hover:bg-sunken focus-visible:outline-2',
        isOver || isCurrent ? 'border-accent-solid' : 'border-border',
        isOver ? 'bg-sunken' : 'bg-surface',
      )}
    >
      {cover ? (
        <Thumb fileId={cover.fileId} alt="" size={coverSize} contentType={cover.contentType} />
      ) : (
        <span className="flex size-10 items-center justify-center rounded-control bg-sunken text-text-3">
          <Images size={20} strokeWidth={1.75} aria-hidden />
        </span>
      )}
      <span className="flex max-w-[10rem] min-w-0 flex-col">
        <span className="truncate font-medium">{name}</span>
        <span className="text-meta text-text-2 tabular-nums">{text('collections.count', { count })}</span>
      </span>
    </Link>
  );
}
