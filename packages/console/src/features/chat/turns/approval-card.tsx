import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Field } from '../../../kit/field.tsx';
import { TextArea } from '../../../kit/text-area.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { ActionRequest, Answer } from '../model/approval.ts';
import { type ArgumentField, argumentFields, withField } from '../model/argument-fields.ts';
import { Material } from './tool-line.tsx';

/** Actions that wait for a human, each with what it would do; all of them are decided before the run goes on. */
export function ApprovalCard({
  actions,
  isBusy,
  onAnswer,
}: {
  actions: readonly ActionRequest[];
  isBusy: boolean;
  onAnswer: (answers: Answer[]) => void;
}) {
  const [answers, setAnswers] = useState<(Answer | null)[]>(() => actions.map(() => null));
  const decide = (place: number, answer: Answer) => {
    const next = answers.map((given, at) => (at === place ? answer : given));
    setAnswers(next);
    if (next.every((given) => given !== null)) onAnswer(next);
  };
  return actions.map((action, place) => (
    <ActionCard
      // biome-ignore lint/suspicious/noArrayIndexKey: the actions of a question have a fixed order and no name of their own
      key={place}
      action={action}
      isDone={isBusy || answers[place] !== null}
      onDecide={(answer) => decide(place, answer)}
    />
  ));
}

function ActionCard({
  action: { name, args, description, allowed },
  isDone,
  onDecide,
}: {
  action: ActionRequest;
  isDone: boolean;
  onDecide: (answer: Answer) => void;
}) {
  const text = useText('chat');
  const [edited, setEdited] = useState(args);
  const [reason, setReason] = useState('');
  const canEdit = allowed.includes('edit');
  const isEdited = edited !== args;
  return (
    <section
      aria-label={text('approval.label', { name })}
      className="flex max-w-[44rem] flex-col gap-3 rounded-card border border-waiting bg-surface p-3"
    >
      <h3 className="font-medium">{text('approval.title', { name })}</h3>
      {description === '' ? null : <p className="text-body text-text-2">{description}</p>}
      <Arguments args={edited} isFixed={!canEdit || isDone} onChange={setEdited} />
      <details>
        <summary className="cursor-pointer text-table text-text-2">{text('approval.whole')}</summary>
        <Material label={text('tool.input')} value={JSON.stringify(edited, null, 2)} />
      </details>
      {allowed.includes('reject') ? (
        <Field label={text('approval.reason')}>
          <TextInput value={reason} disabled={isDone} onChange={(event) => setReason(event.target.value)} />
        </Field>
      ) : null}
      <div className="flex flex-wrap gap-2">
        {allowed.includes('approve') && !isEdited ? (
          <Button variant="solid" isBusy={isDone} onClick={() => onDecide({ type: 'approve' })}>
            {text('approval.approve')}
          </Button>
        ) : null}
        {isEdited ? (
          <Button variant="solid" isBusy={isDone} onClick={() => onDecide({ type: 'edit', args: edited })}>
            {text('approval.approveEdited')}
          </Button>
        ) : null}
        {allowed.includes('reject') ? (
          <Button isBusy={isDone} onClick={() => onDecide({ type: 'reject', message: reason })}>
            {text('approval.reject')}
          </Button>
        ) : null}
      </div>
    </section>
  );
}

function Arguments({
  args,
  isFixed,
  onChange,
}: {
  args: Record<string, unknown>;
  isFixed: boolean;
  onChange: (args: Record<string, unknown>) => void;
}) {
  const fields = argumentFields(args);
  if (fields.length === 0) return null;
  if (isFixed) return <Facts fields={fields} />;
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {fields.map((field) => (
        <Field key={field.path.join('.')} label={field.label}>
          {field.value.length > 60 ? (
            <TextArea
              value={field.value}
              onChange={(event) => onChange(withField(args, field, event.target.value))}
            />
          ) : (
            <TextInput
              value={field.value}
              inputMode={field.type === 'number' ? 'decimal' : 'text'}
              onChange={(event) => onChange(withField(args, field, event.target.value))}
            />
          )}
        </Field>
      ))}
    </div>
  );
}

/** The arguments that cannot be changed, as text instead of fields. */
function Facts({ fields }: { fields: readonly ArgumentField[] }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(14rem,1fr))] gap-x-6 gap-y-1 text-table">
      {fields.map(({ path, label, value }) => (
        <div key={path.join('.')} className="flex min-w-0 justify-between gap-3 border-b border-border py-1">
          <dt className="shrink-0 text-text-2">{label}</dt>
          <dd className="min-w-0 truncate" title={value}>
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
