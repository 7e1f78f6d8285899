import type { SweepCell, SweepDetail } from '@switchyard/contract/dispatch/sweep';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { classes } from '../../../kit/parts/classes.ts';
import { useWidth } from '../../../kit/parts/use-width.ts';
import { thumbnailAddress } from '../../../kit/pictures/picture.ts';
import { PictureButton } from '../../../kit/pictures/picture-button.tsx';
import { type StatusKind, StatusWord, statusColour } from '../../../kit/status-word.tsx';
import { useGatewayWords } from '../../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../../lib/i18n.ts';
import { fileIn, valueText } from './axis-draft.ts';

const kinds = {
  waiting: 'checking',
  refused: 'failed',
  stopped: 'off',
  pending: 'waiting',
  running: 'running',
  stopping: 'draining',
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<SweepCell['state'] | 'stopping', StatusKind>;

export function CellState({ cell }: { cell: SweepCell }) {
  return <StatusWord kind={kinds[shownState(cell)]}>{useStateWord()(cell)}</StatusWord>;
}

function shownState({ state, cancelRequested }: SweepCell): keyof typeof kinds {
  return state === 'running' && cancelRequested ? 'stopping' : state;
}

function useStateWord(): (cell: SweepCell) => string {
  const text = useText('sweep');
  return (cell) => {
    const state = shownState(cell);
    return state === 'running' ? `${cell.progress} %` : text(`state.${state}`);
  };
}

/** In pixels. A cell grows with the page between these. */
const sides = { least: 96, most: 224 };
const headHeight = 40;
const headWidths = { narrow: 80, wide: 144 };
const headPicture = 32;

interface SweepGridProps {
  sweep: SweepDetail;
  cells: readonly SweepCell[];
  /** True while an open cell stands over the grid. */
  isCovered: boolean;
  onOpen: (cell: number) => void;
}

/** The cells under the values of their axes. Only those near the window are in the page. */
export function SweepGrid(props: SweepGridProps) {
  const { sweep, isCovered } = props;
  const text = useText('sweep');
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const columns = sweep.axes[0]?.count ?? 1;
  const headWidth = sweep.total === columns ? 0 : width < 480 ? headWidths.narrow : headWidths.wide;
  const side = Math.floor(Math.min(sides.most, Math.max(sides.least, (width - headWidth) / columns)));
  return (
    <section
      ref={box}
      inert={isCovered}
      aria-label={text('grid', { name: sweep.name })}
      className="relative min-h-0 min-w-0 flex-1 overflow-auto overscroll-contain"
    >
      {width > 0 ? (
        <Places key={`${side} ${headWidth}`} {...props} {...{ box, columns, side, headWidth }} />
      ) : null}
    </section>
  );
}

interface PlacesProps extends SweepGridProps {
  box: RefObject<HTMLElement | null>;
  columns: number;
  side: number;
  headWidth: number;
}

function Places({ sweep, cells, onOpen, box, columns, side, headWidth }: PlacesProps) {
  const rows = sweep.total / columns;
  const near = { getScrollElement: () => box.current, estimateSize: () => side, overscan: 1 };
  const down = useVirtualizer({ ...near, count: rows, paddingStart: headHeight });
  const across = useVirtualizer({ ...near, horizontal: true, count: columns, paddingStart: headWidth });
  const [focused, setFocused] = useState(0);
  const isMoved = useRef(false);
  useEffect(() => {
    if (!isMoved.current) return;
    isMoved.current = false;
    // The cell may come into the page with the scrolling that has just begun.
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-cell="${focused}"]`)?.focus());
  }, [box, focused]);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextCell(event.key, focused, columns);
    if (next === null || next >= sweep.total) return;
    event.preventDefault();
    isMoved.current = next !== focused;
    setFocused(next);
    down.scrollToIndex(Math.floor(next / columns));
    across.scrollToIndex(next % columns);
  };
  const [first, ...others] = sweep.axes;
  const [shownRows, shownColumns] = [down.getVirtualItems(), across.getVirtualItems()];
  const wordsOf = useValueWords();
  // In a narrow corner the title of the node would take the room of what varies.
  const nameIn = (axis: SweepDetail['axes'][number] | undefined) =>
    headWidth > headWidths.narrow ? axis?.label : axis?.label.split(': ').at(-1);
  return (
    <div className="relative" style={{ width: headWidth + columns * side, height: headHeight + rows * side }}>
      <div className="sticky top-0 z-20 border-b border-border bg-surface" style={{ height: headHeight }}>
        {headWidth > 0 ? (
          <div
            title={sweep.axes.map(({ label }) => label).join(' · ')}
            className="sticky left-0 z-10 flex h-full flex-col justify-center overflow-hidden border-r border-border bg-surface px-2 text-meta text-text-2"
            style={{ width: headWidth }}
          >
            <span className="truncate">{nameIn(first)} →</span>
            <span className="truncate">{others.map(nameIn).join(' · ')} ↓</span>
          </div>
        ) : null}
        {shownColumns.map(({ index, start }) => (
          <div
            key={index}
            title={`${first?.label}: ${wordsOf(first?.values[index], index)}`}
            className="absolute top-1/2 line-clamp-2 -translate-y-1/2 px-1 text-center text-table break-words tabular-nums"
            style={{ left: start, width: side }}
          >
            <HeadValue value={first?.values[index]} index={index} />
          </div>
        ))}
      </div>
      {headWidth > 0 ? (
        <div
          className="sticky left-0 z-10 h-full border-r border-border bg-surface"
          style={{ width: headWidth, marginTop: -headHeight }}
        >
          {shownRows.map(({ index, start }) => (
            <RowHead key={index} axes={others} row={index} {...{ side, top: start }} />
          ))}
        </div>
      ) : null}
      {shownRows.flatMap(({ index: row, start: top }) =>
        shownColumns.map(({ index: column, start: left }) => {
          const number = row * columns + column;
          const cell = cells[number];
          return cell ? (
            <Cell
              key={number}
              name={nameOf(sweep, cell, wordsOf)}
              cell={cell}
              {...{ top, left, side }}
              isFocused={number === focused}
              onKeyDown={onKeyDown}
              onFocus={() => setFocused(number)}
              onOpen={() => onOpen(number)}
            />
          ) : null;
        }),
      )}
    </div>
  );
}

/** The values of the axes, for a reader who does not see the heads. */
function nameOf({ axes }: SweepDetail, { at }: SweepCell, wordsOf: ReturnType<typeof useValueWords>): string {
  const words = axes.map(({ label, values }, index) => {
    const place = at[index] ?? 0;
    return `${label} ${wordsOf(values[place], place).slice(0, 60)}`;
  });
  return words.join(', ');
}

/** A prompt may have a megabyte; a page with such heads would not scroll. */
const maxWords = 300;

/** Returns a value in words. The name of a file is not known here, so that it has its place on the axis. */
function useValueWords(): (value: unknown, index: number) => string {
  const text = useText('sweep');
  return (value, index) =>
    fileIn(value).length > 0 ? text('picture', { number: index + 1 }) : valueText(value).slice(0, maxWords);
}

/** A value as a head; a file as its thumbnail. */
export function HeadValue({ value, index }: { value: unknown; index: number }) {
  const wordsOf = useValueWords();
  const [file] = fileIn(value);
  const words = wordsOf(value, index);
  if (!file) return words;
  return (
    <img
      src={thumbnailAddress(file.fileId, headPicture, window.devicePixelRatio)}
      alt={words}
      loading="lazy"
      className="mx-auto size-8 rounded-control object-cover"
    />
  );
}

/** Returns where a key leads; null for other keys. */
export function nextCell(key: string, cell: number, columns: number): number | null {
  const column = cell % columns;
  switch (key) {
    case 'ArrowLeft':
      return column > 0 ? cell - 1 : cell;
    case 'ArrowRight':
      return column < columns - 1 ? cell + 1 : cell;
    case 'ArrowUp':
      return cell - columns < 0 ? cell : cell - columns;
    case 'ArrowDown':
      return cell + columns;
    case 'Home':
      return cell - column;
    case 'End':
      return cell - column + columns - 1;
    default:
      return null;
  }
}

/** The values of the second and third axis, around the middle of their row. */
function RowHead({
  axes,
  row,
  top,
  side,
}: {
  axes: SweepDetail['axes'];
  row: number;
  top: number;
  side: number;
}) {
  const wordsOf = useValueWords();
  let rest = row;
  const shown = axes.map(({ label, count, values }) => {
    const index = rest % count;
    rest = Math.floor(rest / count);
    return { label, index, value: values[index] };
  });
  const [only, ...more] = shown;
  return (
    <div
      title={shown.map(({ label, value, index }) => `${label}: ${wordsOf(value, index)}`).join('\n')}
      className={classes(
        'absolute inset-x-0 -translate-y-1/2 overflow-hidden px-2 text-table break-words tabular-nums',
        more.length === 0 ? 'line-clamp-3' : 'space-y-1',
      )}
      style={{ top: top + side / 2, maxHeight: side }}
    >
      {only && more.length === 0 ? (
        <HeadValue value={only.value} index={only.index} />
      ) : (
        shown.map(({ label, value, index }) => (
          <span key={label} className="line-clamp-3">
            <HeadValue value={value} index={index} />
          </span>
        ))
      )}
    </div>
  );
}

interface CellProps {
  name: string;
  cell: SweepCell;
  top: number;
  left: number;
  side: number;
  isFocused: boolean;
  onKeyDown: (event: KeyboardEvent) => void;
  onFocus: () => void;
  onOpen: () => void;
}

const gap = 2;

function Cell({ name, cell, top, left, side, isFocused, onKeyDown, onFocus, onOpen }: CellProps) {
  const text = useText('sweep');
  const wordOf = useStateWord();
  const words = useGatewayWords();
  const size = side - 2 * gap;
  return (
    <PictureButton
      data-cell={cell.cell}
      tabIndex={isFocused ? 0 : -1}
      label={text('cell', { values: name, state: wordOf(cell) })}
      title={cell.error ? words.said(cell.error) : name}
      file={outputOf(cell) ?? null}
      cssPixels={side}
      onKeyDown={onKeyDown}
      onFocus={onFocus}
      onClick={onOpen}
      className={classes(
        'absolute rounded-control border border-border bg-surface text-center text-meta font-medium',
        statusColour(kinds[shownState(cell)]),
      )}
      style={{ left: left + gap, top: top + gap, width: size, height: size }}
    >
      {wordOf(cell)}
    </PictureButton>
  );
}

/** What a node only shows is a step on the way, unless the run makes nothing else. */
export function outputOf({ outputs }: SweepCell): SweepCell['outputs'][number] | undefined {
  return outputs.find(({ folder }) => folder !== 'temp') ?? outputs[0];
}
