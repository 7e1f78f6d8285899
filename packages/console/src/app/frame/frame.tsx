import { useQuery } from '@tanstack/react-query';
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { IconButton } from '../../kit/button.tsx';
import { classes } from '../../kit/parts/classes.ts';
import { overviewQuery } from '../../lib/data/overview.ts';
import { setTitleCounts } from '../../lib/document-title.ts';
import { useText } from '../../lib/i18n.ts';
import { useLive } from '../../lib/live/live-provider.tsx';
import { BottomBar } from './bottom-bar.tsx';
import { type FaviconMark, markFavicon } from './favicon.ts';
import { PageLinks, useIsCurrent } from './page-links.tsx';
import { Pages } from './pages.tsx';
import { Palette } from './palette/palette.tsx';
import { railChoice } from './rail-choice.ts';
import { ShortcutSheet } from './shortcut-sheet.tsx';
import { TopBar, useBadge } from './top-bar.tsx';
import { useFrameShortcuts } from './use-frame-shortcuts.ts';

/** What stands around every page. */
export function Frame() {
  const text = useText('app');
  const [shown, setShown] = useState<'palette' | 'shortcuts' | null>(null);
  const environment = useBadge();
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
      <Rail />
      <div className="flex min-w-0 flex-1 flex-col pb-(--foot)">
        <TopBar onSearch={() => setShown('palette')} />
        <StaleBanner />
        <main id="page" tabIndex={-1} className="min-w-0 flex-1 outline-none">
          <Pages />
        </main>
      </div>
      <BottomBar />
      <Palette open={shown === 'palette'} onClose={close} />
      <ShortcutSheet open={shown === 'shortcuts'} onClose={close} />
    </div>
  );
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
      className={`sticky top-0 hidden h-dvh shrink-0 flex-col border-r border-border bg-surface md:flex ${isNarrow ? 'w-14' : 'w-58'}`}
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

/** Says that the page shows the last known state. What is on the page stays. */
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
