import { ChevronRight } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Link, useLocation } from 'wouter';
import { classes } from '../../kit/parts/classes.ts';
import { decodePart } from '../../lib/address.ts';
import { listenToPageTitle, pageTitle } from '../../lib/document-title.ts';
import { useText } from '../../lib/i18n.ts';
import { routes } from '../routes.ts';

/** The page, and what of it is open. A phone has room for the page alone; the heading below says the rest. */
export function Breadcrumb() {
  const text = useText('app');
  const [path] = useLocation();
  const page = useSyncExternalStore(listenToPageTitle, pageTitle);
  const [name = '', ...rest] = path.split('/').filter(Boolean);
  if (!routes.some((route) => route.name === name)) return null;
  const address = rest.map(decodePart).join(' / ');
  // Until the page knows what it shows, the ids of the address stand for it.
  const title = page.path === path ? page.title : '';
  const parent = text(`pages.${name}`);
  // A list that shows one of its rows keeps its own title.
  const detail = address === '' || title === parent ? '' : title || address;
  return (
    <nav
      aria-label={text('breadcrumb')}
      className="flex min-w-0 flex-1 items-center gap-1 overflow-hidden text-body"
    >
      <Link
        href={`/${name}`}
        aria-current={detail === '' ? 'page' : undefined}
        title={parent}
        className="truncate rounded-control text-text-2 hover:text-text aria-[current=page]:text-text"
      >
        {parent}
      </Link>
      {detail !== '' && (
        <>
          <ChevronRight
            size={16}
            strokeWidth={1.75}
            aria-hidden
            className="shrink-0 text-text-3 max-sm:hidden"
          />
          <span
            aria-current="page"
            className={classes('truncate max-sm:hidden', title === '' && 'font-mono text-table')}
            title={address}
          >
            {detail}
          </span>
        </>
      )}
    </nav>
  );
}
