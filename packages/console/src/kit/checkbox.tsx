import { Checkbox as Base } from '@base-ui/react/checkbox';
import { Check, Minus } from 'lucide-react';
import { classes, focusRing } from './parts/classes.ts';

interface CheckboxProps {
  label: string;
  checked: boolean;
  /** Some of what it stands for is chosen, and some is not. */
  mixed?: boolean | undefined;
  onChange: (checked: boolean) => void;
  disabled?: boolean | undefined;
  hideLabel?: boolean | undefined;
}

/** Chooses one thing. Its target is at least 24 pixels wide and high. */
export function Checkbox({ label, checked, mixed = false, onChange, disabled, hideLabel }: CheckboxProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox inside is the control of this label
    <label
      className={classes(
        'inline-flex min-h-6 min-w-6 cursor-pointer items-center gap-2 text-body pointer-coarse:min-h-11 pointer-coarse:min-w-11',
        hideLabel && 'justify-center',
      )}
    >
      <Base.Root
        checked={checked}
        indeterminate={mixed}
        disabled={disabled}
        aria-label={label}
        onCheckedChange={(next) => onChange(next)}
        className={classes(
          focusRing,
          'flex size-4 shrink-0 items-center justify-center rounded-control border border-control bg-surface text-on-accent data-checked:border-accent-solid data-checked:bg-accent-solid data-disabled:opacity-50 data-indeterminate:border-accent-solid data-indeterminate:bg-accent-solid',
        )}
      >
        <Base.Indicator>
          {mixed ? (
            <Minus size={12} strokeWidth={3} aria-hidden />
          ) : (
            <Check size={12} strokeWidth={3} aria-hidden />
          )}
        </Base.Indicator>
      </Base.Root>
      {hideLabel ? null : <span aria-hidden>{label}</span>}
    </label>
  );
}
