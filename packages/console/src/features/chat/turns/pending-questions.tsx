import type { RunCreate } from '@switchyard/contract/conversation/run';
import { type ComponentProps, useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { useText } from '../../../lib/i18n.ts';
import { lazyPart, useLazyPart } from '../../../lib/lazy-part.ts';
import type { LiveInterrupt } from '../../../lib/live/run-news.ts';
import { actionsIn, decisionsOf, questionKey, resumeOf } from '../model/approval.ts';
import { ApprovalCard } from './approval-card.tsx';
import type { QuestionCard } from './question-card.tsx';

/** Its form is loaded with the first question of a graph. */
const questionCard = lazyPart(async () => (await import('./question-card.tsx')).QuestionCard);

interface PendingQuestionsProps {
  interrupts: readonly LiveInterrupt[];
  /** The steps that come next. */
  next: readonly string[];
  isBusy: boolean;
  onAnswer: (answer: RunCreate) => void;
}

/** The questions that wait for a person. The run continues when all of them are answered. */
export function PendingQuestions({ interrupts, next, isBusy, onAnswer }: PendingQuestionsProps) {
  const [answers, setAnswers] = useState<ReadonlyMap<string, unknown>>(new Map());
  const isAnswered = answers.size === interrupts.length;
  const give = (key: string, answer: unknown) => {
    const all = new Map(answers).set(key, answer);
    setAnswers(all);
    if (all.size === interrupts.length) onAnswer({ command: { resume: resumeOf(interrupts, all) } });
  };
  if (interrupts.length === 0)
    return next.length === 0 ? null : <Stop next={next} isBusy={isBusy} onAnswer={onAnswer} />;
  return interrupts.map((interrupt, place) => {
    const { value } = interrupt;
    const key = questionKey(interrupt, place);
    const actions = actionsIn(value);
    // All of them can be answered again when the run that goes on was refused.
    const isDone = isBusy || (answers.has(key) && !isAnswered);
    return actions.length > 0 ? (
      <ApprovalCard
        key={key}
        actions={actions}
        isBusy={isDone}
        onAnswer={(given) => give(key, decisionsOf(actions, given))}
      />
    ) : (
      <Question key={key} value={value} isBusy={isDone} onAnswer={(answer) => give(key, answer)} />
    );
  });
}

function Question(props: ComponentProps<typeof QuestionCard>) {
  const Card = useLazyPart(questionCard);
  return Card === null ? null : <Card {...props} />;
}

/** A graph that stops before a step asks nothing: it only waits. */
function Stop({ next, isBusy, onAnswer }: Omit<PendingQuestionsProps, 'interrupts'>) {
  const text = useText('chat');
  return (
    <section
      aria-label={text('question.label')}
      className="flex max-w-[44rem] flex-col items-start gap-3 rounded-card border border-waiting bg-surface p-3"
    >
      <p className="text-body">{text('question.stop', { steps: next.join(', ') })}</p>
      <Button variant="solid" isBusy={isBusy} onClick={() => onAnswer({ input: null })}>
        {text('question.goOn')}
      </Button>
    </section>
  );
}
