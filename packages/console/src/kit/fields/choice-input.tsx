import { useId } from 'react';
import { Select } from '../select.tsx';
import { TextInput } from '../text-input.tsx';
import type { FieldSpec } from './field-spec.ts';

interface ChoiceInputProps {
  parameter: FieldSpec;
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** A longer list is searched by typing. */
const maxListed = 24;

/** One of the values that the workers know. A model may also be one that no worker has told about yet. */
export function ChoiceInput({ parameter, label, value, onChange }: ChoiceInputProps) {
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
