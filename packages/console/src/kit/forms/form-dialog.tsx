import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useText } from '../../lib/i18n.ts';
import { Button } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { FormError } from './form-error.tsx';

interface FormDialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** The verb with its object: "Add account". */
  submit: string;
  /** A rejection is shown in the dialog, and what was typed stays. */
  onSubmit: () => Promise<unknown>;
  disabled?: boolean;
  wide?: boolean;
  children: ReactNode;
}

/** A form in front of the page. It closes when the gateway has taken what was typed. */
export function FormDialog(props: FormDialogProps) {
  const { open, onClose, title, submit, onSubmit, disabled = false, wide, children } = props;
  const text = useText('forms');
  const id = useId();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const close = () => {
    setError(null);
    onClose();
  };
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await onSubmit();
      close();
    } catch (refused) {
      setError(refused);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={title}
      wide={wide}
      actions={
        <>
          <Button onClick={close}>{text('cancel')}</Button>
          <Button type="submit" form={id} variant="solid" isBusy={isBusy} disabled={disabled}>
            {submit}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={(event) => void send(event)} className="flex flex-col gap-4">
        {children}
        {error !== null && <FormError error={error} />}
      </form>
    </Dialog>
  );
}
