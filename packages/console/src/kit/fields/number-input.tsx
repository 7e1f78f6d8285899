import { classes, focusRing } from '../parts/classes.ts';
import { TextInput } from '../text-input.tsx';
import { controlOf, stepOf } from './field-control.ts';
import type { FieldSpec } from './field-spec.ts';

interface NumberInputProps {
  parameter: FieldSpec;
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** A number as text, with a slider beside it where the steps are few enough to point at. */
export function NumberInput({ parameter, label, value, onChange }: NumberInputProps) {
  const input = (
    <TextInput
      value={value}
      inputMode={parameter.type === 'integer' ? 'numeric' : 'decimal'}
      onChange={(event) => onChange(event.target.value)}
      className="tabular-nums"
    />
  );
  if (controlOf(parameter) !== 'slider') return <div className="max-w-[12rem]">{input}</div>;
  const { minimum, maximum } = parameter;
  return (
    <div className="flex items-center gap-3">
      <input
        type="range"
        aria-label={label}
        min={minimum ?? 0}
        max={maximum ?? 100}
        step={stepOf(parameter) ?? 'any'}
        value={Number.isFinite(Number(value)) && value !== '' ? Number(value) : (minimum ?? 0)}
        onChange={(event) => onChange(event.target.value)}
        className={classes(focusRing, 'h-8 min-w-0 flex-1 accent-(--accent-solid)')}
      />
      <div className="w-24 shrink-0">{input}</div>
    </div>
  );
}
