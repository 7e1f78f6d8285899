import { type RefObject, useEffect, useRef } from 'react';
import { useRowWindow } from '../virtual-list.tsx';
import type { TimeAxis } from './time-axis.ts';
import { rowHeight, TimelineRowLine } from './timeline-row.tsx';
import type { TimelineRow } from './tree-rows.ts';
import type { ViewRange } from './view-range.ts';

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
  /** Set to what brings a row into sight. */
  scrollToRow: RefObject<((index: number) => void) | null>;
}

/** The rows near the window. A step of a scroll draws those that come, and nothing around them. */
export function TimelineRows(props: TimelineRowsProps) {
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
