import { messageText } from '@switchyard/client/conversation/message-list';
import { deleteOwnFeedback, putFeedback } from '@switchyard/contract/conversation/feedback';
import { useQuery } from '@tanstack/react-query';
import { Copy, GitBranch, PanelRight, Pencil, RotateCcw, ThumbsDown, ThumbsUp } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { Button, IconButton } from '../../../kit/button.tsx';
import { useCopy } from '../../../kit/copy/use-copy.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Field } from '../../../kit/field.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { TextArea } from '../../../kit/text-area.tsx';
import { useToast } from '../../../kit/toast.tsx';
import { keys } from '../../../lib/data/keys.ts';
import { threadCostsQuery } from '../../../lib/data/threads.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import type { Turn } from '../model/turn.ts';

interface TurnFooterProps {
  threadId: string;
  turn: Turn;
  /** The actions on the answer; each is null while it is not possible. */
  onAgain: (() => void) | null;
  onEdit: (() => void) | null;
  onBranch: (() => void) | null;
  onAside: (() => void) | null;
}

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** The cost of a finished turn, and the actions on it. */
export function TurnFooter(props: TurnFooterProps) {
  const { threadId, turn, onAgain, onEdit, onBranch, onAside } = props;
  const text = useText('chat');
  const toast = useToast();
  const said = turn.parts.flatMap((part) => (part.kind === 'text' ? part.text : [])).join('\n\n');
  const { copy, dialog } = useCopy();
  const copySaid = async () => {
    if (await copy(said)) toast({ text: text('turn.copied') });
  };
  return (
    <footer className="flex flex-wrap items-center gap-1 text-meta text-text-2">
      {turn.parts.length > 0 ? <Thumbs threadId={threadId} turn={turn} /> : null}
      {said === '' ? null : (
        <IconButton label={text('turn.copy')} icon={<Copy {...icon} />} onClick={() => void copySaid()} />
      )}
      {onAgain ? (
        <IconButton label={text('turn.again')} icon={<RotateCcw {...icon} />} onClick={onAgain} />
      ) : null}
      {onEdit && turn.human && messageText(turn.human) !== '' ? (
        <IconButton label={text('turn.edit')} icon={<Pencil {...icon} />} onClick={onEdit} />
      ) : null}
      {onBranch ? (
        <IconButton label={text('turn.branch')} icon={<GitBranch {...icon} />} onClick={onBranch} />
      ) : null}
      {onAside ? (
        <IconButton label={text('aside.ask')} icon={<PanelRight {...icon} />} onClick={onAside} />
      ) : null}
      <TurnUsage threadId={threadId} turn={turn} />
      {dialog}
    </footer>
  );
}

function TurnUsage({ threadId, turn: { run, runId } }: { threadId: string; turn: Turn }) {
  const text = useText('chat');
  const format = useFormat();
  const { cost = null, currency = null } = useQuery(threadCostsQuery(threadId)).data?.[runId] ?? {};
  if (!run) return null;
  const { started_at: start, ended_at: end, context_tokens: context } = run;
  const used = [
    run.total_tokens > 0
      ? text('turn.tokens', {
          input: format.compact(run.total_input_tokens),
          output: format.compact(run.total_output_tokens),
        })
      : text('turn.run'),
    cost === null || currency === null || run.total_tokens === 0 ? null : format.money(cost, currency),
    context === null ? null : text('usage.contextTokens', { tokens: format.compact(context) }),
    start !== null && end !== null ? format.duration(Date.parse(end) - Date.parse(start)) : null,
  ];
  return (
    <Link
      href={`/runs/${threadId}/${runId}`}
      className="ml-2 rounded-control px-1 py-1 tabular-nums outline-accent hover:underline focus-visible:outline-2"
    >
      {used.filter((fact) => fact !== null).join(' · ')}
    </Link>
  );
}

function Thumbs({ threadId, turn: { runId, feedback } }: { threadId: string; turn: Turn }) {
  const text = useText('chat');
  const { act } = useAct();
  const [sent, setSent] = useState<number | null>(null);
  const [isCommenting, setCommenting] = useState(false);
  const params = { thread_id: threadId, run_id: runId };
  const rating = sent ?? feedback?.rating ?? 0;
  const rate = async (given: number, comment?: string) => {
    setSent(given);
    await act(
      async () => {
        if (given === 0) await gateway.call(deleteOwnFeedback, { params });
        else await gateway.call(putFeedback, { params, body: { rating: given, comment } });
      },
      { refresh: [[...keys.thread(threadId), 'messages']] },
    );
    setSent(null);
  };
  const press = (value: 1 | -1) => {
    void rate(rating === value ? 0 : value);
    if (rating !== value) setCommenting(true);
  };
  return (
    <>
      <IconButton
        label={text('turn.good')}
        aria-pressed={rating === 1}
        className={rating === 1 ? 'text-accent' : ''}
        icon={<ThumbsUp {...icon} fill={rating === 1 ? 'currentColor' : 'none'} />}
        onClick={() => press(1)}
      />
      <IconButton
        label={text('turn.bad')}
        aria-pressed={rating === -1}
        className={rating === -1 ? 'text-accent' : ''}
        icon={<ThumbsDown {...icon} fill={rating === -1 ? 'currentColor' : 'none'} />}
        onClick={() => press(-1)}
      />
      {isCommenting ? (
        <CommentDialog
          comment={feedback?.comment ?? ''}
          onClose={() => setCommenting(false)}
          onSave={(comment) => {
            void rate(rating === 0 ? 1 : rating, comment);
            setCommenting(false);
          }}
        />
      ) : null}
    </>
  );
}

function CommentDialog(props: { comment: string; onClose: () => void; onSave: (comment: string) => void }) {
  const { comment, onClose, onSave } = props;
  const text = useText('chat');
  const [words, setWords] = useState(comment);
  return (
    <Dialog
      open
      onClose={onClose}
      title={text('turn.comment')}
      actions={
        <>
          <Button onClick={onClose}>{text('turn.noComment')}</Button>
          <Button variant="solid" disabled={words.trim() === ''} onClick={() => onSave(words.trim())}>
            {text('turn.saveComment')}
          </Button>
        </>
      }
    >
      <Field label={text('turn.commentLabel')}>
        <TextArea value={words} maxLength={10_000} onChange={(event) => setWords(event.target.value)} />
      </Field>
    </Dialog>
  );
}
