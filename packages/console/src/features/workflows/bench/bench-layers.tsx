import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, useEffect, useRef } from 'react';
import { Compare } from '../../../kit/pictures/compare.tsx';
import { FullWindow } from '../../../kit/pictures/full-window.tsx';
import { RecipeDifferences } from '../../../kit/results/recipe-differences.tsx';
import { isShortcut, type Shortcuts } from '../../../kit/use-shortcuts.ts';
import { useText } from '../../../lib/i18n.ts';
import type { BenchResult } from './results.ts';

/** The result in the whole window, and on the whole screen where the browser allows it. */
export function FullStage({
  onClose,
  keys,
  children,
}: {
  onClose: () => void;
  keys: Shortcuts;
  children: ReactNode;
}) {
  const text = useText('workflows');
  const popup = useRef<HTMLDivElement>(null);
  useWholeScreen(onClose);
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Popup
          ref={popup}
          aria-modal
          // The first button could be the one that cancels.
          initialFocus={popup}
          onKeyDown={({ nativeEvent }) => {
            // The shortcuts of the page rest behind a dialog.
            if (isShortcut(nativeEvent)) keys[nativeEvent.key]?.(nativeEvent);
          }}
          className="fixed inset-0 z-40 flex flex-col bg-sunken text-text outline-none"
        >
          <Base.Title className="sr-only">{text('bench.label')}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function useWholeScreen(onClose: () => void): void {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const { documentElement } = document;
    // A browser that refuses shows the result in the whole window.
    documentElement.requestFullscreen?.().catch(() => undefined);
    const onChange = () => document.fullscreenElement === null && close.current();
    document.addEventListener('fullscreenchange', onChange);
    return () => {
      document.removeEventListener('fullscreenchange', onChange);
      if (document.fullscreenElement !== null) document.exitFullscreen().catch(() => undefined);
    };
  }, []);
}

/** Two to four results beside each other or in one place, and what differs in how they were made. */
export function CompareResults({
  results,
  onClose,
}: {
  results: readonly BenchResult[];
  onClose: () => void;
}) {
  const text = useText('workflows');
  const stage = useRef<HTMLDivElement>(null);
  const pictures = results.flatMap(({ output }) =>
    output ? [{ ...output, width: null, height: null }] : [],
  );
  return (
    <FullWindow title={text('bench.compare')} onClose={onClose} initialFocus={stage}>
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-4 pb-4">
        <div className="flex min-h-[min(24rem,60dvh)] flex-1">
          <Compare pictures={pictures} stage={stage} />
        </div>
        <RecipeDifferences ids={pictures.map(({ fileId }) => fileId)} />
      </div>
    </FullWindow>
  );
}
