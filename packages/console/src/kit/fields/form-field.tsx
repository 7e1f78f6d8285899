import { useText } from '../../lib/i18n.ts';
import { Field } from '../field.tsx';
import { Switch } from '../switch.tsx';
import { TextArea } from '../text-area.tsx';
import { TextInput } from '../text-input.tsx';
import { ChoiceInput } from './choice-input.tsx';
import { controlOf } from './field-control.ts';
import { type Draft, isFileDraft } from './field-draft.ts';
import type { FieldSpec } from './field-spec.ts';
import { FileInput } from './file-input.tsx';
import { NumberInput } from './number-input.tsx';
import type { SeedMode } from './seed.ts';
import { SeedInput } from './seed-input.tsx';

export interface FormFieldProps {
  parameter: FieldSpec;
  label: string;
  id: string | undefined;
  draft: Draft;
  seedMode: SeedMode;
  error: string | undefined;
  onChange: (draft: Draft) => void;
  onSeedMode: (mode: SeedMode) => void;
}

/** One value of a workflow, with the control that its type asks for. */
export function FormField(props: FormFieldProps) {
  const { parameter, label, id, draft, error, onChange } = props;
  const text = useText('fields');
  const isFree = parameter.type === 'json' || parameter.type === 'value';
  const hint = parameter.description ?? (isFree ? text(`hint.${parameter.type}`) : undefined);
  if (controlOf(parameter) === 'switch') {
    return (
      <div id={id} className="flex flex-col gap-1">
        <Switch label={label} checked={draft === true} onChange={onChange} />
        {parameter.description ? <p className="text-meta text-text-2">{parameter.description}</p> : null}
      </div>
    );
  }
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <Control {...props} />
    </Field>
  );
}

function Control({ parameter, label, draft, seedMode, onChange, onSeedMode }: FormFieldProps) {
  const value = typeof draft === 'string' ? draft : '';
  switch (controlOf(parameter)) {
    case 'long-text':
      return <TextArea value={value} onChange={(event) => onChange(event.target.value)} />;
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
      return <FileInput draft={isFileDraft(draft) ? draft : value} label={label} onChange={onChange} />;
    default:
      return <TextInput value={value} onChange={(event) => onChange(event.target.value)} />;
  }
}
