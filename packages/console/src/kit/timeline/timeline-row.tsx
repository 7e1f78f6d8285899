import { ChevronDown, ChevronRight, TriangleAlert } from 'lucide-react';
import { memo } from 'react';
import { useLocale } from 'use-intl';
import { useText } from '../../lib/i18n.ts';
import { classes } from '../parts/classes.ts';
import { barOf } from './bar-geometry.ts';
import { endOf, type SpanKind, type TimelineSpan } from './span.ts';
import { spanLength } from './span-length.ts';
import type { TimeAxis } from './time-axis.ts';
import type { TimelineRow } from './tree-rows.ts';
import type { ViewRange } from './view-range.ts';

/** In pixels; the rows have it as the class `h-7`. */
export const rowHeight = 28;
/** The columns of the head and of every row. */
export const rowColumns =
  'grid grid-cols-[minmax(7rem,1fr)_minmax(6rem,1fr)_4.5rem] sm:grid-cols-[minmax(12rem,2fr)_minmax(10rem,5fr)_6rem]';
/**
 * The indents of the levels. Deeper levels look the same, so that the name keeps its room. They are classes: the browser makes
 * the style of a class once for all rows, and that of a `style` attribute for each of them.
 */
const indents = [
  '',
  'pl-1.5 sm:pl-3.5',
  'pl-3 sm:pl-7',
  'pl-4.5 sm:pl-10.5',
  'pl-6 sm:pl-14',
  'pl-7.5 sm:pl-17.5',
  'pl-9 sm:pl-21',
  'pl-10.5 sm:pl-24.5',
  'pl-12 sm:pl-28',
];

interface TimelineRowProps {
  id: string;
  index: number;
  row: TimelineRow;
  axis: TimeAxis;
  view: ViewRange;
  nowMs: number;
  isSelected: boolean;
  isFocused: boolean;
  onSelect: (id: string) => void;
  onToggle: (id: string) => void;
}

/** A span: its name in the tree, its bar on the axis, and its length. */
export const TimelineRowLine = memo(function TimelineRowLine(props: TimelineRowProps) {
  const { id, index, row, axis, view, nowMs, isSelected, isFocused, onSelect, onToggle } = props;
  const { span, level, position, siblings, hasChildren, isExpanded } = row;
  const text = useText('timeline');
  const locale = useLocale();
  const kind = text(`kind.${span.kind}`);
  const length = spanLength(endOf(span, nowMs) - span.startMs, locale);
  const state = text(`state.${span.state}`);
  const start = spanLength(span.startMs - axis.fromMs, locale);
  const isOdd = span.state !== 'success' && span.state !== 'running' && span.state !== 'cached';
  return (
    <tr
      id={id}
      aria-rowindex={index + 2}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={hasChildren ? isExpanded : undefined}
      aria-selected={isSelected}
      aria-label={text('row', { kind, name: span.name ?? '', state, length, start })}
      title={`${kind} ${span.name ?? ''} · ${state} · ${length}`}
      data-span={span.id}
      onClick={() => onSelect(span.id)}
      className={classes(
        rowColumns,
        'h-7 cursor-pointer items-center border-b border-border text-table',
        isSelected
          ? 'bg-running-tint forced-colors:border-b-4 forced-colors:border-[Highlight]'
          : 'hover:bg-surface',
        isFocused && 'outline-2 -outline-offset-2 outline-transparent group-focus-visible:outline-accent',
      )}
    >
      <NameCell row={row} onToggle={() => onToggle(span.id)} />
      <td className="relative h-full overflow-hidden">
        <SpanBar span={span} axis={axis} view={view} nowMs={nowMs} />
      </td>
      <td className="flex items-center justify-end gap-1 pl-2 text-right whitespace-nowrap text-text-2 tabular-nums">
        {isOdd ? (
          <span className={span.state === 'error' ? 'text-failed' : 'text-text-3'}>
            <TriangleAlert size={13} strokeWidth={1.75} aria-label={state} />
          </span>
        ) : null}
        {length}
      </td>
    </tr>
  );
});

/** The name in the tree, with the button that opens and closes what is below. */
function NameCell({ row, onToggle }: { row: TimelineRow; onToggle: () => void }) {
  const { span, level, hasChildren, isExpanded } = row;
  const text = useText('timeline');
  const kind = text(`kind.${span.kind}`);
  const Chevron = isExpanded ? ChevronDown : ChevronRight;
  return (
    <th
      scope="row"
      className={classes(
        'flex min-w-0 items-center gap-1 overflow-hidden pr-2 font-normal',
        indents[Math.min(level, indents.length) - 1],
      )}
    >
      {hasChildren ? (
        <button
          type="button"
          tabIndex={-1}
          aria-label={text(isExpanded ? 'collapse' : 'expand', { name: span.name ?? kind })}
          onClick={(event) => {
            event.stopPropagation();
            onToggle();
          }}
          className="flex size-6 shrink-0 cursor-pointer items-center justify-center text-text-2"
        >
          <Chevron size={14} aria-hidden />
        </button>
      ) : null}
      {hasChildren ? null : <span className="w-6 shrink-0" />}
      <span
        className={classes(
          'max-w-1/2 shrink-0 truncate text-meta text-text-3',
          // A phone has room for one of the two. The colour of the bar shows the kind as well.
          span.name && 'max-sm:hidden',
        )}
        title={kind}
      >
        {kind}
      </span>
      <span className="min-w-0 truncate">{span.name}</span>
      {span.simulated && span.kind === 'model' ? (
        <span className="hidden shrink-0 text-meta text-text-3 sm:inline">{text('simulated')}</span>
      ) : null}
    </th>
  );
}

/** Kinds differ in height and place as well as in colour: waits are outlines, nodes are thin. */
const looks: Record<SpanKind, string> = {
  run: 'h-1.5 bg-text-3',
  queue: 'h-3 border border-dashed border-control',
  model: 'h-3.5 bg-chart-1',
  tool: 'h-1.5 bg-chart-4',
  subagent: 'h-1.5 bg-chart-6',
  task: 'h-1.5 bg-chart-3',
  attempt: 'h-3.5 bg-chart-3',
  node: 'h-2 bg-chart-3',
};

/** The time of one span. It stays visible when it is shorter than a pixel. */
function SpanBar({
  span,
  axis,
  view,
  nowMs,
}: {
  span: TimelineSpan;
  axis: TimeAxis;
  view: ViewRange;
  nowMs: number;
}) {
  const bar = barOf(span, { axis, view, nowMs });
  if (bar === null) return null;
  const isFailed = span.state === 'error';
  return (
    <span
      aria-hidden
      className={classes(
        'absolute top-1/2 min-w-0.5 -translate-y-1/2 rounded-[2px]',
        span.kind !== 'queue' && 'forced-colors:bg-[CanvasText]',
        isFailed && span.kind !== 'queue' ? 'h-3.5 bg-failed' : looks[span.kind],
        (span.state === 'interrupted' || span.state === 'cancelled') && 'opacity-50',
        span.endMs === null && 'animate-pulse motion-reduce:animate-none',
        bar.isCutLeft && 'rounded-l-none',
        bar.isCutRight && 'rounded-r-none',
      )}
      style={{ left: `min(${bar.left}%, calc(100% - 2px))`, width: `${bar.width}%` }}
    />
  );
}
