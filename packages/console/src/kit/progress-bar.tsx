import { classes } from './parts/classes.ts';

/** Shows how far a thing is. */
export function ProgressBar({
  value,
  text,
  label,
  thin,
}: {
  /** 0 to 100; null when it is not known. */
  value: number | null;
  /** The text for a screen reader: "62 percent, ImageScale". */
  text: string;
  label: string;
  thin?: boolean | undefined;
}) {
  const shown = value === null ? 0 : Math.min(100, Math.max(0, value));
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={value === null ? undefined : shown}
      aria-valuetext={text}
      className={classes(
        'w-full overflow-hidden rounded-full bg-running-tint forced-colors:border',
        thin ? 'h-1' : 'h-2',
      )}
    >
      <div
        className="h-full rounded-full bg-running transition-[width] duration-120 ease-out motion-reduce:transition-none forced-colors:bg-[Highlight]"
        style={{ width: `${shown}%` }}
      />
    </div>
  );
}
