import { X } from 'lucide-react';
import { useText } from '../../lib/i18n.ts';
import { IconButton } from '../button.tsx';
import { classes } from '../parts/classes.ts';
import { Thumb } from '../pictures/thumb.tsx';
import { useDrop } from '../use-drop.ts';
import type { FileDraft } from './field-draft.ts';
import type { FieldSpec } from './field-spec.ts';
import { GalleryChoice, LocalChoice, Refusal } from './file-input.tsx';
import { useFileUpload } from './use-file-upload.ts';

const thumbSize = 72;

/** Several files for one field, in an order: dropped, chosen from this machine or from the gallery. */
export function FilesInput({
  parameter,
  label,
  files,
  onChange,
}: {
  parameter: FieldSpec;
  label: string;
  files: readonly FileDraft[];
  onChange: (files: readonly FileDraft[]) => void;
}) {
  const text = useText('fields');
  const without = (fileId: string) => files.filter((file) => file.fileId !== fileId);
  const { upload, refusals, isPending, isPicture } = useFileUpload(parameter, (kept) =>
    onChange([...files, ...kept.filter(({ fileId }) => without(fileId).length === files.length)]),
  );
  const { isOver, place } = useDrop(upload);
  const toggle = (file: FileDraft) => {
    const rest = without(file.fileId);
    onChange(rest.length === files.length ? [...files, file] : rest);
  };
  return (
    <fieldset
      {...place}
      aria-label={label}
      className={classes(
        'flex min-w-0 flex-col gap-2 rounded-control border border-dashed p-2',
        isOver ? 'border-accent bg-running-tint' : 'border-control',
      )}
    >
      <ol className="flex max-h-48 flex-wrap gap-2 overflow-y-auto empty:hidden">
        {files.map(({ fileId, filename }, index) => (
          <li key={fileId} className="relative">
            <Thumb
              fileId={fileId}
              alt={filename || text('files.one', { number: index + 1 })}
              size={thumbSize}
            />
            <IconButton
              label={text('files.remove', { number: index + 1 })}
              variant="quiet"
              icon={<X size={14} strokeWidth={2} aria-hidden />}
              onClick={() => onChange(without(fileId))}
              className="absolute top-0 right-0 size-6"
            />
          </li>
        ))}
      </ol>
      <p role="status" className="text-table text-text-2">
        {isPending ? text('file.uploading') : text('files.count', { count: files.length })}
      </p>
      {refusals.map((refusal) => (
        <Refusal key={refusal}>{refusal}</Refusal>
      ))}
      <div className="flex flex-wrap gap-2">
        <LocalChoice label={label} isPicture={isPicture} isPending={isPending} several onChoose={upload} />
        <GalleryChoice
          label={label}
          isPicture={isPicture}
          chosen={new Set(files.map(({ fileId }) => fileId))}
          onChoose={toggle}
        />
      </div>
    </fieldset>
  );
}
