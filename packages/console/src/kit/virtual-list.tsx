import { useWindowVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { rowMarks, rowRing } from './rows/row-marks.ts';

/** The rows near the window. Everything scrolls with the page, so there is no second scroll bar. */
export function useRowWindow({
  count,
  rowHeight,
  start,
}: {
  count: number;
  /** The height of a row in pixels; rows that differ are measured. */
  rowHeight: number;
  /** The element at which the rows begin; their offset in the page is taken from it. */
  start: RefObject<HTMLElement | null>;
}) {
  const offset = useOffsetInPage(start);
  return {
    offset,
    rows: useWindowVirtualizer({ count, estimateSize: () => rowHeight, overscan: 12, scrollMargin: offset }),
  };
}

/**
 * Returns how far below the top of the page an element begins, in pixels. It is measured again when the page or the element
 * changes its size. Measuring after each step of a scroll would make the browser lay the page out twice for each frame.
 */
function useOffsetInPage(element: RefObject<HTMLElement | null>): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const measured = element.current;
    if (measured === null) return;
    const measure = () => setOffset(Math.round(measured.getBoundingClientRect().top + window.scrollY));
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(document.body);
    sizes.observe(measured);
    return () => sizes.disconnect();
  }, [element]);
  return offset;
}

interface VirtualListProps<Row> {
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  rowHeight: number;
  label: string;
  children: (row: Row, index: number) => ReactNode;
}

/** A long list of which only the visible part is in the page. Rows may have different heights. */
export function VirtualList<Row>({ rows, rowKey, rowHeight, label, children }: VirtualListProps<Row>) {
  const start = useRef<HTMLUListElement>(null);
  const view = useRowWindow({ count: rows.length, rowHeight, start });
  const items = view.rows.getVirtualItems();
  return (
    <ul ref={start} aria-label={label} className="relative" style={{ height: view.rows.getTotalSize() }}>
      {items.map((item: VirtualItem) => {
        const row = rows[item.index];
        if (row === undefined) return null;
        return (
          <li
            key={rowKey(row)}
            {...rowMarks(rowKey(row))}
            data-index={item.index}
            ref={view.rows.measureElement}
            aria-posinset={item.index + 1}
            aria-setsize={rows.length}
            className={`absolute inset-x-0 top-0 ${rowRing}`}
            style={{ transform: `translateY(${item.start - view.offset}px)` }}
          >
            {children(row, item.index)}
          </li>
        );
      })}
    </ul>
  );
}
