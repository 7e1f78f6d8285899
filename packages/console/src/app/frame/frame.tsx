import { useQuery } from '@tanstack/react-query';
import { Ellipsis, PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { IconButton } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { classes, focusRing } from '../../kit/parts/classes.ts';
import { useMedia } from '../../kit/parts/use-media.ts';
import { useQueryState } from '../../lib/address.ts';
import { overviewQuery } from '../../lib/data/overview.ts';
import { setTitleCounts } from '../../lib/document-title.ts';
import { useText } from '../../lib/i18n.ts';
import { lazyPart, useLazyPart } from '../../lib/lazy-part.ts';
import { useLive } from '../../lib/live/live-provider.tsx';
import { type FaviconMark, markFavicon } from './favicon.ts';
import type { NavigationEntry } from './navigation.ts';
import { Pages } from './pages.tsx';
import { Palette } from './palette/palette.tsx';
import { railChoice } from './rail-choice.ts';
import { ShortcutSheet } from './shortcut-sheet.tsx';
import { TopBar, useBadge } from './top-bar.tsx';
import { useFrameShortcuts } from './use-frame-shortcuts.ts';
import { useVisiblePages } from './visible-pages.ts';

/** The pages that a phone shows beside "More", in this order. A page that does not exist is left out. */
const preferred = ['overview', 'tasks', 'chat', 'gallery', 'start', 'instances', 'runs', 'workflows'];
const maxPages = 4;
const cell =
  'flex h-14 min-w-0 flex-1 cursor-pointer flex-col items-center justify-center gap-0.5 text-meta text-text-2 -outline-offset-2! aria-[current=page]:font-medium aria-[current=page]:text-accent forced-colors:aria-[current=page]:underline';

/** The frame around every page. */
export function Frame() {
  const text = useText('app');
  const [shown, setShown] = useState<'palette' | 'shortcuts' | null>(null);
  const environment = useBadge();
  const isWide = useMedia('(min-width: 48rem)');
  const close = () => setShown(null);
  useFrameShortcuts({ onSearch: () => setShown('palette'), onHelp: () => setShown('shortcuts') });
  return (
    // On a phone the name of the environment has a line of its own in the upper bar.
    <div className={classes('flex min-h-dvh', environment !== null && 'max-sm:[--bar:68px]')}>
      <a
        href="#page"
        className="fixed top-2 left-2 z-50 -translate-y-20 rounded-control bg-accent-solid px-3 py-2 font-medium text-on-accent focus:translate-y-0"
      >
        {text('skip')}
      </a>
      <TitleCounts />
      {isWide ? <Rail /> : null}
      <div className="flex min-w-0 flex-1 flex-col pb-(--foot)">
        <TopBar onSearch={() => setShown('palette')} />
        <StaleBanner />
        <main id="page" tabIndex={-1} className="min-w-0 flex-1 outline-none">
          <Pages />
        </main>
      </div>
      {isWide ? null : <BottomBar />}
      <Palette open={shown === 'palette'} onClose={close} />
      <ShortcutSheet open={shown === 'shortcuts'} onClose={close} />
      <OpenShare />
    </div>
  );
}

const shareDialog = lazyPart(
  async () => (await import('../../features/sharing/share-dialog.tsx')).ShareDialog,
);

/** The dialog in which the thing that the address names is shared. Every page opens it by `share=workflow.<id>`. */
function OpenShare() {
  const [subject, setSubject] = useQueryState('share');
  return subject === null ? null : <LoadedShare subject={subject} onClose={() => setSubject(null)} />;
}

function LoadedShare(props: { subject: string; onClose: () => void }) {
  const ShareDialog = useLazyPart(shareDialog);
  return ShareDialog === null ? null : <ShareDialog {...props} />;
}

/** Keeps the title and the icon of the window true: what runs, and what has failed since the tasks were last looked at. */
function TitleCounts() {
  const { data } = useQuery(overviewQuery());
  const looksAtTasks = useIsCurrent('tasks');
  const seen = useRef<number | null>(null);
  useEffect(() => {
    if (!data) return;
    const { runningTasks: running, failedTasks } = data;
    if (seen.current === null || looksAtTasks || failedTasks < seen.current) seen.current = failedTasks;
    const failed = failedTasks - seen.current;
    setTitleCounts({ running, failed });
    const mark: FaviconMark = failed > 0 ? 'failed' : running > 0 ? 'running' : null;
    void markFavicon(mark);
  }, [data, looksAtTasks]);
  return null;
}

/** The way to every page, at the side of a window that is wide enough. */
function Rail() {
  const text = useText('app');
  const isNarrow = railChoice.use() === 'narrow';
  const Icon = isNarrow ? PanelLeftOpen : PanelLeftClose;
  return (
    <nav
      aria-label={text('rail.label')}
      className={`sticky top-0 flex h-dvh shrink-0 flex-col border-r border-border bg-surface ${isNarrow ? 'w-14' : 'w-58'}`}
    >
      <div className={`flex h-12 items-center ${isNarrow ? 'justify-center' : 'px-4'}`}>
        <Link href="/" className="flex items-center gap-2 rounded-control text-body font-semibold">
          <img src="/icon.svg" alt={isNarrow ? 'Switchyard' : ''} className="size-5" />
          {!isNarrow && 'Switchyard'}
        </Link>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        <PageLinks isNarrow={isNarrow} />
      </div>
      <div className={`border-t border-border p-2 ${isNarrow ? 'text-center' : 'text-right'}`}>
        <IconButton
          label={text(isNarrow ? 'rail.widen' : 'rail.narrow')}
          icon={<Icon size={16} strokeWidth={1.75} aria-hidden />}
          onClick={() => railChoice.set(isNarrow ? 'wide' : 'narrow')}
        />
      </div>
    </nav>
  );
}

/** Shows that the page has the last known state. What is on the page stays. */
function StaleBanner() {
  const text = useText('app');
  const { state } = useLive();
  if (state !== 'stale') return null;
  return (
    <div role="status" className="border-b border-border bg-waiting-tint px-4 py-2 text-body sm:px-6">
      {text('live.stopped')}
    </div>
  );
}

/** The pages that a phone needs most; "More" leads to the others. */
function BottomBar() {
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
        className="fixed inset-x-0 bottom-0 z-30 flex border-t border-border bg-surface pb-[env(safe-area-inset-bottom)]"
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

/** The links to all pages that the user may see, in their groups. */
function PageLinks({
  isNarrow = false,
  onFollow,
}: {
  /** True for icons alone; titles and screen readers still have the names. */
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
          'block truncate rounded-control px-2 text-body leading-8 text-text-2 -outline-offset-2! hover:bg-sunken hover:text-text pointer-coarse:leading-11',
          'aria-[current=page]:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-text',
          'forced-colors:aria-[current=page]:underline',
          isNarrow && 'text-center',
        )}
      >
        <Icon
          size={16}
          strokeWidth={1.75}
          aria-hidden
          className={classes('-mt-0.5 inline-block align-middle', !isNarrow && 'mr-3')}
        />
        {isNarrow ? null : label}
      </Link>
    </li>
  );
}

function useIsCurrent(name: string): boolean {
  const [path] = useLocation();
  return path === `/${name}` || path.startsWith(`/${name}/`);
}
