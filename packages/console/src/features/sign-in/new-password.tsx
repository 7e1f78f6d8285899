import { Field } from '../../kit/field.tsx';
import { classes } from '../../kit/parts/classes.ts';
import { useText } from '../../lib/i18n.ts';
import { PasswordInput } from './password-input.tsx';
import { type PasswordStrength, strengthOf } from './password-strength.ts';

const steps: Record<PasswordStrength, { filled: number; colour: string }> = {
  empty: { filled: 0, colour: 'bg-sunken' },
  short: { filled: 1, colour: 'bg-failed' },
  long: { filled: 1, colour: 'bg-failed' },
  fair: { filled: 2, colour: 'bg-waiting' },
  good: { filled: 3, colour: 'bg-done' },
  strong: { filled: 4, colour: 'bg-done' },
};

/** A new password with its rules, and how strong it is by its length. */
export function NewPassword({
  value,
  onChange,
  error,
  autoFocus,
}: {
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  autoFocus?: boolean;
}) {
  const text = useText('sign-in');
  const strength = strengthOf(value);
  const { filled, colour } = steps[strength];
  return (
    <Field label={text('new.label')} hint={text('new.rules')} error={error}>
      <PasswordInput
        name="new-password"
        autoComplete="new-password"
        required
        autoFocus={autoFocus}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <div className="flex items-center gap-2 pt-1">
        <div className="flex flex-1 gap-1" aria-hidden>
          {[1, 2, 3, 4].map((step) => (
            <span
              key={step}
              className={classes(
                'h-1 flex-1 rounded-full',
                step <= filled ? `${colour} forced-colors:bg-[CanvasText]` : 'bg-border',
              )}
            />
          ))}
        </div>
        <span role="status" className="min-w-16 text-right text-meta text-text-2">
          {strength === 'empty' ? '' : text(`new.strength.${strength}`)}
        </span>
      </div>
    </Field>
  );
}
