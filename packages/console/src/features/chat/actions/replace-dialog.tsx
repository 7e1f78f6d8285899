import { messageText } from '@switchyard/client/conversation/message-list';
import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Field } from '../../../kit/field.tsx';
import { TextArea } from '../../../kit/text-area.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { Turn } from '../model/turn.ts';

export type Replacement = 'edit' | 'regenerate' | 'branch';

/** Says what is not undone before an answer is replaced: tasks that ran have run, and files that were made stay. */
export function ReplaceDialog({
  kind,
  turn,
  isBusy,
  onClose,
  onConfirm,
}: {
  kind: Replacement;
  turn: Turn;
  isBusy: boolean;
  onClose: () => void;
  onConfirm: (text: string) => void;
}) {
  const text = useText('chat');
  const before = turn.human ? messageText(turn.human) : '';
  const [words, setWords] = useState(before);
  const tasks = turn.parts.filter((part) => part.kind === 'tool' && part.task !== null).length;
  return (
    <Dialog
      open
      onClose={onClose}
      title={text(`replace.${kind}.title`)}
      actions={
        <>
          <Button onClick={onClose}>{text('replace.keep')}</Button>
          <Button
            variant="solid"
            isBusy={isBusy}
            disabled={kind === 'edit' && words.trim() === ''}
            onClick={() => onConfirm(kind === 'edit' ? words : before)}
          >
            {text(`replace.${kind}.confirm`)}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {kind === 'edit' ? (
          <Field label={text('composer.message')}>
            <TextArea value={words} rows={4} onChange={(event) => setWords(event.target.value)} />
          </Field>
        ) : null}
        <p>{text(`replace.${kind}.effect`)}</p>
        {kind === 'branch' || tasks === 0 ? null : <p>{text('replace.notUndone', { count: tasks })}</p>}
      </div>
    </Dialog>
  );
}
