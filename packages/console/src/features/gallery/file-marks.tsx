import type { Collection } from '@switchyard/contract/dispatch/collection';
import { markLimits, type StoredFile } from '@switchyard/contract/dispatch/file';
import { useQuery } from '@tanstack/react-query';
import { Clock, FolderPlus, Pin, Star, X } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { Link } from 'wouter';
import { Button, IconButton } from '../../kit/button.tsx';
import { Field } from '../../kit/field.tsx';
import { useMarks } from '../../kit/pictures/use-marks.ts';
import { TextInput } from '../../kit/text-input.tsx';
import { collectionsQuery, fileTagsQuery } from '../../lib/data/files.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import { CollectDialog } from './collections/collect-dialog.tsx';

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** What its owner notes about the open file, what keeps it, and when it is deleted otherwise. */
export function FileMarks({ file }: { file: StoredFile }) {
  const text = useText('gallery');
  return (
    <section aria-label={text('marks.label')} className="flex flex-col gap-3 border-b border-border p-4">
      <KeptLine file={file} />
      <Caption file={file} />
      <Tags file={file} />
      <CollectionsOf file={file} />
    </section>
  );
}

/** Returns what stars the open file, or takes its star off. */
export function useStar(file: StoredFile | undefined): () => void {
  const { mark } = useMarks();
  return () => {
    if (file) void mark([file.fileId], { starred: !file.starred });
  };
}

/** The star of the open file, among the buttons above it. */
export function StarButton({ file, onStar }: { file: StoredFile | undefined; onStar: () => void }) {
  const text = useText('gallery');
  if (!file) return null;
  const { filename, starred } = file;
  return (
    <IconButton
      label={text('marks.starOne', { name: filename })}
      aria-pressed={starred}
      aria-keyshortcuts="s"
      icon={<Star size={20} strokeWidth={1.75} fill={starred ? 'currentColor' : 'none'} aria-hidden />}
      onClick={onStar}
    />
  );
}

function KeptLine({ file: { keptBy, expiresAt } }: { file: StoredFile }) {
  const text = useText('gallery');
  const format = useFormat();
  if (keptBy.length > 0) {
    const reasons = keptBy.map((keeper) => text(`keeper.${keeper}`));
    return (
      <p className="flex items-center gap-1.5 text-table text-text-2">
        <Pin {...icon} />
        {text('marks.kept', { reasons: format.list(reasons) })}
      </p>
    );
  }
  if (expiresAt === null) return null;
  return (
    <p className="flex items-center gap-1.5 text-table text-text-2">
      <Clock {...icon} />
      {text('marks.expires', { date: format.dateTime(new Date(expiresAt)) })}
    </p>
  );
}

/** Saved with Enter, and when the field is left. */
function Caption({ file: { fileId, caption } }: { file: StoredFile }) {
  const text = useText('gallery');
  const { mark } = useMarks();
  const [value, setValue] = useState(caption);
  const [stored, setStored] = useState(caption);
  // It was saved, or changed in another window; what is being typed stays.
  if (stored !== caption) {
    setStored(caption);
    if (value === stored) setValue(caption);
  }
  const save = () => {
    if (value.trim() !== caption) void mark([fileId], { caption: value });
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  return (
    <form onSubmit={onSubmit}>
      <Field label={text('marks.caption')}>
        <TextInput
          value={value}
          maxLength={markLimits.caption}
          onChange={(event) => setValue(event.target.value)}
          onBlur={save}
        />
      </Field>
    </form>
  );
}

function Tags({ file: { fileId, tags } }: { file: StoredFile }) {
  const text = useText('gallery');
  const { mark } = useMarks();
  return (
    <div className="flex flex-col gap-1.5">
      <TagInput label={text('marks.tag')} known={tags} onAdd={(tag) => mark([fileId], { addTags: [tag] })} />
      {tags.length === 0 ? null : (
        <ul aria-label={text('marks.tags')} className="flex flex-wrap gap-1.5">
          {tags.map((tag) => (
            <li
              key={tag}
              className="flex max-w-full items-center gap-1 rounded-control bg-sunken pl-2 text-table"
            >
              <span className="truncate">{tag}</span>
              <IconButton
                label={text('marks.untag', { tag })}
                icon={<X {...icon} />}
                className="size-6!"
                onClick={() => void mark([fileId], { removeTags: [tag] })}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** A field for one tag, which suggests those that are in use. Enter adds it. */
export function TagInput({
  label,
  known,
  onAdd,
}: {
  label: string;
  known: readonly string[];
  onAdd: (tag: string) => Promise<boolean>;
}) {
  const text = useText('gallery');
  const id = useId();
  const [value, setValue] = useState('');
  const { data } = useQuery(fileTagsQuery());
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (value.trim() !== '' && (await onAdd(value))) setValue('');
  };
  return (
    <form onSubmit={(event) => void onSubmit(event)}>
      <Field label={label}>
        <TextInput
          value={value}
          list={id}
          maxLength={markLimits.tag}
          placeholder={text('marks.tagHint')}
          onChange={(event) => setValue(event.target.value)}
        />
      </Field>
      <datalist id={id}>
        {data?.items
          .filter(({ tag }) => !known.includes(tag))
          .slice(0, 100)
          .map(({ tag }) => (
            <option key={tag} value={tag} />
          ))}
      </datalist>
    </form>
  );
}

function CollectionsOf({ file: { fileId } }: { file: StoredFile }) {
  const text = useText('gallery');
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery(collectionsQuery(fileId));
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {data?.items.map(({ id, name }: Collection) => (
        <Link
          key={id}
          href={`/gallery?collection=${id}`}
          className="max-w-full truncate rounded-control bg-sunken px-2 py-1 text-table text-accent outline-accent focus-visible:outline-2"
        >
          {name}
        </Link>
      ))}
      <Button size="s" variant="plain" icon={<FolderPlus {...icon} />} onClick={() => setOpen(true)}>
        {text('collections.add')}
      </Button>
      <CollectDialog open={isOpen} fileIds={[fileId]} onClose={() => setOpen(false)} />
    </div>
  );
}
