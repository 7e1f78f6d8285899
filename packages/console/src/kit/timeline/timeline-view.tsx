import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useText } from '../../lib/i18n.ts';
import { focusRing } from '../parts/classes.ts';
import { useRowWindow } from '../virtual-list.tsx';
import type { FilmPicture } from './film-strip.ts';
import { FilmStrip } from './film-strip-view.tsx';
import type { TimelineSpan } from './span.ts';
import { type TimeAxis, timeAxis } from './time-axis.ts';
import { TimelineAxis } from './timeline-axis.tsx';
import { rowColumns, rowHeight, TimelineRowLine } from './timeline-row.tsx';
import { TimelineTools } from './timeline-tools.tsx';
import { treeMove } from './tree-keys.ts';
import { spanTree, type TimelineRow, treeRows } from './tree-rows.ts';
import { showing, type ViewRange, wholeView, zoomed } from './view-range.ts';

export interface TimelineViewProps {
  spans: readonly TimelineSpan[];
  /** Until when spans without an end are drawn. */
  nowMs: number;
  pictures?: readonly FilmPicture[];
  onOpenPicture?: (id: string) => void;
  selectedId: string | null;
  onSelect: (id: string | null) => void;
  view: ViewRange;
  onView: (view: ViewRange) => void;
  hidesIdle: boolean;
  onHidesIdle: (hides: boolean) => void;
  /** The moment of a replay. */
  playheadMs?: number | null;
}

/** The steps of a run or a task, as a tree beside bars on one time axis. Only the visible rows are in the page. */
export function TimelineView(props: TimelineViewProps) {
  const { spans, nowMs, pictures = [], onOpenPicture, selectedId, onSelect, playheadMs = null } = props;
  const { view, onView, hidesIdle, onHidesIdle } = props;
  const text = useText('timeline');
  const axis = useMemo(() => timeAxis(spans, { nowMs, hidesIdle }), [spans, nowMs, hidesIdle]);
  const tree = useMemo(() => spanTree(spans), [spans]);
  const { collapsed, toggle } = useCollapsed();
  const rows = useMemo(() => treeRows(tree, collapsed), [tree, collapsed]);
  const [focusedId, setFocusedId] = useState<string | null>(selectedId);
  const id = useId();
  const scrollToRow = useRef<(index: number) => void>(null);
  const bars = useWheelZoom(view, onView);
  const playhead = playheadMs === null ? null : axis.at(playheadMs);

  const focus = (spanId: string): void => {
    setFocusedId(spanId);
    const index = rows.findIndex(({ span }) => span.id === spanId);
    const span = rows[index]?.span;
    if (!span) return;
    scrollToRow.current?.(index);
    onView(showing(view, axis.at(span.startMs)));
  };
  const select = useSelect({ selectedId, onSelect, setFocusedId });
  const onKeyDown = useTreeKeys({ ...props, rows, focusedId, focus, toggle });

  return (
    <div className="flex min-w-0 flex-col gap-2">
      <TimelineTools view={view} onView={onView} hidesIdle={hidesIdle} onHidesIdle={onHidesIdle} />
      <p id={`${id}help`} className="sr-only">
        {text('help')}
      </p>
      <div ref={bars} className="min-w-0">
        {pictures.length === 0 ? null : (
          <div className={rowColumns}>
            <span />
            <FilmStrip pictures={pictures} axis={axis} view={view} onOpen={onOpenPicture} />
          </div>
        )}
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a tree grid is a table whose rows open and close
          role="treegrid"
          tabIndex={0}
          aria-label={text('label')}
          aria-describedby={`${id}help`}
          aria-rowcount={rows.length + 1}
          aria-activedescendant={focusedId === null ? undefined : `${id}${focusedId}`}
          onKeyDown={onKeyDown}
          onFocus={() => setFocusedId((known) => known ?? rows[0]?.span.id ?? null)}
          className={`group block ${focusRing}`}
        >
          <TimelineHead axis={axis} view={view} playhead={playhead} />
          <TimelineRows
            idPrefix={id}
            rows={rows}
            axis={axis}
            view={view}
            nowMs={nowMs}
            selectedId={selectedId}
            focusedId={focusedId}
            onSelect={select}
            onToggle={toggle}
            scrollToRow={scrollToRow}
          />
        </table>
      </div>
    </div>
  );
}

interface Choice extends Pick<TimelineViewProps, 'selectedId' | 'onSelect'> {
  setFocusedId: (id: string) => void;
}

/** Stays the same function, so that rows which did not change are not drawn again while the page scrolls. */
function useSelect(choice: Choice): (id: string) => void {
  const current = useRef(choice);
  useEffect(() => {
    current.current = choice;
  });
  return useCallback((id) => {
    const { selectedId, onSelect, setFocusedId } = current.current;
    setFocusedId(id);
    onSelect(id === selectedId ? null : id);
  }, []);
}

interface TreeKeys extends Pick<TimelineViewProps, 'view' | 'onView' | 'selectedId' | 'onSelect'> {
  rows: readonly TimelineRow[];
  focusedId: string | null;
  focus: (id: string) => void;
  toggle: (id: string) => void;
}

/** Keys of the tree, of the axis, and of the choice. */
function useTreeKeys({ rows, focusedId, focus, toggle, view, onView, selectedId, onSelect }: TreeKeys) {
  const move = (key: string): boolean => {
    const step = treeMove(key, { rows, focusedId });
    if (step?.type === 'focus') focus(step.id);
    else if (step) toggle(step.id);
    return step !== null;
  };
  const act = (key: string): boolean => {
    const change = zoomKeys[key]?.(view);
    if (change) onView(change);
    else if (key === 'Enter' && focusedId !== null) onSelect(focusedId);
    else if (key === 'Escape' && selectedId !== null) onSelect(null);
    else return move(key);
    return true;
  };
  return (event: KeyboardEvent): void => {
    const isModified = event.ctrlKey || event.metaKey || event.altKey;
    if (!isModified && event.target === event.currentTarget && act(event.key)) event.preventDefault();
  };
}

/** The names of the columns, and the axis above the bars. */
function TimelineHead(props: { axis: TimeAxis; view: ViewRange; playhead: number | null }) {
  const text = useText('timeline');
  return (
    <thead className="sticky top-(--bar) z-10 short:static block border-b border-border bg-bg text-meta text-text-2">
      <tr aria-rowindex={1} className={`${rowColumns} h-7 items-center`}>
        <th scope="col" className="pl-6 text-left font-normal">
          {text('name')}
        </th>
        <th scope="col" aria-label={text('when')} className="h-full font-normal">
          <TimelineAxis {...props} />
        </th>
        <th scope="col" className="text-right font-normal">
          {text('length')}
        </th>
      </tr>
    </thead>
  );
}

const zoomKeys: Record<string, (view: ViewRange) => ViewRange> = {
  '+': (view) => zoomed(view, 0.5),
  '=': (view) => zoomed(view, 0.5),
  '-': (view) => zoomed(view, 2),
  '0': () => wholeView,
};

function useCollapsed(): { collapsed: ReadonlySet<string>; toggle: (id: string) => void } {
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback(
    (id: string): void =>
      setCollapsed((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );
  return { collapsed, toggle };
}

const zoomPerPixel = 0.002;

/** Ctrl and the wheel zoom, as a pinch on a touchpad does. The browser would zoom the page, so the listener is not passive. */
function useWheelZoom(view: ViewRange, onView: (view: ViewRange) => void) {
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = area.current;
    if (!element) return;
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      onView(zoomed(view, Math.exp(event.deltaY * zoomPerPixel)));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [view, onView]);
  return area;
}

interface TimelineRowsProps {
  idPrefix: string;
  rows: readonly TimelineRow[];
  axis: TimeAxis;
  view: ViewRange;
  nowMs: number;
  selectedId: string | null;
  focusedId: string | null;
  onSelect: (id: string) => void;
  onToggle: (id: string) => void;
  /** Receives the function that scrolls a row into sight. */
  scrollToRow: RefObject<((index: number) => void) | null>;
}

/** The rows near the window. A step of a scroll draws those that come, and nothing around them. */
function TimelineRows(props: TimelineRowsProps) {
  const { idPrefix, rows, axis, view, nowMs, selectedId, focusedId, onSelect, onToggle, scrollToRow } = props;
  const start = useRef<HTMLTableSectionElement>(null);
  const { rows: windowed, offset } = useRowWindow({ count: rows.length, rowHeight, start });
  useEffect(() => {
    scrollToRow.current = (index) => windowed.scrollToIndex(index);
  }, [scrollToRow, windowed]);
  const items = windowed.getVirtualItems();
  const above = (items[0]?.start ?? offset) - offset;
  return (
    <tbody ref={start} className="block" style={{ height: rows.length * rowHeight, paddingTop: above }}>
      {items.map(({ index }) => {
        const row = rows[index];
        if (row === undefined) return null;
        const spanId = row.span.id;
        return (
          <TimelineRowLine
            key={spanId}
            id={`${idPrefix}${spanId}`}
            index={index}
            row={row}
            axis={axis}
            view={view}
            nowMs={nowMs}
            isSelected={spanId === selectedId}
            isFocused={spanId === focusedId}
            onSelect={onSelect}
            onToggle={onToggle}
          />
        );
      })}
    </tbody>
  );
}
