/** The place of one picture in a grid, in pixels from the top left. */
export interface PlacedPicture {
  index: number;
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface JustifiedRow {
  top: number;
  height: number;
  pictures: PlacedPicture[];
}

interface LayoutOptions {
  width: number;
  /** The height that rows have about. */
  rowHeight: number;
  gap: number;
}

/** A panorama, or a tall strip, is shown cut to this: it would otherwise fill a row with itself or vanish in one. */
const ratios = { min: 0.4, max: 3.5 };

/**
 * Places pictures in rows that fill the width, each row as high as its pictures ask for together. Adding pictures at the
 * end leaves every full row where it is.
 */
export function justifiedRows(pictureRatios: readonly number[], options: LayoutOptions): JustifiedRow[] {
  const { width, rowHeight, gap } = options;
  const rows: JustifiedRow[] = [];
  if (width <= 0) return rows;
  let row: { index: number; ratio: number }[] = [];
  let sum = 0;
  let top = 0;
  const close = (height: number): void => {
    rows.push(placed(row, { top, height, gap }));
    top += height + gap;
    row = [];
    sum = 0;
  };
  pictureRatios.forEach((given, index) => {
    const ratio = Math.min(Math.max(given, ratios.min), ratios.max);
    row.push({ index, ratio });
    sum += ratio;
    const height = (width - gap * (row.length - 1)) / sum;
    if (height <= rowHeight) close(height);
  });
  // The pictures of an unfinished row keep the usual height instead of growing to the width.
  if (row.length > 0) close(Math.min(rowHeight, (width - gap * (row.length - 1)) / sum));
  return rows;
}

function placed(
  row: readonly { index: number; ratio: number }[],
  { top, height, gap }: { top: number; height: number; gap: number },
): JustifiedRow {
  let left = 0;
  const pictures = row.map(({ index, ratio }) => {
    const width = ratio * height;
    const picture = { index, left, top, width, height };
    left += width + gap;
    return picture;
  });
  return { top, height, pictures };
}

export function heightOf(rows: readonly JustifiedRow[]): number {
  const last = rows.at(-1);
  return last ? last.top + last.height : 0;
}

/** The rows that touch a stretch of the page. Rows are in order, so that the first is found by halving. */
export function rowsWithin(rows: readonly JustifiedRow[], from: number, to: number): JustifiedRow[] {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row && row.top + row.height < from) low = middle + 1;
    else high = middle;
  }
  const visible: JustifiedRow[] = [];
  for (let index = low; index < rows.length; index += 1) {
    const row = rows[index];
    if (!row || row.top > to) break;
    visible.push(row);
  }
  return visible;
}

/** The picture that the arrow keys lead to; up and down go to the picture whose middle is nearest. */
export function pictureBeside(
  rows: readonly JustifiedRow[],
  index: number,
  key: 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown',
): number {
  const at = rows.findIndex(({ pictures }) => pictures.some((picture) => picture.index === index));
  const picture = rows[at]?.pictures.find((each) => each.index === index);
  const count = rows.reduce((sum, { pictures }) => sum + pictures.length, 0);
  if (!picture) return Math.min(index, Math.max(0, count - 1));
  if (key === 'ArrowLeft') return Math.max(0, index - 1);
  if (key === 'ArrowRight') return Math.min(count - 1, index + 1);
  const row = rows[key === 'ArrowUp' ? at - 1 : at + 1];
  if (!row) return index;
  const middle = picture.left + picture.width / 2;
  const distance = (each: PlacedPicture): number => Math.abs(each.left + each.width / 2 - middle);
  return row.pictures.reduce((best, each) => (distance(each) < distance(best) ? each : best)).index;
}
