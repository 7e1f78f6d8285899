import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { Dialog } from '../../kit/dialog.tsx';
import { classes, focusRing } from '../../kit/parts/classes.ts';
import { useText } from '../../lib/i18n.ts';
import type { NavigationEntry } from './navigation.ts';
import { PageLinks, useIsCurrent } from './page-links.tsx';
import { useVisiblePages } from './visible-pages.ts';

/** What a phone shows beside "More", as far as it exists, in this order. */
const preferred = ['overview', 'tasks', 'chat', 'gallery', 'start', 'instances', 'runs', 'workflows'];
const maxPages = 4;

const cell =
  'flex h-14 min-w-0 flex-1 cursor-pointer flex-col items-center justify-center gap-0.5 text-meta text-text-2 -outline-offset-2! aria-[current=page]:font-medium aria-[current=page]:text-accent forced-colors:aria-[current=page]:underline';

/** The pages that a phone needs most; "More" leads to the others. */
export function BottomBar() {
  const text = useText('app');
  const [open, setOpen] = useState(false);
  const pages = useVisiblePages().flat();
  const shown = preferred
    .flatMap((name) => pages.find((page) => page.name === name) ?? [])
    .slice(0, maxPages);
  return (
    <>
      <nav
        aria-label={text('rail.label')}
        className="fixed inset-x-0 bottom-0 z-30 flex border-t border-border bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
      >
        {shown.map((entry) => (
          <Cell key={entry.name} entry={entry} />
        ))}
        <button
          type="button"
          aria-expanded={open}
          className={classes(focusRing, cell)}
          onClick={() => setOpen(true)}
        >
          <Ellipsis size={20} strokeWidth={1.75} aria-hidden />
          <span className="max-w-full truncate px-1" title={text('more')}>
            {text('more')}
          </span>
        </button>
      </nav>
      <Dialog open={open} onClose={() => setOpen(false)} title={text('rail.label')}>
        <nav aria-label={text('rail.label')}>
          <PageLinks onFollow={() => setOpen(false)} />
        </nav>
      </Dialog>
    </>
  );
}

function Cell({ entry: { name, icon: Icon } }: { entry: NavigationEntry }) {
  const text = useText('app');
  return (
    <Link
      href={`/${name}`}
      aria-current={useIsCurrent(name) ? 'page' : undefined}
      className={classes(focusRing, cell)}
    >
      <Icon size={20} strokeWidth={1.75} aria-hidden />
      <span className="max-w-full truncate px-1" title={text(`pages.${name}`)}>
        {text(`pages.${name}`)}
      </span>
    </Link>
  );
}
