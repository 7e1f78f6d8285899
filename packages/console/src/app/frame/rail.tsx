import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { Link } from 'wouter';
import { IconButton } from '../../kit/button.tsx';
import { useText } from '../../lib/i18n.ts';
import { PageLinks } from './page-links.tsx';
import { railChoice } from './rail-choice.ts';

/** The way to every page, at the side of a window that is wide enough. */
export function Rail() {
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
