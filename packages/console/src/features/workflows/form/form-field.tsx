import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { Field } from '../../../kit/field.tsx';
import { Switch } from '../../../kit/switch.tsx';
import { TextArea } from '../../../kit/text-area.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import { ChoiceInput } from './choice-input.tsx';
import { FileInput } from './file-input.tsx';
import { controlOf } from './form-control.ts';
import { type Draft, isFileDraft } from './form-draft.ts';
import { NumberInput } from './number-input.tsx';
import type { SeedMode } from './seed.ts';
import { SeedInput } from './seed-input.tsx';

export interface FormFieldProps {
  parameter: WorkflowParameter;
  label: string;
  id: string;
  draft: Draft;
  seedMode: SeedMode;
  error: string | undefined;
  onChange: (draft: Draft) => void;
  onSeedMode: (mode: SeedMode) => void;
}

/** One value of a workflow, with the control that its type asks for. */
export function FormField(props: FormFieldProps) {
  const { parameter, label, id, draft, error, onChange } = props;
  if (controlOf(parameter) === 'switch') {
    return (
      <div id={id} className="flex flex-col gap-1">
        <Switch label={label} checked={draft === true} onChange={onChange} />
        {parameter.description ? <p className="text-meta text-text-2">{parameter.description}</p> : null}
      </div>
    );
  }
  return (
    <Field id={id} label={label} hint={parameter.description ?? undefined} error={error}>
      <Control {...props} />
    </Field>
  );
}

function Control({ parameter, label, draft, seedMode, onChange, onSeedMode }: FormFieldProps) {
  const value = typeof draft === 'string' ? draft : '';
  switch (controlOf(parameter)) {
    case 'long-text':
      return <TextArea value={value} onChange={(event) => onChange(event.target.value)} />;
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
