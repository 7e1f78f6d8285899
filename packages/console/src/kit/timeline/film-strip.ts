import { percentOf } from './bar-geometry.ts';
import type { TimeAxis } from './time-axis.ts';
import type { ViewRange } from './view-range.ts';

/** A picture at the moment at which it was there. */
export interface FilmPicture {
  id: string;
  atMs: number;
  alt: string;
  /** The address of the picture, or null when it is not available. */
  source: string | null;
  /** A picture in progress. It gives its place to a finished one. */
  isPreview?: boolean;
}

export interface FilmFrame<Picture extends FilmPicture = FilmPicture> {
  picture: Picture;
  /** The left edge of the picture, and the moment that it belongs to, in percent of the shown width. */
  left: number;
  moment: number;
  /** Pictures that have no room of their own, behind this one. */
  hidden: number;
}

/**
 * Places pictures at their moments. One that would cover another moves right a little, and is counted when that does not help.
 * A finished picture without room takes the place of a preview.
 */
export function filmFrames<Picture extends FilmPicture>(
  pictures: readonly Picture[],
  { axis, view, frameWidth }: { axis: TimeAxis; view: ViewRange; frameWidth: number },
): FilmFrame<Picture>[] {
  const frames: FilmFrame<Picture>[] = [];
  const ordered = [...pictures].sort((one, other) => one.atMs - other.atMs);
  for (const picture of ordered) {
    const moment = percentOf(axis.at(picture.atMs), view);
    if (moment < 0 || moment > 100) continue;
    const last = frames.at(-1);
    const wanted = Math.min(100 - frameWidth, Math.max(0, moment - frameWidth / 2));
    const left = Math.max(wanted, last === undefined ? 0 : last.left + frameWidth);
    if (last && (left - wanted > frameWidth || left > 100 - frameWidth + 0.001))
      hide({ picture, moment }, last);
    else frames.push({ picture, left, moment, hidden: 0 });
  }
  return frames;
}

function hide<Picture extends FilmPicture>(
  { picture, moment }: { picture: Picture; moment: number },
  last: FilmFrame<Picture>,
): void {
  last.hidden += 1;
  if (!last.picture.isPreview || picture.isPreview) return;
  last.picture = picture;
  last.moment = moment;
}
