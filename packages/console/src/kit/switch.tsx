import { Switch as Base } from '@base-ui/react/switch';
import { classes, focusRing } from './parts/classes.ts';

/** Turns one thing on or off at once. */
export function Switch({
  label,
  checked,
  onChange,
  disabled,
  hideLabel,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean | undefined;
  /** The label is read aloud only, for switches whose place shows what they do. */
  hideLabel?: boolean | undefined;
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the switch inside is the control of this label
    <label className="inline-flex min-h-8 cursor-pointer items-center gap-2 text-body pointer-coarse:min-h-11">
      <Base.Root
        checked={checked}
        disabled={disabled}
        aria-label={label}
        onCheckedChange={(next) => onChange(next)}
        className={classes(
          focusRing,
          'relative inline-flex h-6 w-10 shrink-0 cursor-pointer items-center rounded-full border border-control bg-sunken p-0.5 transition-colors duration-120 data-checked:border-accent-solid data-checked:bg-accent-solid forced-colors:data-checked:bg-[Highlight] data-disabled:opacity-50 motion-reduce:transition-none',
        )}
      >
        <Base.Thumb className="size-4 rounded-full bg-text-2 transition-transform duration-120 data-checked:translate-x-4 data-checked:bg-on-accent forced-colors:bg-[ButtonText] forced-colors:data-checked:bg-[HighlightText] motion-reduce:transition-none" />
      </Base.Root>
      {hideLabel ? null : <span aria-hidden>{label}</span>}
    </label>
  );
}
