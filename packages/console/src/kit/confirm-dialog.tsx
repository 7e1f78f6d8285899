import { type ReactNode, useState } from 'react';
import { useText } from '../lib/i18n.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';
import { TextInput } from './text-input.tsx';

interface ConfirmDialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** Names the objects and what happens to them. */
  children: ReactNode;
  /** The verb with its object: "Delete 3 files". */
  confirm: string;
  onConfirm: () => void;
  busy?: boolean | undefined;
  /** The text that the user has to type first, when very much is at stake. */
  typed?: string | undefined;
}

/** Asks before something that cannot be taken back. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, onClose, title, children, confirm, onConfirm, busy, typed } = props;
  const text = useText('kit');
  const [entry, setEntry] = useState('');
  const blocked = busy || (typed !== undefined && entry.trim() !== typed);
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>{text('dialog.cancel')}</Button>
          <Button variant="danger" disabled={blocked} onClick={onConfirm}>
            {confirm}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {children}
        {typed === undefined ? null : (
          <Field label={text('dialog.typed', { word: typed })}>
            <TextInput value={entry} onChange={(event) => setEntry(event.target.value)} autoComplete="off" />
          </Field>
        )}
      </div>
    </Dialog>
  );
}
