import type { QueryKey } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, type ButtonProps } from '../button.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { useAct } from './use-act.ts';

interface Question {
  title: string;
  /** The effect on the object. */
  effect: string;
  /** The verb with its object. */
  confirm: string;
}

interface ConfirmedButtonProps extends Omit<ButtonProps, 'onClick'> {
  question: Question;
  work: () => Promise<unknown>;
  /** The message after it is done. */
  done: string;
  /** The query that is read again, whether the action worked or not. */
  refresh: QueryKey;
  onDone?: () => void;
}

/** A button for an action that cannot be taken back: it asks before, does it, and shows the result. */
export function ConfirmedButton({ question, work, done, refresh, onDone, ...button }: ConfirmedButtonProps) {
  const [asks, setAsks] = useState(false);
  const { act } = useAct();
  const confirmed = async () => {
    setAsks(false);
    if (await act(work, { done, refresh: [refresh] })) onDone?.();
  };
  return (
    <>
      <Button size="s" {...button} onClick={() => setAsks(true)} />
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={question.title}
        confirm={question.confirm}
        onConfirm={() => void confirmed()}
      >
        <p>{question.effect}</p>
      </ConfirmDialog>
    </>
  );
}
