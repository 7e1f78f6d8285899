import { Star } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useText } from '../../lib/i18n.ts';
import { useCommandHint } from '../command-hint.tsx';
import { classes, focusRing } from '../parts/classes.ts';
import { useMedia } from '../parts/use-media.ts';
import { useWidth } from '../parts/use-width.ts';
import { opensRow, rowMarks } from '../rows/row-marks.ts';
import { isShortcut } from '../use-shortcuts.ts';
import { ChooseCircle } from './choose-circle.tsx';
import { dragFiles, draggedFiles, useFileDrop } from './file-drag.ts';
import {
  heightOf,
  justifiedRows,
  type PlacedPicture,
  pictureBeside,
  rowsWithin,
} from './justified-layout.ts';
import { type Picture, ratioOf } from './picture.ts';
import { PictureButton } from './picture-button.tsx';

interface JustifiedGridProps<Item extends Picture> {
  items: readonly Item[];
  label: string;
  /** Returns the text that a screen reader reads for a picture. */
  altOf: (item: Item) => string;
  onOpen: (item: Item) => void;
  /** The command that shows a picture in a terminal. */
  commandOf: (item: Item) => string;
  chosen?: ReadonlySet<string>;
  /** `range` extends the choice from the picture that was chosen last. */
  onChoose?: (item: Item, options: { range: boolean }) => void;
  isStarred?: (item: Item) => boolean;
  onStar?: (item: Item) => void;
  /** Returns the ids of the files that are dragged with a picture. */
  draggedWith?: (item: Item) => readonly string[];
  /** Pictures that have an order of the user: puts files before one of them. */
  onDropBefore?: (item: Item, fileIds: readonly string[]) => void;
  /** Moves a picture by one place in that order. Shift with an arrow key does it. */
  onShift?: (item: Item, to: 'earlier' | 'later') => void;
  rowHeight?: number;
}

const gap = 8;
const arrows = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'] as const;
const shifts: Readonly<Record<string, 'earlier' | 'later'>> = { ArrowLeft: 'earlier', ArrowRight: 'later' };
const noneChosen: ReadonlySet<string> = new Set();

/** Pictures in full rows, each in its own proportions. Only rows near the window are in the page. */
export function JustifiedGrid<Item extends Picture>(props: JustifiedGridProps<Item>) {
  const { items, label, altOf, onOpen, commandOf, chosen = noneChosen, onChoose, rowHeight = 200 } = props;
  const { isStarred, onStar, draggedWith, onDropBefore, onShift } = props;
  const box = useRef<HTMLUListElement>(null);
  const width = useWidth(box);
  const stretch = useWindowStretch(box);
  const isTouched = useMedia('(pointer: coarse)');
  const [current, setCurrent] = useState(0);
  const rows = useMemo(() => {
    const height = Math.min(rowHeight, Math.max(96, width / 2));
    return justifiedRows(items.map(ratioOf), { width, rowHeight: height, gap });
  }, [items, width, rowHeight]);
  const focus = (index: number) => {
    setCurrent(index);
    focusOn(box.current, index);
  };
  /** Returns true for a key that does something with the picture itself. */
  const actsOn = (item: Item, event: KeyboardEvent, index: number): boolean => {
    const to = event.shiftKey ? shifts[event.key] : undefined;
    if (to && onShift) {
      // The focus stays on the picture, which comes to its new place by itself.
      setCurrent(Math.min(items.length - 1, Math.max(0, index + (to === 'earlier' ? -1 : 1))));
      onShift(item, to);
      return true;
    }
    if (event.key !== 's' || !onStar || !isShortcut(event.nativeEvent)) return false;
    onStar(item);
    return true;
  };
  const onKey = (event: KeyboardEvent, index: number) => {
    const item = items[index];
    const arrow = arrows.find((key) => key === event.key);
    if (item && actsOn(item, event, index)) event.preventDefault();
    else if (arrow) {
      event.preventDefault();
      focus(pictureBeside(rows, index, arrow));
    }
  };
  return (
    <ul ref={box} aria-label={label} className="relative" style={{ height: heightOf(rows) }}>
      {rowsWithin(rows, stretch.from, stretch.to).flatMap(({ pictures }) =>
        pictures.map((place) => {
          const item = items[place.index];
          if (item === undefined) return null;
          return (
            <GridPicture
              key={item.fileId}
              place={place}
              item={item}
              alt={altOf(item)}
              command={commandOf(item)}
              count={items.length}
              isCurrent={place.index === Math.min(current, items.length - 1)}
              isChosen={chosen.has(item.fileId)}
              isChoosing={chosen.size > 0}
              isTouched={isTouched}
              onFocus={() => setCurrent(place.index)}
              onKey={(event) => onKey(event, place.index)}
              onOpen={() => onOpen(item)}
              onChoose={onChoose && ((range) => onChoose(item, { range }))}
              isStarred={isStarred?.(item) ?? false}
              onStar={onStar && (() => onStar(item))}
              draggedWith={draggedWith && (() => draggedWith(item))}
              onDropBefore={onDropBefore && ((fileIds) => onDropBefore(item, fileIds))}
            />
          );
        }),
      )}
    </ul>
  );
}

interface Stretch {
  from: number;
  to: number;
}

/** Which stretch of an element is near the window, in pixels from its top; a third of a screen more above and below. */
function useWindowStretch(element: RefObject<HTMLElement | null>): Stretch {
  const [stretch, setStretch] = useState<Stretch>({ from: 0, to: 2_000 });
  useEffect(() => {
    let frame = 0;
    const measure = () => {
      frame = 0;
      const top = element.current?.getBoundingClientRect().top;
      if (top === undefined) return;
      const screen = window.innerHeight;
      // Whole steps: the page is drawn again a few times for each screen, not for each pixel.
      const from = Math.floor((-top - screen / 3) / 200) * 200;
      setStretch((last) => (last.from === from ? last : { from, to: from + (5 / 3) * screen + 200 }));
    };
    const onScroll = () => {
      if (frame === 0) frame = requestAnimationFrame(measure);
    };
    measure();
    // A dialog scrolls by itself, and its scrolling does not bubble.
    window.addEventListener('scroll', onScroll, { passive: true, capture: true });
    window.addEventListener('resize', onScroll);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', onScroll, { capture: true });
      window.removeEventListener('resize', onScroll);
    };
  }, [element]);
  return stretch;
}

interface GridPictureProps {
  place: PlacedPicture;
  item: Picture;
  alt: string;
  command: string;
  count: number;
  isCurrent: boolean;
  isChosen: boolean;
  isChoosing: boolean;
  isTouched: boolean;
  onFocus: () => void;
  onKey: (event: KeyboardEvent) => void;
  onOpen: () => void;
  onChoose: ((range: boolean) => void) | undefined;
  isStarred: boolean;
  onStar: (() => void) | undefined;
  draggedWith: (() => readonly string[]) | undefined;
  onDropBefore: ((fileIds: readonly string[]) => void) | undefined;
}

function GridPicture(props: GridPictureProps) {
  const { place, item, alt, command, count, isCurrent, isChosen, isChoosing, isTouched } = props;
  const { onFocus, onKey, onOpen, onChoose, isStarred, onStar, draggedWith, onDropBefore } = props;
  const text = useText('pictures');
  const hint = useCommandHint(command);
  const [isNear, setNear] = useState(false);
  const drop = useFileDrop(onDropBefore && ((event) => onDropBefore(draggedFiles(event))));
  const { left, top, width, height, index } = place;
  const { filename: name } = item;
  // A grid has thousands of pictures, so that only those that need a button have it.
  const isUsed = isNear || isCurrent;
  const tabIndex = isCurrent ? 0 : -1;
  return (
    <li
      {...rowMarks(item.fileId)}
      {...drop.place}
      draggable={draggedWith !== undefined}
      onDragStart={(event) => draggedWith && dragFiles(event, draggedWith())}
      onFocus={onFocus}
      onPointerEnter={() => setNear(true)}
      onPointerLeave={() => setNear(false)}
      aria-posinset={index + 1}
      aria-setsize={count}
      className={classes(
        'group absolute after:pointer-events-none after:absolute',
        drop.isOver
          ? 'after:inset-y-0 after:left-0 after:w-1.5 after:bg-accent-solid'
          : isChosen && 'after:inset-0 after:rounded-control after:border-4 after:border-accent-solid',
      )}
      style={{ left, top, width, height }}
    >
      <PictureButton
        {...hint}
        {...opensRow}
        data-picture={index}
        label={alt}
        file={item}
        cssPixels={Math.max(width, height)}
        draggable={false}
        tabIndex={tabIndex}
        onKeyDown={onKey}
        onClick={(event) => (event.shiftKey && onChoose ? onChoose(true) : onOpen())}
        className="absolute inset-0 size-full cursor-zoom-in! rounded-control bg-sunken"
      />
      {onChoose && (isUsed || isChoosing || isTouched) ? (
        <ChooseCircle
          size="m"
          label={text('choose', { name })}
          isChosen={isChosen}
          isShown={isChoosing}
          tabIndex={tabIndex}
          onChoose={onChoose}
        />
      ) : null}
      {onStar && (isStarred || isUsed) ? (
        <StarButton name={name} isStarred={isStarred} isCurrent={isCurrent} onStar={onStar} />
      ) : null}
    </li>
  );
}

function StarButton({
  name,
  isStarred,
  isCurrent,
  onStar,
}: {
  name: string;
  isStarred: boolean;
  /** The picture that Tab leads to; the buttons of the others are reached by arrow keys, x and s. */
  isCurrent: boolean;
  onStar: () => void;
}) {
  const text = useText('pictures');
  return (
    <button
      type="button"
      tabIndex={isCurrent ? 0 : -1}
      aria-pressed={isStarred}
      aria-label={text('star', { name })}
      aria-keyshortcuts="s"
      onClick={onStar}
      className={classes(
        focusRing,
        'absolute top-0 right-0 flex size-10 cursor-pointer items-center justify-center pointer-coarse:size-11',
        isStarred ? '' : 'opacity-0 group-focus-within:opacity-100 group-hover:opacity-100',
      )}
    >
      <span className="flex size-6 items-center justify-center rounded-full border border-control bg-surface text-text">
        <Star size={14} strokeWidth={2} fill={isStarred ? 'currentColor' : 'none'} aria-hidden />
      </span>
    </button>
  );
}

/** The picture may come into the page only when the window has moved to it. */
function focusOn(box: HTMLElement | null, index: number): void {
  requestAnimationFrame(() => {
    box?.querySelector<HTMLElement>(`[data-picture="${index}"]`)?.focus();
  });
}
