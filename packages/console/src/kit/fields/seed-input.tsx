import { Dices } from 'lucide-react';
import { useText } from '../../lib/i18n.ts';
import { IconButton } from '../button.tsx';
import { Select } from '../select.tsx';
import { TextInput } from '../text-input.tsx';
import type { FieldSpec } from './field-spec.ts';
import { type SeedMode, seedModes, seedOfRun } from './seed.ts';

interface SeedInputProps {
  parameter: FieldSpec;
  label: string;
  value: string;
  mode: SeedMode;
  onChange: (value: string) => void;
  onMode: (mode: SeedMode) => void;
}

/** A seed, the dice that draws one, and what happens to it with each run. */
export function SeedInput({ parameter, label, value, mode, onChange, onMode }: SeedInputProps) {
  const text = useText('fields');
  const draw = () => onChange(String(seedOfRun({ value: 0, mode: 'random', index: 0 }, parameter)));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <div className="min-w-[8rem] flex-1">
        <TextInput
          value={value}
          inputMode="numeric"
          className="tabular-nums"
          onChange={(event) => onChange(event.target.value)}
        />
      </div>
      <IconButton
        label={text('seed.draw')}
        variant="quiet"
        icon={<Dices size={16} strokeWidth={1.75} aria-hidden />}
        onClick={draw}
      />
      <Select
        label={text('seed.mode', { label })}
        value={mode}
        options={seedModes.map((each) => ({ value: each, label: text(`seed.${each}`) }))}
        onChange={onMode}
      />
    </div>
  );
}
