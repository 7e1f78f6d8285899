import { Images, Upload } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useText } from '../../lib/i18n.ts';
import { Button } from '../button.tsx';
import { classes } from '../parts/classes.ts';
import { isTyping } from '../parts/typing.ts';
import { PaintMask } from '../pictures/paint-mask.tsx';
import { Thumb } from '../pictures/thumb.tsx';
import { useDrop } from '../use-drop.ts';
import { type FileDraft, isFileDraft } from './field-draft.ts';
import type { FieldSpec } from './field-spec.ts';
import { useFileUpload } from './use-file-upload.ts';

const thumbSize = 72;
const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;

const ChooseFile = lazy(async () => ({ default: (await import('./choose-file.tsx')).ChooseFile }));

/** A picture or another file: dropped, pasted, chosen from this machine or from the gallery, and shown. */
export function FileInput({
  parameter,
  draft,
  below,
  label,
  onChange,
}: {
  parameter: FieldSpec;
  /** A stored file, or the name of one that the workers have. */
  draft: FileDraft | string;
  /** The picture of another field, over which a mask is painted that has a file of its own. */
  below: FileDraft | undefined;
  label: string;
  onChange: (draft: FileDraft) => void;
}) {
  const text = useText('fields');
  const field = useRef<HTMLDivElement>(null);
  const { upload, reset, refusals, isPending, isPicture } = useFileUpload(
    parameter,
    ([file]) => file && onChange(file),
  );
  const take = (file: File | undefined) => {
    if (file) upload([file]);
  };
  const { isOver, place } = useDrop(([file]) => take(file));
  usePaste(field, take);
  return (
    <div
      {...place}
      ref={field}
      data-file-field={isFileDraft(draft) ? 'filled' : 'empty'}
      className={classes(
        'flex items-center gap-3 rounded-control border border-dashed p-2',
        isOver ? 'border-accent bg-running-tint' : 'border-control',
      )}
    >
      {isFileDraft(draft) ? <Thumb fileId={draft.fileId} alt="" size={thumbSize} /> : null}
      <div className="flex min-w-0 flex-1 flex-col items-start gap-1">
        <span className="max-w-full truncate text-body" role="status">
          {isPending ? text('file.uploading') : nameOf(draft) || text('file.none')}
        </span>
        {refusals.map((refusal) => (
          <Refusal key={refusal}>{refusal}</Refusal>
        ))}
        <div className="flex flex-wrap gap-2">
          <LocalChoice
            label={label}
            isPicture={isPicture}
            isPending={isPending}
            onChoose={(files) => take(files?.[0])}
          />
          <GalleryChoice
            label={label}
            isPicture={isPicture}
            onChoose={(chosen) => {
              reset();
              onChange(chosen);
            }}
          />
          {parameter.mask ? (
            <PaintMask
              file={isFileDraft(draft) ? draft : undefined}
              place={parameter.mask}
              below={below}
              onPainted={onChange}
            />
          ) : null}
        </div>
      </div>
    </div>
  );
}

/** The way to the files of this machine. */
export function LocalChoice({
  label,
  isPicture,
  isPending,
  several = false,
  onChoose,
}: {
  label: string;
  isPicture: boolean;
  isPending: boolean;
  several?: boolean;
  onChoose: (files: FileList | null) => void;
}) {
  const text = useText('fields');
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        size="s"
        icon={<Upload {...icon} />}
        isBusy={isPending}
        onClick={() => chooser.current?.click()}
      >
        {text(several ? 'files.choose' : 'file.choose')}
      </Button>
      <input
        ref={chooser}
        type="file"
        hidden
        multiple={several}
        aria-label={label}
        accept={isPicture ? 'image/*' : undefined}
        onChange={(event) => {
          onChoose(event.target.files);
          event.target.value = '';
        }}
      />
    </>
  );
}

/** The way to the stored files. With `chosen`, several may be taken, and the dialog stays. */
export function GalleryChoice({
  label,
  isPicture,
  chosen,
  onChoose,
}: {
  label: string;
  isPicture: boolean;
  chosen?: ReadonlySet<string>;
  onChoose: (file: FileDraft) => void;
}) {
  const text = useText('fields');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="s" icon={<Images {...icon} />} onClick={() => setOpen(true)}>
        {text('file.gallery')}
      </Button>
      {isOpen ? (
        <Suspense>
          <ChooseFile
            label={label}
            isPicture={isPicture}
            chosen={chosen}
            onChoose={(file) => {
              onChoose(file);
              if (chosen === undefined) setOpen(false);
            }}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      ) : null}
    </>
  );
}

export function Refusal({ children }: { children: string }) {
  return (
    <span role="alert" className="max-w-full text-table break-words text-failed">
      {children}
    </span>
  );
}

function nameOf(draft: FileDraft | string): string {
  return isFileDraft(draft) ? draft.filename : draft;
}

/**
 * Takes a pasted file when the field has the focus. Anywhere else on the page, the first empty field takes it, or the only one.
 * A text that is being written keeps what is pasted as text.
 */
function usePaste(field: { current: HTMLElement | null }, take: (file: File) => void): void {
  const current = useRef(take);
  useEffect(() => {
    current.current = take;
  });
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const file = event.clipboardData?.files[0];
      if (!file || event.defaultPrevented || pasteField() !== field.current) return;
      if (isTyping(event.target) && event.clipboardData?.types.includes('text/plain')) return;
      event.preventDefault();
      current.current(file);
    };
    window.addEventListener('paste', onPaste);
    return () => window.removeEventListener('paste', onPaste);
  }, [field]);
}

function pasteField(): HTMLElement | undefined {
  const fields = [...document.querySelectorAll<HTMLElement>('[data-file-field]')];
  const focused = fields.find((each) => each.contains(document.activeElement));
  const empty = fields.find(({ dataset }) => dataset.fileField === 'empty');
  return focused ?? empty ?? (fields.length === 1 ? fields[0] : undefined);
}
