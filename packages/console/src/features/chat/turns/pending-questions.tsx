import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Field } from '../../../kit/field.tsx';
import { TextArea } from '../../../kit/text-area.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { LiveInterrupt } from '../../../lib/live/run-news.ts';
import { type Answer, type Approval, otherQuestions, resumeOf } from '../model/approval.ts';
import { ApprovalCard } from './approval-card.tsx';
import { Material } from './tool-line.tsx';

interface PendingQuestionsProps {
  interrupts: readonly LiveInterrupt[];
  approvals: readonly Approval[];
  isBusy: boolean;
  onResume: (answer: unknown) => void;
}

/** What waits for a human. The run goes on when all of it is answered. */
export function PendingQuestions({ interrupts, approvals, isBusy, onResume }: PendingQuestionsProps) {
  const [answers, setAnswers] = useState<Record<number, Answer[]>>({});
  const [other] = otherQuestions(interrupts);
  const answer = (place: number, given: Answer[]) => {
    const all = { ...answers, [place]: given };
    setAnswers(all);
    const list = approvals.map((_approval, at) => all[at]);
    if (list.every((one) => one !== undefined)) onResume(resumeOf(approvals, list));
  };
  return (
    <>
      {approvals.map((approval, place) => (
        <ApprovalCard
          key={approval.interruptId ?? place}
          approval={approval}
          isBusy={isBusy || answers[place] !== undefined}
          onAnswer={(given) => answer(place, given)}
        />
      ))}
      {other ? <OtherQuestion question={other} isBusy={isBusy} onResume={onResume} /> : null}
    </>
  );
}

/** A question in a form of its own: it is shown as it is, and answered with text or JSON. */
function OtherQuestion(props: {
  question: LiveInterrupt;
  isBusy: boolean;
  onResume: (answer: unknown) => void;
}) {
  const { question, isBusy, onResume } = props;
  const text = useText('chat');
  const [words, setWords] = useState('');
  const { value } = question;
  return (
    <section
      className="flex max-w-[44rem] flex-col gap-3 rounded-card border border-waiting bg-surface p-3"
      aria-label={text('question.label')}
    >
      {typeof value === 'string' ? (
        <p className="text-lead break-words">{value}</p>
      ) : (
        <Material label={text('question.label')} value={JSON.stringify(value, null, 2)} />
      )}
      <Field label={text('question.answer')} hint={text('question.json')}>
        <TextArea value={words} onChange={(event) => setWords(event.target.value)} />
      </Field>
      <Button
        variant="solid"
        className="self-start"
        disabled={isBusy || words.trim() === ''}
        onClick={() => onResume(answerIn(words))}
      >
        {text('question.send')}
      </Button>
    </section>
  );
}

function answerIn(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    return words; // plain text is an answer too
  }
}
