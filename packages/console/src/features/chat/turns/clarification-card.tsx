import { Button } from '../../../kit/button.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { Clarification } from '../model/clarification.ts';

/** A question of the agent. Its options are buttons as long as they can still be chosen; any other answer is written below. */
export function ClarificationCard({
  question: { question, context, options },
  onAnswer,
}: {
  question: Clarification;
  onAnswer: ((text: string) => void) | null;
}) {
  const text = useText('chat');
  return (
    <section
      className="flex max-w-[68ch] flex-col gap-3 border-l-2 border-accent py-1 pl-4"
      aria-label={text('question.label')}
    >
      {context === null ? null : <p className="text-body text-text-2">{context}</p>}
      <p className="text-lead">{question}</p>
      {options.length > 0 ? (
        <ul className="flex flex-wrap gap-2">
          {options.map((option) => (
            <li key={option}>
              <Button
                disabled={onAnswer === null}
                className="h-auto min-h-8 py-1 whitespace-normal"
                onClick={() => onAnswer?.(option)}
              >
                {option}
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      {onAnswer ? <p className="text-meta text-text-2">{text('question.hint')}</p> : null}
    </section>
  );
}
