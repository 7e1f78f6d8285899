import { useMutation } from '@tanstack/react-query';
import { Images, Upload } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { gateway } from '../../lib/gateway.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { Button } from '../button.tsx';
import { classes } from '../parts/classes.ts';
import { isTyping } from '../parts/typing.ts';
import { PaintMask } from '../pictures/paint-mask.tsx';
import { Thumb } from '../pictures/thumb.tsx';
import { useDrop } from '../use-drop.ts';
import { type FileDraft, isFileDraft } from './field-draft.ts';
import type { FieldSpec } from './field-spec.ts';

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
  const words = useGatewayWords();
  const field = useRef<HTMLDivElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const [isChoosing, setChoosing] = useState(false);
  const isPicture = takesPicture(parameter);
  const upload = useMutation({
    mutationFn: async (file: File) => {
      const fault = isPicture ? await faultOfPicture(file) : null;
      return fault === null ? gateway.upload(named(file)) : { fault, name: file.name, type: file.type };
    },
    onSuccess: (kept) => 'fileId' in kept && onChange({ fileId: kept.fileId, filename: kept.filename }),
  });
  const refused = upload.data && 'fault' in upload.data ? upload.data : null;
  const take = (file: File | undefined) => {
    if (file) upload.mutate(file);
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
          {upload.isPending ? text('file.uploading') : nameOf(draft) || text('file.none')}
        </span>
        {upload.error ? <Refusal>{words.error(upload.error)}</Refusal> : null}
        {refused ? <Refusal>{text(`file.${refused.fault}`, { name: refused.name })}</Refusal> : null}
        <div className="flex flex-wrap gap-2">
          <Button
            size="s"
            icon={<Upload {...icon} />}
            // A button that is switched off loses the focus of the keyboard.
            aria-disabled={upload.isPending}
            onClick={() => upload.isPending || chooser.current?.click()}
          >
            {text('file.choose')}
          </Button>
          <Button size="s" icon={<Images {...icon} />} onClick={() => setChoosing(true)}>
            {text('file.gallery')}
          </Button>
          {parameter.mask ? (
            <PaintMask
              file={isFileDraft(draft) ? draft : undefined}
              place={parameter.mask}
              below={below}
              onPainted={onChange}
            />
          ) : null}
        </div>
        <input
          ref={chooser}
          type="file"
          hidden
          aria-label={label}
          accept={isPicture ? 'image/*' : undefined}
          onChange={(event) => {
            take(event.target.files?.[0]);
            event.target.value = '';
          }}
        />
        {isChoosing ? (
          <Suspense>
            <ChooseFile
              label={label}
              isPicture={isPicture}
              onChoose={(chosen) => {
                upload.reset();
                onChange(chosen);
                setChoosing(false);
              }}
              onClose={() => setChoosing(false)}
            />
          </Suspense>
        ) : null}
      </div>
    </div>
  );
}

function Refusal({ children }: { children: string }) {
  return (
    <span role="alert" className="max-w-full text-table break-words text-failed">
      {children}
    </span>
  );
}

function nameOf(draft: FileDraft | string): string {
  return isFileDraft(draft) ? draft.filename : draft;
}

/** Nodes call such an input `image` or `mask`. A field of another kind takes every file. */
function takesPicture({ name, sets }: FieldSpec): boolean {
  return /(^|_|\.)(image|mask|picture)s?\d*$/i.test(sets?.[0]?.input ?? name);
}

/** The formats that each browser can decode. */
const decodable = /^image\/(png|jpeg|webp|gif|bmp)$/;

/** Sees before the upload what a worker would report only after the run has failed. */
async function faultOfPicture(file: File): Promise<'notPicture' | 'broken' | null> {
  if (!file.type.startsWith('image/')) return 'notPicture';
  if (!decodable.test(file.type)) return null;
  try {
    (await createImageBitmap(file)).close();
    return null;
  } catch {
    return 'broken'; // the browser cannot decode it, and neither can a worker
  }
}

/** A pasted picture has no name of its own. */
function named(file: File): File {
  if (file.name !== '' && file.name !== 'image.png') return file;
  const time = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  return new File([file], `pasted-${time}.png`, { type: file.type });
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
