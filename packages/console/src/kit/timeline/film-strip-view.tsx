import { useRef } from 'react';
import { useText } from '../../lib/i18n.ts';
import { classes, focusRing } from '../parts/classes.ts';
import { useWidth } from '../parts/use-width.ts';
import { type FilmPicture, filmFrames } from './film-strip.ts';
import type { TimeAxis } from './time-axis.ts';
import type { ViewRange } from './view-range.ts';

const framePx = 64;

/** Pictures above the bars, each over the moment at which it was there. */
export function FilmStrip({
  pictures,
  axis,
  view,
  onOpen,
}: {
  pictures: readonly FilmPicture[];
  axis: TimeAxis;
  view: ViewRange;
  onOpen: ((id: string) => void) | undefined;
}) {
  const text = useText('timeline');
  const area = useRef<HTMLUListElement>(null);
  const frameWidth = (framePx / Math.max(framePx, useWidth(area))) * 100;
  const frames = filmFrames(pictures, { axis, view, frameWidth });
  return (
    <ul ref={area} aria-label={text('film')} className="relative h-18 overflow-hidden">
      {frames.map(({ picture, left, moment, hidden }) => (
        <li key={picture.id}>
          <span
            aria-hidden
            className="absolute bottom-0 h-2 w-px bg-control forced-colors:bg-[CanvasText]"
            style={{ left: `${moment}%` }}
          />
          <button
            type="button"
            onClick={() => onOpen?.(picture.id)}
            title={picture.alt}
            className={classes(
              focusRing,
              'absolute top-1 h-15 cursor-pointer overflow-hidden rounded-control bg-sunken -outline-offset-2! text-meta text-text-2',
            )}
            style={{ left: `${left}%`, width: `calc(${frameWidth}% - 4px)` }}
          >
            {picture.source === null ? (
              <span className="block truncate px-1">{picture.alt}</span>
            ) : (
              <img src={picture.source} alt={picture.alt} className="size-full object-cover" />
            )}
            {hidden === 0 ? null : (
              <span
                className="absolute right-0 bottom-0 rounded-tl-control bg-surface px-1 text-text"
                title={text('hiddenPictures', { count: hidden })}
              >
                {text('more', { count: hidden })}
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}
