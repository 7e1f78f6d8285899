import type { ThreadAnswers } from '@switchyard/contract/conversation/answers';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type ReactNode, useLayoutEffect } from 'react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { Replacement } from '../actions/replace-dialog.tsx';
import { canBeginAside } from '../model/aside.ts';
import { endsWithQuestion } from '../model/clarification.ts';
import type { Turn } from '../model/turn.ts';
import { type AnswerPlace, keyOf, placeOf, type VersionAddress } from '../model/versions.ts';
import { Suggestions } from '../suggestions.tsx';
import { TurnFooter } from './turn-footer.tsx';
import { TurnView } from './turn-view.tsx';

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;

interface TurnListProps extends Omit<TurnEndProps, 'turn' | 'isLast'> {
  turns: readonly Turn[];
  isRunning: boolean;
  /** Reads older messages; null when all of them are here. */
  older: (() => void) | null;
}

/** All turns, the oldest first. Only the last answer can be made again; every end can begin a branch. */
export function TurnList({ turns, isRunning, older, ...ends }: TurnListProps) {
  const text = useText('chat');
  const { onDrawn } = ends;
  // The first turns are drawn in a later step than the page around them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: new turns are what was drawn
  useLayoutEffect(onDrawn, [turns, onDrawn]);
  const last = turns.at(-1);
  return (
    <>
      {older ? (
        <Button className="self-center" onClick={older}>
          {text('older')}
        </Button>
      ) : null}
      {turns.length === 0 ? <p className="text-lead text-text-2">{text('first.empty')}</p> : null}
      {turns.map((turn) => {
        const isLast = turn === last && !isRunning;
        return (
          <TurnView
            key={keyOf(ends.answers, turn.runId)}
            threadId={ends.threadId}
            turn={turn}
            onAnswer={isLast ? ends.onAnswer : null}
            footer={<TurnEnd {...ends} turn={turn} isLast={isLast} />}
          />
        );
      })}
    </>
  );
}

interface TurnEndProps {
  threadId: string;
  turn: Turn;
  answers: ThreadAnswers | undefined;
  /** True when no turn follows and no run is at work. */
  isLast: boolean;
  /** Sends an answer; null while nothing can be sent. */
  onAnswer: ((text: string) => void) | null;
  onReplace: (kind: Replacement, turn: Turn) => void;
  /** Branches the conversation; null when a copy would contain another conversation than the page shows. */
  onBranch: ((turn: Turn) => void) | null;
  /** Begins an aside at an answer; null where none can begin. */
  onAside: ((turn: Turn) => void) | null;
  /** Shows the conversation with this run; null shows the newest. */
  onShow: (runId: string | null) => void;
  /** Called when something was drawn that may reach beyond the end of the page. */
  onDrawn: () => void;
}

/**
 * The end of a turn, below its answer. Its versions keep their place while it is given, so that they keep the focus
 * too.
 */
function TurnEnd(props: TurnEndProps) {
  const { threadId, turn, answers, onAnswer, onShow, onDrawn } = props;
  const place = placeOf(answers, turn.runId);
  const isOver = !turn.isLive && turn.run !== null;
  if (!isOver && place === null) return null;
  return (
    <>
      <div className="flex flex-wrap items-center gap-1">
        {place ? <AnswerSwitch place={place} onShow={onShow} /> : null}
        {isOver ? <TurnFooter threadId={threadId} turn={turn} {...actsOn(props)} /> : null}
      </div>
      {isOver && canSuggest(props) && onAnswer ? (
        <Suggestions threadId={threadId} turn={turn} onChoose={onAnswer} onDrawn={onDrawn} />
      ) : null}
    </>
  );
}

/** Goes through the versions of an answer: `‹ 2 / 3 ›`. */
function AnswerSwitch({
  place: { number, count, before, after },
  onShow,
}: {
  place: AnswerPlace;
  /** Null shows the newest conversation. */
  onShow: (runId: string | null) => void;
}) {
  const text = useText('chat');
  const step = (label: string, to: VersionAddress | null, mark: ReactNode) => (
    // It stays in the order of focus at the end of the row, so that a reader with a keyboard does not lose the place.
    <IconButton
      label={label}
      icon={mark}
      aria-disabled={to === null}
      className={to === null ? 'cursor-default opacity-50' : ''}
      onClick={() => to && onShow(to.runId)}
    />
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: these are two buttons, and no fields of a form
    <div role="group" aria-label={text('versions.label')} className="flex items-center text-meta text-text-2">
      {step(text('versions.before'), before, <ChevronLeft {...icon} />)}
      <span aria-live="polite" className="tabular-nums">
        <span aria-hidden>{text('versions.short', { number, count })}</span>
        <span className="sr-only">{text('versions.position', { number, count })}</span>
      </span>
      {step(text('versions.after'), after, <ChevronRight {...icon} />)}
    </div>
  );
}

/** Returns the actions on the answer; null for an action that is not possible now. */
function actsOn({ turn, isLast, onReplace, onBranch, onAside }: TurnEndProps) {
  const canReplace = isLast && turn.human !== null;
  return {
    onAgain: canReplace ? () => onReplace('regenerate', turn) : null,
    onEdit: canReplace ? () => onReplace('edit', turn) : null,
    onBranch: isLast && onBranch ? () => onBranch(turn) : null,
    onAside: onAside && canBeginAside(turn) ? () => onAside(turn) : null,
  };
}

/**
 * Returns whether the answer may get suggestions. A failed run has no answer to continue from, and a question waits for
 * its own answer.
 */
function canSuggest({ turn, isLast }: TurnEndProps): boolean {
  return isLast && turn.run?.status === 'success' && !endsWithQuestion(turn);
}
