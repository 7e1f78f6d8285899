import { useState } from 'react';
import { Button, type ButtonProps } from '../button.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';

interface Question {
  title: string;
  /** What happens to the object. */
  effect: string;
  /** The verb with its object. */
  confirm: string;
}

interface ConfirmedButtonProps extends Omit<ButtonProps, 'onClick'> {
  question: Question;
  onConfirm: () => void;
}

/** A button for what cannot be taken back: it asks before. */
export function ConfirmedButton({ question, onConfirm, ...button }: ConfirmedButtonProps) {
  const [asks, setAsks] = useState(false);
  const confirmed = () => {
    setAsks(false);
    onConfirm();
  };
  return (
    <>
      <Button size="s" {...button} onClick={() => setAsks(true)} />
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={question.title}
        confirm={question.confirm}
        onConfirm={confirmed}
      >
        <p>{question.effect}</p>
      </ConfirmDialog>
    </>
  );
}
