import { useMutation } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { useRef } from 'react';
import { gateway } from '../../lib/gateway.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { Button } from '../button.tsx';
import { classes } from '../parts/classes.ts';
import { Thumb } from '../pictures/thumb.tsx';
import { useDrop } from '../use-drop.ts';
import { type FileDraft, isFileDraft } from './field-draft.ts';

const thumbSize = 72;

/** A picture or another file: dropped or chosen, uploaded at once, and shown. */
export function FileInput({
  draft,
  label,
  onChange,
}: {
  /** A stored file, or the name of one that the workers have. */
  draft: FileDraft | string;
  label: string;
  onChange: (draft: FileDraft) => void;
}) {
  const text = useText('fields');
  const words = useGatewayWords();
  const chooser = useRef<HTMLInputElement>(null);
  const upload = useMutation({
    mutationFn: (file: File) => gateway.upload(file),
    onSuccess: ({ fileId, filename }) => onChange({ fileId, filename }),
  });
  const take = (file: File | undefined) => {
    if (file) upload.mutate(file);
  };
  const { isOver, place } = useDrop(([file]) => take(file));
  return (
    <div
      {...place}
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
        {upload.error ? <span className="text-table text-failed">{words.error(upload.error)}</span> : null}
        <Button
          size="s"
          icon={<Upload size={16} strokeWidth={1.75} aria-hidden />}
          disabled={upload.isPending}
          onClick={() => chooser.current?.click()}
        >
          {text('file.choose')}
        </Button>
        <input
          ref={chooser}
          type="file"
          hidden
          aria-label={label}
          onChange={(event) => {
            take(event.target.files?.[0]);
            event.target.value = '';
          }}
        />
      </div>
    </div>
  );
}

function nameOf(draft: FileDraft | string): string {
  return isFileDraft(draft) ? draft.filename : draft;
}
