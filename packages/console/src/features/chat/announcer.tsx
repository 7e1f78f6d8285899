import { useEffect, useRef, useState } from 'react';
import { useText } from '../../lib/i18n.ts';
import { taskCardOf } from './model/task-card.ts';
import type { Turn } from './model/turn.ts';

/** Tells a screen reader once that a reply is finished. Its text is not read out while it is streamed. */
export function Announcer({ turns, isRunning }: { turns: readonly Turn[]; isRunning: boolean }) {
  const text = useText('chat');
  const [words, setWords] = useState('');
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current && !isRunning) {
      const parts = turns.at(-1)?.parts ?? [];
      const files = parts.reduce(
        (sum, part) => sum + (part.kind === 'tool' ? taskCardOf(part).files.length : 0),
        0,
      );
      setWords(text('announce.finished', { count: files }));
    }
    wasRunning.current = isRunning;
  }, [isRunning, turns, text]);
  return (
    <p role="status" className="sr-only">
      {isRunning ? '' : words}
    </p>
  );
}
