import { useState } from 'react';
import { classes } from '../../kit/parts/classes.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { BottomBar } from './bottom-bar.tsx';
import { Pages } from './pages.tsx';
import { Palette } from './palette/palette.tsx';
import { Rail } from './rail.tsx';
import { ShortcutSheet } from './shortcut-sheet.tsx';
import { StaleBanner } from './stale-banner.tsx';
import { TitleCounts } from './title-counts.tsx';
import { TopBar } from './top-bar.tsx';
import { useFrameShortcuts } from './use-frame-shortcuts.ts';

/** What stands around every page. */
export function Frame() {
  const text = useText('app');
  const [shown, setShown] = useState<'palette' | 'shortcuts' | null>(null);
  const { environment } = useSession();
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
