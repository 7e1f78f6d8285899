import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { classes, focusRing } from '../../kit/parts/classes.ts';
import { useText } from '../../lib/i18n.ts';
import type { NavigationEntry } from './navigation.ts';
import { useVisiblePages } from './visible-pages.ts';

/** The links to all pages that the user may see, in their groups. */
export function PageLinks({
  isNarrow = false,
  onFollow,
}: {
  /** Icons alone; the names are told and shown as titles. */
  isNarrow?: boolean;
  onFollow?: () => void;
}) {
  return useVisiblePages().map((group) => (
    <ul
      key={group[0]?.name}
      className="flex flex-col gap-0.5 border-b border-border py-2 first:pt-0 last:border-b-0"
    >
      {group.map((entry) => (
        <PageLink key={entry.name} entry={entry} isNarrow={isNarrow} onFollow={onFollow} />
      ))}
    </ul>
  ));
}

function PageLink({
  entry: { name, icon: Icon },
  isNarrow,
  onFollow,
}: {
  entry: NavigationEntry;
  isNarrow: boolean;
  onFollow: (() => void) | undefined;
}) {
  const text = useText('app');
  const label = text(`pages.${name}`);
  const link = useRef<HTMLAnchorElement>(null);
  const isCurrent = useIsCurrent(name);
  // In a low window the rail scrolls, and the page that is shown may be beyond its edge.
  useEffect(() => {
    if (isCurrent) link.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  return (
    <li>
      <Link
        ref={link}
        href={`/${name}`}
        onClick={onFollow}
        aria-current={isCurrent ? 'page' : undefined}
        aria-label={isNarrow ? label : undefined}
        title={isNarrow ? label : undefined}
        className={classes(
          focusRing,
          'flex h-8 items-center gap-3 rounded-control px-2 text-body text-text-2 -outline-offset-2! hover:bg-sunken hover:text-text pointer-coarse:h-11',
          'aria-[current=page]:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-text',
          'forced-colors:aria-[current=page]:underline',
          isNarrow && 'justify-center',
        )}
      >
        <Icon size={16} strokeWidth={1.75} aria-hidden className="shrink-0" />
        {!isNarrow && <span className="truncate">{label}</span>}
      </Link>
    </li>
  );
}

export function useIsCurrent(name: string): boolean {
  const [path] = useLocation();
  return path === `/${name}` || path.startsWith(`/${name}/`);
}
