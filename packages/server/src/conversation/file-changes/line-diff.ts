/** A place where two texts differ: lines of the one, and the lines of the other that stand there. The ends are exclusive. */
export interface ChangedBlock {
  before: { start: number; end: number };
  after: { start: number; end: number };
}

/** Texts with more changes count as replaced between their first and their last change. */
const maxEdits = 500;
/** Longer texts would take too long, whatever their changes are. */
const maxComparedLines = 20_000;

/** Returns where two lists of lines differ, with few changed lines (the greedy algorithm of Myers). */
export function changedBlocks(before: readonly string[], after: readonly string[]): ChangedBlock[] {
  const start = equalAtStart(before, after);
  const kept = equalAtEnd(before, after, start);
  const whole = {
    before: { start, end: before.length - kept },
    after: { start, end: after.length - kept },
  };
  const [removed, added] = [whole.before.end - start, whole.after.end - start];
  if (removed === 0 && added === 0) return [];
  if (removed === 0 || added === 0 || removed + added > maxComparedLines) return [whole];
  const numbers = new Map<string, number>();
  const numbered = (lines: readonly string[]): number[] => lines.map((line) => numberOf(numbers, line));
  const path = shortestPath(
    numbered(before.slice(start, whole.before.end)),
    numbered(after.slice(start, whole.after.end)),
  );
  return path ? blocksBetween(path, { offset: start, removed, added }) : [whole];
}

function equalAtStart(before: readonly string[], after: readonly string[]): number {
  const length = Math.min(before.length, after.length);
  let count = 0;
  while (count < length && before[count] === after[count]) count += 1;
  return count;
}

function equalAtEnd(before: readonly string[], after: readonly string[], start: number): number {
  const length = Math.min(before.length, after.length) - start;
  let count = 0;
  while (count < length && before.at(-1 - count) === after.at(-1 - count)) count += 1;
  return count;
}

function numberOf(numbers: Map<string, number>, line: string): number {
  const known = numbers.get(line);
  if (known !== undefined) return known;
  numbers.set(line, numbers.size);
  return numbers.size - 1;
}

/** Equal lines of both texts, in their order. */
type Match = [inBefore: number, inAfter: number];

/**
 * Returns the equal lines on a shortest way from one text to the other, or null when it has too many changes. `furthest` holds, for
 * each diagonal, how far the first text is read; a copy of each round is kept to walk back.
 */
function shortestPath(before: readonly number[], after: readonly number[]): Match[] | null {
  const rounds: Int32Array[] = [];
  const middle = maxEdits + 1;
  const furthest = new Int32Array(2 * middle + 1);
  for (let edits = 0; edits <= maxEdits; edits += 1) {
    rounds.push(furthest.slice(middle - edits - 1, middle + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = stepOf(furthest, middle + diagonal, {
        isFirst: diagonal === -edits,
        isLast: diagonal === edits,
      });
      let y = x - diagonal;
      while (x < before.length && y < after.length && before[x] === after[y]) {
        x += 1;
        y += 1;
      }
      furthest[middle + diagonal] = x;
      if (x >= before.length && y >= after.length) return walkBack(rounds, before.length, after.length);
    }
  }
  return null;
}

/** Returns where a diagonal begins: below the one above it, or to the right of the one below it. */
function stepOf(
  furthest: Int32Array,
  at: number,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): number {
  const [left = 0, right = 0] = [furthest[at - 1], furthest[at + 1]];
  return isFirst || (!isLast && left < right) ? right : left + 1;
}

function walkBack(rounds: readonly Int32Array[], endOfBefore: number, endOfAfter: number): Match[] {
  const matches: Match[] = [];
  let [x, y] = [endOfBefore, endOfAfter];
  for (let edits = rounds.length - 1; edits >= 0; edits -= 1) {
    const furthest = rounds[edits] as Int32Array;
    const diagonal = x - y;
    const at = diagonal + edits + 1;
    const [left = 0, right = 0] = [furthest[at - 1], furthest[at + 1]];
    const isDown = diagonal === -edits || (diagonal !== edits && left < right);
    const from = isDown ? right : left;
    const fromY = from - (isDown ? diagonal + 1 : diagonal - 1);
    const [startX, startY] = edits === 0 ? [0, 0] : isDown ? [from, fromY + 1] : [from + 1, fromY];
    while (x > startX && y > startY) {
      x -= 1;
      y -= 1;
      matches.push([x, y]);
    }
    [x, y] = [from, fromY];
  }
  return matches.reverse();
}

function blocksBetween(
  matches: readonly Match[],
  { offset, removed, added }: { offset: number; removed: number; added: number },
): ChangedBlock[] {
  const blocks: ChangedBlock[] = [];
  let [x, y] = [0, 0];
  for (const [inBefore, inAfter] of [...matches, [removed, added] as Match]) {
    if (inBefore > x || inAfter > y)
      blocks.push({
        before: { start: offset + x, end: offset + inBefore },
        after: { start: offset + y, end: offset + inAfter },
      });
    [x, y] = [inBefore + 1, inAfter + 1];
  }
  return blocks;
}
