import { useState } from 'react';
import { Field } from '../../../kit/field.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import type { FieldFault } from '../use-save-settings.ts';
import { settingId } from './setting-id.ts';

interface SettingInputProps {
  path: string;
  label: string;
  hint?: string;
  value: string | number | undefined;
  faults: readonly FieldFault[];
  onChange: (text: string) => void;
  isNumber?: boolean;
  /** Returns whether a text means the present value; then it stays as it was typed. */
  means?: (typed: string) => boolean;
}

/** One setting with its label, and the gateway's message about it. */
export function SettingInput(props: SettingInputProps) {
  const { path, label, hint, value, faults, onChange, isNumber, means } = props;
  const [typed, setTyped] = useState('');
  const isMeant = means ? means(typed) : isNumber ? typedNumber(typed) === value : typed === value;
  return (
    <Field
      id={settingId(path)}
      label={label}
      hint={hint}
      error={faults.find((fault) => fault.path === path)?.message}
    >
      <TextInput
        value={isMeant ? typed : (value ?? '')}
        inputMode={isNumber ? 'decimal' : 'text'}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => {
          setTyped(event.target.value);
          onChange(event.target.value);
        }}
      />
    </Field>
  );
}

/**
 * A number as it was typed: a text that is not a number goes to the gateway as text, and the gateway answers with the
 * fault.
 */
export function typedNumber(text: string): number | undefined {
  if (text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : (text as unknown as number);
}
