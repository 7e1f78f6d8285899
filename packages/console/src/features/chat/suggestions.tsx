import { messageText } from '@switchyard/client/conversation/message-list';
import { getSuggestionsConfig, suggestFollowUps } from '@switchyard/contract/conversation/suggestions';
import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect } from 'react';
import { Button } from '../../kit/button.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import type { Turn } from './model/turn.ts';

/** Suggestions for the next question. Nothing waits for them, and nothing is shown when the gateway has none. */
export function Suggestions({
  threadId,
  turn,
  onChoose,
  onDrawn,
}: {
  threadId: string;
  turn: Turn;
  onChoose: (text: string) => void;
  /** Called when they were drawn: they come some time after the answer. */
  onDrawn: () => void;
}) {
  const text = useText('chat');
  const config = useQuery({
    queryKey: ['suggestions', 'config'],
    queryFn: ({ signal }) => gateway.call(getSuggestionsConfig, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const suggestions = useQuery({
    queryKey: ['suggestions', threadId, turn.runId],
    enabled: config.data?.enabled === true,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: ({ signal }) =>
      gateway.call(suggestFollowUps, {
        params: { thread_id: threadId },
        body: { messages: lastWords(turn), n: 3 },
        signal,
      }),
  });
  const found = suggestions.data?.suggestions ?? [];
  // biome-ignore lint/correctness/useExhaustiveDependencies: new suggestions are what was drawn
  useLayoutEffect(onDrawn, [suggestions.data, onDrawn]);
  if (found.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2" aria-label={text('suggestions')}>
      {found.map((suggestion) => (
        <li key={suggestion}>
          <Button
            size="s"
            className="h-auto min-h-7 py-1 text-left font-normal! whitespace-normal!"
            onClick={() => onChoose(suggestion)}
          >
            {suggestion}
          </Button>
        </li>
      ))}
    </ul>
  );
}

const maxWords = 20_000;

function lastWords({ human, parts }: Turn): { role: string; content: string }[] {
  const answer = parts.flatMap((part) => (part.kind === 'text' ? part.text : [])).join('\n\n');
  return [
    { role: 'user', content: (human ? messageText(human) : '').slice(-maxWords) },
    { role: 'assistant', content: answer.slice(-maxWords) },
  ];
}
