import type { Environment } from '@switchyard/contract/accounts/account';
import { ChevronRight, CircleUser, LogOut, Search } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Link, useLocation } from 'wouter';
import { Button, IconButton } from '../../kit/button.tsx';
import { Menu } from '../../kit/menu.tsx';
import { classes } from '../../kit/parts/classes.ts';
import { useMedia } from '../../kit/parts/use-media.ts';
import { PreferenceMenus } from '../../kit/preferences/preference-menus.tsx';
import { useToast } from '../../kit/toast.tsx';
import { decodePart } from '../../lib/address.ts';
import { listenToPageTitle, pageTitle } from '../../lib/document-title.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { routes } from '../routes.ts';
import { signOut } from '../sign-out.ts';
import { LiveChip } from './live-chip.tsx';
import { useHasPage } from './visible-pages.ts';

const searchIcon = <Search size={16} strokeWidth={1.75} aria-hidden />;

/** Shows the place of the current page, and the controls that every page needs. */
export function TopBar({ onSearch }: { onSearch: () => void }) {
  const text = useText('app');
  const environment = useBadge();
  const isWide = useMedia('(min-width: 64rem)');
  return (
    <header className="sticky top-0 z-20 flex h-(--bar) flex-col border-b border-border bg-bg short:static">
      {environment && <EnvironmentBadge environment={environment} className="h-5 leading-5 sm:hidden" />}
      <div className="flex min-h-0 flex-1 items-center gap-1 px-4 sm:px-6">
        <Breadcrumb />
        {environment && (
          <EnvironmentBadge
            environment={environment}
            className="max-w-48 shrink-0 rounded-full py-0.5 max-sm:hidden"
          />
        )}
        <div className="ml-auto flex min-w-0 items-center gap-1">
          {isWide ? (
            <Button size="s" className="text-text-2!" icon={searchIcon} onClick={onSearch}>
              {text('search.open')}
              <kbd className="ml-2 font-sans text-meta text-text-3">{searchKey}</kbd>
            </Button>
          ) : (
            <IconButton label={text('search.open')} icon={searchIcon} onClick={onSearch} />
          )}
          <LiveChip />
          <PreferenceMenus />
          <AccountMenu />
        </div>
      </div>
    </header>
  );
}

/** Returns the badge of every page: that this gateway is quiet, or otherwise the operator's name for it. */
export function useBadge(): Environment | null {
  const text = useText('app');
  const { environment, isQuiet } = useSession();
  return isQuiet ? { name: text('quiet'), color: 'amber' } : environment;
}

/** The page, and what of it is open. A phone has room for the page alone; the heading below shows the rest. */
function Breadcrumb() {
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

const looks: Record<Environment['color'], string> = {
  grey: 'bg-off-tint text-off',
  blue: 'bg-running-tint text-running',
  green: 'bg-done-tint text-done',
  amber: 'bg-waiting-tint text-waiting',
  red: 'bg-failed-tint text-failed',
  violet: 'bg-paused-tint text-paused',
};

/** The operator's name for this gateway, so that it is not taken for another one. */
function EnvironmentBadge({
  environment: { name, color },
  className,
}: {
  environment: Environment;
  className: string;
}) {
  const text = useText('app');
  return (
    <p
      title={text('environment', { name })}
      className={classes(
        'truncate px-2 text-center text-meta font-medium forced-colors:border',
        looks[color],
        className,
      )}
    >
      <span className="sr-only">{text('environment', { name: '' })}</span>
      {name}
    </p>
  );
}

const searchKey = /mac|iphone|ipad/i.test(window.navigator.userAgent) ? '⌘K' : 'Ctrl K';

function AccountMenu() {
  const text = useText('app');
  const toast = useToast();
  const { email } = useSession();
  const hasAccountPage = useHasPage('account');
  const label = text('account.menu', { email });
  const leave = () => {
    signOut().catch((error: Error) => toast({ error }));
  };
  return (
    <Menu
      label={label}
      items={[
        ...(hasAccountPage ? [{ label: text('account.open'), href: '/account' }] : []),
        {
          label: text('account.signOut'),
          icon: <LogOut size={16} strokeWidth={1.75} aria-hidden />,
          onSelect: leave,
        },
      ]}
      trigger={<IconButton label={label} icon={<CircleUser size={16} strokeWidth={1.75} aria-hidden />} />}
    />
  );
}
