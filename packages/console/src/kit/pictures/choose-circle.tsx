import { Check } from 'lucide-react';
import { classes, focusRing } from '../parts/classes.ts';
import { choosesRow } from '../rows/row-marks.ts';

const sizes = {
  m: { button: 'size-10 before:inset-2 pointer-coarse:size-11 pointer-coarse:before:inset-2.5', check: 14 },
  s: { button: 'size-7 before:inset-1', check: 12 },
};

interface ChooseCircleProps {
  label: string;
  isChosen: boolean;
  /** True for a circle that is seen before the pointer or the focus comes to its picture. */
  isShown: boolean;
  size: keyof typeof sizes;
  tabIndex?: 0 | -1;
  /** `range` extends the choice from the picture that was chosen last. */
  onChoose: (range: boolean) => void;
}

/** The circle in the corner of a picture that chooses it. Its picture stands before it, in an element of the class `group`. */
export function ChooseCircle({ label, isChosen, isShown, size, tabIndex, onChoose }: ChooseCircleProps) {
  return (
    <button
      type="button"
      {...choosesRow}
      tabIndex={tabIndex}
      aria-pressed={isChosen}
      aria-keyshortcuts="x"
      aria-label={label}
      onClick={(event) => onChoose(event.shiftKey)}
      className={classes(
        focusRing,
        'absolute top-0 left-0 flex cursor-pointer items-center justify-center before:absolute before:rounded-full before:border',
        sizes[size].button,
        isChosen
          ? 'text-on-accent before:border-on-accent before:bg-accent-solid'
          : 'before:border-control before:bg-surface',
        isShown
          ? ''
          : 'opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100',
      )}
    >
      {isChosen ? (
        <Check size={sizes[size].check} strokeWidth={2.5} aria-hidden className="relative" />
      ) : null}
    </button>
  );
}
