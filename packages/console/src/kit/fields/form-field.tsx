import { Dices, Lock, LockOpen } from 'lucide-react';
import { useId } from 'react';
import { useText } from '../../lib/i18n.ts';
import { IconButton } from '../button.tsx';
import { Field } from '../field.tsx';
import { classes, focusRing } from '../parts/classes.ts';
import { Select } from '../select.tsx';
import { Switch } from '../switch.tsx';
import { TextArea } from '../text-area.tsx';
import { TextInput } from '../text-input.tsx';
import { controlOf, sliderOf } from './field-control.ts';
import { type Draft, type FileDraft, isFileDraft } from './field-draft.ts';
import type { FieldSpec } from './field-spec.ts';
import { FileInput } from './file-input.tsx';
import { type SeedMode, seedOfRun } from './seed.ts';

export interface FormFieldProps {
  parameter: FieldSpec;
  label: string;
  id: string | undefined;
  draft: Draft;
  /** A picture of the form below a mask that has a file of its own. */
  below?: FileDraft | undefined;
  seedMode: SeedMode;
  error: string | undefined;
  onChange: (draft: Draft) => void;
  onSeedMode: (mode: SeedMode) => void;
  /** Opens what runs the workflow with several values of this field. */
  onVary?: (() => void) | undefined;
}

/** One value of a workflow, with the control that its type asks for. */
export function FormField(props: FormFieldProps) {
  const { parameter, label, id, draft, error, onChange, onVary } = props;
  const text = useText('fields');
  const isFree = parameter.type === 'json' || parameter.type === 'value';
  const hint = parameter.description ?? (isFree ? text(`hint.${parameter.type}`) : undefined);
  const action = onVary && <VaryButton label={label} onVary={onVary} />;
  if (controlOf(parameter) === 'switch') {
    return (
      <div id={id} className="group relative flex flex-col gap-1">
        <Switch label={label} checked={draft === true} onChange={onChange} />
        {parameter.description ? <p className="text-meta text-text-2">{parameter.description}</p> : null}
        {action}
      </div>
    );
  }
  return (
    <Field id={id} label={label} hint={hint} error={error} action={action}>
      <Control {...props} />
    </Field>
  );
}

/** Quiet until the pointer or the focus is at its field. */
export function VaryButton({ label, onVary }: { label: string; onVary: () => void }) {
  const text = useText('fields');
  return (
    <button
      type="button"
      aria-label={text('varyField', { label })}
      onClick={onVary}
      className={classes(
        focusRing,
        'absolute -top-0.5 right-0 min-h-6 cursor-pointer rounded-control px-1.5 text-meta text-text-2 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:text-text hover:underline focus-visible:opacity-100 pointer-coarse:-top-2 pointer-coarse:h-9 pointer-coarse:opacity-100',
      )}
    >
      {text('vary')}
    </button>
  );
}

function Control({ parameter, label, draft, below, seedMode, onChange, onSeedMode }: FormFieldProps) {
  const value = typeof draft === 'string' ? draft : '';
  switch (controlOf(parameter)) {
    case 'long-text':
      return (
        <TextArea value={value} className="min-h-18" onChange={(event) => onChange(event.target.value)} />
      );
    case 'json':
      return (
        <TextArea
          value={value}
          spellCheck={false}
          className="font-mono text-table!"
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'number':
    case 'slider':
      return <NumberInput parameter={parameter} label={label} value={value} onChange={onChange} />;
    case 'seed':
      return (
        <SeedInput
          parameter={parameter}
          label={label}
          value={value}
          mode={seedMode}
          onChange={onChange}
          onMode={onSeedMode}
        />
      );
    case 'select':
      return <ChoiceInput parameter={parameter} label={label} value={value} onChange={onChange} />;
    case 'file':
      return (
        <FileInput
          parameter={parameter}
          draft={isFileDraft(draft) ? draft : value}
          below={below}
          label={label}
          onChange={onChange}
        />
      );
    default:
      return <TextInput value={value} onChange={(event) => onChange(event.target.value)} />;
  }
}

/** A number as text, with a slider beside it where the steps are few enough to point at. */
function NumberInput({
  parameter,
  label,
  value,
  onChange,
}: {
  parameter: FieldSpec;
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const slider = sliderOf(parameter);
  const input = (
    <TextInput
      value={value}
      inputMode={parameter.type === 'integer' ? 'numeric' : 'decimal'}
      onChange={(event) => onChange(event.target.value)}
      className={classes('tabular-nums', slider === null ? 'max-w-[12rem]' : 'w-24! shrink-0')}
    />
  );
  if (slider === null) return input;
  const { minimum, maximum, step } = slider;
  return (
    <div className="flex items-center gap-3">
      <input
        type="range"
        aria-label={label}
        min={minimum}
        max={maximum}
        step={step}
        value={Number.isFinite(Number(value)) && value !== '' ? Number(value) : minimum}
        onChange={(event) => onChange(event.target.value)}
        className={classes(focusRing, 'h-8 min-w-0 flex-1 accent-accent')}
      />
      {input}
    </div>
  );
}

const freeModes = ['random', 'increment'] as const;

interface SeedInputProps {
  parameter: FieldSpec;
  label: string;
  value: string;
  mode: SeedMode;
  onChange: (value: string) => void;
  onMode: (mode: SeedMode) => void;
}

/** A seed, the dice that draws one, and the lock that keeps it; without the lock each run has another one. */
function SeedInput({ parameter, label, value, mode, onChange, onMode }: SeedInputProps) {
  const text = useText('fields');
  const isLocked = mode === 'fixed';
  const draw = () => onChange(String(seedOfRun({ value: 0, mode: 'random', index: 0 }, parameter)));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <TextInput
        value={value}
        inputMode="numeric"
        className="min-w-[8rem]! flex-1 tabular-nums"
        onChange={(event) => onChange(event.target.value)}
      />
      <IconButton
        label={text('seed.draw')}
        variant="quiet"
        icon={<Dices size={16} strokeWidth={1.75} aria-hidden />}
        onClick={draw}
      />
      <IconButton
        label={text(isLocked ? 'seed.unlock' : 'seed.lock')}
        aria-pressed={isLocked}
        variant="quiet"
        icon={
          isLocked ? (
            <Lock size={16} strokeWidth={1.75} aria-hidden />
          ) : (
            <LockOpen size={16} strokeWidth={1.75} aria-hidden />
          )
        }
        onClick={() => onMode(isLocked ? 'random' : 'fixed')}
      />
      {isLocked ? null : (
        <Select
          label={text('seed.mode', { label })}
          value={mode}
          options={freeModes.map((each) => ({ value: each, label: text(`seed.${each}`) }))}
          onChange={onMode}
        />
      )}
    </div>
  );
}

/** A longer list is searched by typing. */
const maxListed = 24;

/** One of the values that the workers know. A model may also be one that no worker has reported yet. */
function ChoiceInput({
  parameter,
  label,
  value,
  onChange,
}: {
  parameter: FieldSpec;
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const list = useId();
  const choices = parameter.choices ?? [];
  const isKnown = choices.includes(value);
  if (choices.length <= maxListed && isKnown && parameter.type === 'choice') {
    const options = choices.map((choice) => ({ value: choice, label: choice }));
    return <Select label={label} value={value} options={options} onChange={onChange} className="w-full" />;
  }
  return (
    <>
      <TextInput
        value={value}
        list={list}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={list}>
        {choices.map((choice) => (
          <option key={choice} value={choice} />
        ))}
      </datalist>
    </>
  );
}
