import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { useEffect, useRef } from 'react';
import { fieldId } from '../../../kit/fields/field-id.ts';
import { useProblemText } from '../../../kit/fields/problem-text.ts';
import type { FormState } from '../../../kit/fields/use-form-state.ts';
import { useText } from '../../../lib/i18n.ts';
import { useLabelOf } from '../form/form-label.ts';

/** Everything that keeps the form from running, each with a link to its field. It takes the focus after a try. */
export function ProblemSummary({
  form,
  parameters,
  others,
  attempt,
}: {
  form: FormState;
  parameters: readonly WorkflowParameter[];
  others: readonly string[];
  attempt: number;
}) {
  const text = useText('workflows');
  const problemText = useProblemText();
  const labelOf = useLabelOf();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (attempt > 0) box.current?.focus();
  }, [attempt]);
  const shown = parameters.flatMap((parameter) => {
    const { name } = parameter;
    const problem = form.shownProblem(name);
    return problem ? [{ name, label: labelOf(parameter, parameters), words: problemText(problem) }] : [];
  });
  const count = shown.length + others.length;
  if (count === 0) return null;
  return (
    <div
      ref={box}
      role="alert"
      tabIndex={-1}
      className="rounded-card border border-failed bg-failed-tint p-3 text-body outline-accent focus-visible:outline-2"
    >
      <p className="font-medium">
        {shown.length > 0 ? text('problem.summary', { count }) : text('problem.refused')}
      </p>
      <ul className="mt-1 list-disc pl-5">
        {shown.map(({ name, label, words }) => (
          <li key={name}>
            <a
              href={`#${fieldId(name)}`}
              className="text-accent underline"
              onClick={(event) => {
                event.preventDefault();
                const field = document.getElementById(fieldId(name));
                field?.scrollIntoView({ block: 'center' });
                field?.focus();
              }}
            >
              {label}
            </a>
            {`: ${words}`}
          </li>
        ))}
        {others.map((words) => (
          <li key={words} className="break-words">
            {words}
          </li>
        ))}
      </ul>
    </div>
  );
}
