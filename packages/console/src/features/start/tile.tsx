import type { ReactNode } from 'react';
import { classes } from '../../kit/parts/classes.ts';

/** One thing to try, which happens inside the tile. */
export function Tile({
  number,
  title,
  lead,
  wide = false,
  children,
}: {
  number: number;
  title: string;
  lead: ReactNode;
  /** Takes the whole width of the page. */
  wide?: boolean;
  children: ReactNode;
}) {
  const id = `start-tile-${number}`;
  return (
    <section
      aria-labelledby={id}
      className={classes(
        'flex min-w-0 flex-col gap-3 rounded-card border border-border bg-surface p-4 sm:p-5',
        wide && 'lg:col-span-2',
      )}
    >
      <div>
        <h2 id={id} className="text-lead font-semibold">
          {title}
        </h2>
        <p className="mt-1 text-body text-text-2">{lead}</p>
      </div>
      {children}
    </section>
  );
}
