import { useRef } from 'react';
import { useLocale } from 'use-intl';
import { useText } from '../../lib/i18n.ts';
import { useWidth } from '../parts/use-width.ts';
import { percentOf } from './bar-geometry.ts';
import { spanLength } from './span-length.ts';
import { ticksOf } from './ticks.ts';
import type { TimeAxis } from './time-axis.ts';
import type { ViewRange } from './view-range.ts';

/** The room of a label. */
const labelPx = 64;

/** Round times above the bars, and where idle time is hidden. */
export function TimelineAxis({
  axis,
  view,
  playhead,
}: {
  axis: TimeAxis;
  view: ViewRange;
  /** The place of a replay, from 0 to 1. */
  playhead: number | null;
}) {
  const text = useText('timeline');
  const locale = useLocale();
  const area = useRef<HTMLDivElement>(null);
  const labelPercent = (labelPx / Math.max(labelPx, useWidth(area))) * 100;
  const breaks = axis.segments.filter(({ isIdle }) => isIdle);
  return (
    <div ref={area} className="relative h-full overflow-hidden">
      {ticksOf(axis, view, labelPercent).map(({ sinceMs, left }) => (
        <span
          key={sinceMs}
          className="absolute inset-y-0 border-l border-border pl-1 text-meta whitespace-nowrap text-text-2 tabular-nums"
          style={{ left: `${left}%` }}
        >
          {left <= 100 - labelPercent ? spanLength(sinceMs, locale) : ''}
        </span>
      ))}
      {breaks.map(({ fromMs, toMs, fromUnit, toUnit }) => (
        <span
          key={fromMs}
          title={text('idle', { length: spanLength(toMs - fromMs, locale) })}
          className="absolute inset-y-0 flex items-center justify-center overflow-hidden bg-sunken text-meta text-text-3"
          style={{
            left: `${percentOf(fromUnit / axis.lengthMs, view)}%`,
            width: `${((toUnit - fromUnit) / axis.lengthMs / (view.to - view.from)) * 100}%`,
          }}
        >
          ≈
        </span>
      ))}
      {playhead === null ? null : (
        <span
          aria-hidden
          className="absolute inset-y-0 w-0.5 bg-accent-solid forced-colors:bg-[Highlight]"
          style={{ left: `${percentOf(playhead, view)}%` }}
        />
      )}
    </div>
  );
}
