import { isRecord } from '@switchyard/contract/is-record';
import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import type { FieldSpec } from '../../../kit/fields/field-spec.ts';
import { Fields } from '../../../kit/fields/fields.tsx';
import { useFormState } from '../../../kit/fields/use-form-state.ts';
import { useText } from '../../../lib/i18n.ts';
import { inputFields } from '../model/schema-fields.ts';
import { Material } from './tool-line.tsx';

/** A question in a form that the graph chose. One with a schema is answered in its form, any other with text or JSON. */
export function QuestionCard({
  value,
  isBusy,
  onAnswer,
}: {
  value: unknown;
  isBusy: boolean;
  onAnswer: (answer: unknown) => void;
}) {
  const text = useText('chat');
  const schema = schemaIn(value);
  const [form] = useState(() => (schema ? inputFields(schema) : { list: [answerField], inputOf: answerIn }));
  const entered = useFormState(form.list);
  const { question, rest } = partsOf(value);
  const send = () => {
    entered.showProblems();
    if (entered.problems.size === 0) onAnswer(form.inputOf(entered.params));
  };
  return (
    <section
      className="flex max-w-[44rem] flex-col gap-3 rounded-card border border-waiting bg-surface p-3"
      aria-label={text('question.label')}
    >
      {question === null ? null : <p className="text-lead break-words">{question}</p>}
      {rest === undefined ? null : (
        <Material label={text('question.whole')} value={JSON.stringify(rest, null, 2)} />
      )}
      <form
        noValidate
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) send();
        }}
      >
        <Fields
          parameters={form.list}
          labelOf={({ label }) => (label === answerField.label ? text('question.answer') : label)}
          form={entered}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="solid" isBusy={isBusy}>
            {text('question.send')}
          </Button>
          {schema
            ? null
            : [true, false].map((answer) => (
                <Button key={String(answer)} isBusy={isBusy} onClick={() => onAnswer(answer)}>
                  {text(answer ? 'question.yes' : 'question.no')}
                </Button>
              ))}
        </div>
      </form>
    </section>
  );
}

const answerField: FieldSpec = {
  name: 'answer',
  label: '',
  description: null,
  type: 'value',
  required: true,
  default: null,
  minimum: null,
  maximum: null,
  choices: null,
  multiline: true,
  hidden: false,
};

function answerIn({ answer }: Record<string, unknown>): unknown {
  return answer;
}

const schemaKeys = ['schema', 'response_schema', 'requestedSchema'] as const;
const questionKeys = ['question', 'message', 'description', 'title'] as const;

/** The JSON Schema of the answer, where the question has one. */
function schemaIn(value: unknown): unknown {
  if (!isRecord(value)) return null;
  return (
    schemaKeys.map((key) => value[key]).find((each) => isRecord(each) && isRecord(each.properties)) ?? null
  );
}

/** The words of the question, and what else a person has to see of it. */
function partsOf(value: unknown): { question: string | null; rest?: unknown } {
  if (typeof value === 'string') return { question: value };
  if (!isRecord(value)) return { question: null, rest: value };
  const key = questionKeys.find((each) => typeof value[each] === 'string' && value[each] !== '');
  const rest = Object.entries(value).filter(
    ([name]) => name !== key && !schemaKeys.some((each) => each === name),
  );
  return {
    question: key === undefined ? null : String(value[key]),
    ...(rest.length > 0 && { rest: Object.fromEntries(rest) }),
  };
}
