import { ChevronLeft, ChevronRight, Maximize2, ZoomIn, ZoomOut } from 'lucide-react';
import { useText } from '../../lib/i18n.ts';
import { IconButton } from '../button.tsx';
import { Switch } from '../switch.tsx';
import { panned, type ViewRange, wholeView, zoomed } from './view-range.ts';

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** Buttons for everything that keys and wheel do to the axis. */
export function TimelineTools({
  view,
  onView,
  hidesIdle,
  onHidesIdle,
}: {
  view: ViewRange;
  onView: (view: ViewRange) => void;
  hidesIdle: boolean;
  onHidesIdle: (hides: boolean) => void;
}) {
  const text = useText('timeline');
  const isWhole = view.from === 0 && view.to === 1;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <Switch label={text('hideIdle')} checked={hidesIdle} onChange={onHidesIdle} />
      <div className="flex items-center">
        <IconButton
          label={text('earlier')}
          icon={<ChevronLeft {...icon} />}
          disabled={view.from === 0}
          onClick={() => onView(panned(view, -0.5))}
        />
        <IconButton
          label={text('later')}
          icon={<ChevronRight {...icon} />}
          disabled={view.to === 1}
          onClick={() => onView(panned(view, 0.5))}
        />
        <IconButton
          label={text('zoomOut')}
          icon={<ZoomOut {...icon} />}
          disabled={isWhole}
          onClick={() => onView(zoomed(view, 2))}
        />
        <IconButton
          label={text('zoomIn')}
          icon={<ZoomIn {...icon} />}
          onClick={() => onView(zoomed(view, 0.5))}
        />
        <IconButton
          label={text('showAll')}
          icon={<Maximize2 {...icon} />}
          disabled={isWhole}
          onClick={() => onView(wholeView)}
        />
      </div>
    </div>
  );
}
