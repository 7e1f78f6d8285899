import { Button } from '../../../kit/button.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { Replacement } from '../actions/replace-dialog.tsx';
import { endsWithQuestion } from '../model/clarification.ts';
import type { Turn } from '../model/turn.ts';
import { Suggestions } from '../suggestions.tsx';
import { TurnFooter } from './turn-footer.tsx';
import { TurnView } from './turn-view.tsx';

interface TurnListProps {
  threadId: string;
  turns: readonly Turn[];
  isRunning: boolean;
  /** Reads what was said before; null when all of it is here. */
  older: (() => void) | null;
  onAnswer: (text: string) => void;
  onReplace: (kind: Replacement, turn: Turn) => void;
}

/** All turns, the oldest first. Only the last answer can be made again; every end can begin a branch. */
export function TurnList({ threadId, turns, isRunning, older, onAnswer, onReplace }: TurnListProps) {
  const text = useText('chat');
  const last = turns.at(-1);
  const canAnswer = !isRunning;
  return (
    <>
      {older ? (
        <Button className="self-center" onClick={older}>
          {text('older')}
        </Button>
      ) : null}
      {turns.length === 0 ? <p className="text-lead text-text-2">{text('first.empty')}</p> : null}
      {turns.map((turn) => {
        const isLast = turn === last;
        const canReplace = isLast && !isRunning && turn.human !== null && turn.run !== null;
        return (
          <TurnView
            key={turn.runId}
            threadId={threadId}
            turn={turn}
            onAnswer={isLast && canAnswer ? onAnswer : null}
            footer={
              turn.isLive || turn.run === null ? null : (
                <>
                  <TurnFooter
                    threadId={threadId}
                    turn={turn}
                    onAgain={canReplace ? () => onReplace('regenerate', turn) : null}
                    onEdit={canReplace ? () => onReplace('edit', turn) : null}
                    onBranch={isLast && !isRunning ? () => onReplace('branch', turn) : null}
                  />
                  {isLast && !isRunning && turn.run.status === 'success' && !endsWithQuestion(turn) ? (
                    <Suggestions threadId={threadId} turn={turn} onChoose={onAnswer} />
                  ) : null}
                </>
              )
            }
          />
        );
      })}
    </>
  );
}
