import { classes } from '../parts/classes.ts';

/** Grey rows in the place of what is being loaded. */
export function Skeleton({
  rows = 6,
  row = 'h-9',
}: {
  rows?: number | undefined;
  /** The height of one row: the one of what comes. */
  row?: string | undefined;
}) {
  return (
    <div aria-hidden className="flex flex-col">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no identity and never move
        <div key={index} className={classes('flex items-center border-b border-border', row)}>
          <div className="h-3 w-full animate-pulse rounded-control bg-sunken motion-reduce:animate-none" />
        </div>
      ))}
    </div>
  );
}
