import { useLayoutEffect } from 'react';
import { Button } from '../../../kit/button.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { Turn } from '../model/turn.ts';
import { keyOf } from '../model/versions.ts';
import { TurnEnd, type TurnEndProps } from './turn-end.tsx';
import { TurnView } from './turn-view.tsx';

interface TurnListProps extends Omit<TurnEndProps, 'turn' | 'isLast'> {
  turns: readonly Turn[];
  isRunning: boolean;
  /** Reads what was said before; null when all of it is here. */
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
