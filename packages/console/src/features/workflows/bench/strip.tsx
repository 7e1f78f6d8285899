import { useVirtualizer } from '@tanstack/react-virtual';
import { FileText, Star } from 'lucide-react';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { classes } from '../../../kit/parts/classes.ts';
import { useMedia } from '../../../kit/parts/use-media.ts';
import { ChooseCircle } from '../../../kit/pictures/choose-circle.tsx';
import { PictureButton } from '../../../kit/pictures/picture-button.tsx';
import { opensRow, rowMarks } from '../../../kit/rows/row-marks.ts';
import { StatusWord } from '../../../kit/status-word.tsx';
import { useText } from '../../../lib/i18n.ts';
import { glyphOf, stateOf } from '../../../lib/task-state.ts';
import type { BenchResult } from './results.ts';

/** The side of a place, in pixels, with the gap behind it. */
const side = 72;
const gap = 6;

interface StripProps {
  results: readonly BenchResult[];
  shownKey: string | undefined;
  /** Goes on to the newest result by itself. */
  isFollowing: boolean;
  chosen: ReadonlySet<string>;
  stars: ReadonlySet<string>;
  onOpen: (result: BenchResult) => void;
  onChoose: (result: BenchResult, options: { range: boolean }) => void;
}

/** The results of a sitting in a row, the newest at the end. Only those near the window are in the page. */
export function Strip({ results, shownKey, isFollowing, chosen, stars, onOpen, onChoose }: StripProps) {
  const text = useText('workflows');
  const box = useRef<HTMLDivElement>(null);
  const places = useVirtualizer({
    count: results.length,
    horizontal: true,
    estimateSize: () => side + gap,
    overscan: 3,
    getScrollElement: () => box.current,
  });
  const isTouched = useMedia('(pointer: coarse)');
  const [nearKey, setNearKey] = useState<string | null>(null);
  useStillBefore(box, results);
  const at = results.findIndex(({ key }) => key === shownKey);
  const last = results.length - 1;
  const goTo = useRef((index: number) => places.scrollToIndex(index, { align: 'auto' }));
  useEffect(() => {
    // A strip that a pointer is over stays where it is.
    const isStill = isFollowing && box.current?.matches(':hover') === true;
    if (at >= 0 && !isStill) goTo.current(isFollowing ? last : at);
  }, [at, last, isFollowing]);
  return (
    <div ref={box} className="shrink-0 overflow-x-auto overflow-y-hidden overscroll-x-contain p-1">
      <ul
        aria-label={text('bench.strip')}
        className="relative"
        style={{ width: places.getTotalSize(), height: side }}
      >
        {places.getVirtualItems().map(({ index, start }) => {
          const result = results[index];
          if (result === undefined) return null;
          return (
            <li
              key={result.key}
              {...rowMarks(result.key)}
              aria-posinset={index + 1}
              aria-setsize={results.length}
              onPointerEnter={() => setNearKey(result.key)}
              onFocus={() => setNearKey(result.key)}
              className="group absolute top-0 outline-none"
              style={{ left: start, width: side, height: side }}
            >
              <Place
                result={result}
                number={index + 1}
                isShown={index === at}
                isChosen={chosen.has(result.key)}
                isStarred={stars.has(result.key)}
                isChoosing={chosen.size > 0}
                isNear={isTouched || result.key === nearKey}
                onOpen={() => onOpen(result)}
                onChoose={(range) => onChoose(result, { range })}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface PlaceProps {
  result: BenchResult;
  number: number;
  isShown: boolean;
  isChosen: boolean;
  isStarred: boolean;
  isChoosing: boolean;
  /** Only the places that need the button that chooses have it, since a strip has many. */
  isNear: boolean;
  onOpen: () => void;
  onChoose: (range: boolean) => void;
}

function Place({
  result,
  number,
  isShown,
  isChosen,
  isStarred,
  isChoosing,
  isNear,
  onOpen,
  onChoose,
}: PlaceProps) {
  const text = useText('workflows');
  const { task, output } = result;
  const state = stateOf(task);
  const label = text(isStarred ? 'bench.starredPlace' : 'bench.place', {
    number,
    state: text(`state.${state}`),
    name: output?.filename ?? '',
  });
  return (
    <>
      <PictureButton
        {...opensRow}
        label={label}
        aria-current={isShown ? 'true' : undefined}
        title={label}
        file={output}
        cssPixels={side}
        onClick={onOpen}
        className={classes(
          'absolute inset-0 size-full rounded-control border bg-sunken text-meta',
          isShown ? 'border-accent ring-2 ring-accent' : 'border-border',
        )}
      >
        <EmptyPlace result={result} />
      </PictureButton>
      {isStarred ? (
        <span className="pointer-events-none absolute right-1 bottom-1 rounded-full bg-surface p-0.5">
          <Star size={12} strokeWidth={1.75} fill="currentColor" aria-hidden />
        </span>
      ) : null}
      {output !== null && (isChoosing || isNear) ? (
        <ChooseCircle
          size="s"
          label={text('bench.choose', { number })}
          isChosen={isChosen}
          isShown={isChoosing}
          onChoose={onChoose}
        />
      ) : null}
    </>
  );
}

/** A task that has made no file: how far it is, or how it ended. */
function EmptyPlace({ result }: { result: BenchResult }) {
  const text = useText('workflows');
  const { task } = result;
  const state = stateOf(task);
  if (state === 'done') return <FileText size={20} strokeWidth={1.75} aria-hidden className="text-text-2" />;
  return (
    <StatusWord kind={glyphOf[state]}>
      {state === 'running' ? text('bench.percent', { percent: task.progress }) : ''}
    </StatusWord>
  );
}

/** Older results that come in before the others move nothing that is looked at. */
function useStillBefore(box: RefObject<HTMLElement | null>, results: readonly BenchResult[]): void {
  const first = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const added = results.findIndex(({ key }) => key === first.current);
    if (added > 0 && box.current) box.current.scrollLeft += added * (side + gap);
    first.current = results[0]?.key;
  }, [box, results]);
}
