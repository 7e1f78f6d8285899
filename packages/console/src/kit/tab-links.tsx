import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { classes, focusRing } from './parts/classes.ts';

export interface TabLink {
  label: string;
  href: string;
  current: boolean;
  count?: ReactNode;
}

/** Views of one page. They are links, so that each has an address and opens in a new tab. */
export function TabLinks({ label, tabs }: { label: string; tabs: readonly TabLink[] }) {
  return (
    <nav aria-label={label} className="-mb-px flex max-w-full gap-4 overflow-x-auto border-b border-border">
      {tabs.map(({ label: name, href, current, count }) => (
        <Link
          key={name}
          href={href}
          aria-current={current ? 'page' : undefined}
          className={classes(
            focusRing,
            'flex h-9 shrink-0 items-center gap-1.5 border-b-2 -outline-offset-2! text-body whitespace-nowrap pointer-coarse:h-11',
            current
              ? 'border-accent font-medium text-text forced-colors:border-[Highlight]'
              : 'border-transparent text-text-2 hover:text-text forced-colors:border-[Canvas]',
          )}
        >
          {name}
          {count === undefined ? null : <span className="text-table text-text-2 tabular-nums">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
