/** Colours as 24-bit numbers: red in the highest byte. */
export type Colour = number;

export const red = (colour: Colour) => colour >> 16;
export const green = (colour: Colour) => (colour >> 8) & 255;
export const blue = (colour: Colour) => colour & 255;

type Counted = [colour: Colour, count: number];
type Axis = (colour: Colour) => number;

/** Median cut: the box with the widest spread is halved at its median until there are enough. At most `colours` entries. */
export function medianCut(frame: Uint8Array, colours: number): Colour[] {
  const boxes: Counted[][] = [countColours(frame)];
  while (boxes.length < colours) {
    const widest = boxes.reduce((best, box) =>
      widestAxis(box).spread > widestAxis(best).spread ? box : best,
    );
    const { axis, spread } = widestAxis(widest);
    if (spread === 0) break;
    boxes.splice(boxes.indexOf(widest), 1, ...halves(widest, axis));
  }
  return boxes.map(average);
}

function countColours(frame: Uint8Array): Counted[] {
  const counts = new Map<Colour, number>();
  for (let index = 0; index < frame.length; index += 3) {
    const colour =
      ((frame[index] as number) << 16) | ((frame[index + 1] as number) << 8) | (frame[index + 2] as number);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return [...counts];
}

const spreads = new WeakMap<Counted[], { axis: Axis; spread: number }>();

function widestAxis(box: Counted[]): { axis: Axis; spread: number } {
  const known = spreads.get(box);
  if (known !== undefined) return known;
  const found = [red, green, blue]
    .map((axis) => ({ axis, spread: spreadOf(box, axis) }))
    .reduce((best, next) => (next.spread > best.spread ? next : best));
  spreads.set(box, found);
  return found;
}

function spreadOf(box: Counted[], axis: Axis): number {
  let low = 255;
  let high = 0;
  for (const [colour] of box) {
    low = Math.min(low, axis(colour));
    high = Math.max(high, axis(colour));
  }
  return high - low;
}

/** Splits by the number of pixels, so that neither half is empty. */
function halves(box: Counted[], axis: Axis): [Counted[], Counted[]] {
  const sorted = box.toSorted(([left], [right]) => axis(left) - axis(right));
  const half = sorted.reduce((sum, [, count]) => sum + count, 0) / 2;
  let seen = 0;
  let at = sorted.findIndex(([, count]) => {
    seen += count;
    return seen >= half;
  });
  at = Math.min(Math.max(1, at + 1), sorted.length - 1);
  return [sorted.slice(0, at), sorted.slice(at)];
}

function average(box: Counted[]): Colour {
  const total = box.reduce((sum, [, count]) => sum + count, 0);
  const mean = (axis: Axis) =>
    Math.round(box.reduce((sum, [colour, count]) => sum + axis(colour) * count, 0) / total);
  return (mean(red) << 16) | (mean(green) << 8) | mean(blue);
}

/** Finds the nearest entry, and remembers it for each requested colour. */
export function nearestIn(palette: readonly Colour[]): (colour: Colour) => Colour {
  const known = new Map<Colour, Colour>();
  return (colour) => {
    const remembered = known.get(colour);
    if (remembered !== undefined) return remembered;
    let found = palette[0] ?? 0;
    for (const entry of palette) if (distance(colour, entry) < distance(colour, found)) found = entry;
    known.set(colour, found);
    return found;
  };
}

function distance(left: Colour, right: Colour): number {
  return (red(left) - red(right)) ** 2 + (green(left) - green(right)) ** 2 + (blue(left) - blue(right)) ** 2;
}
