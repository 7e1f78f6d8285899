import { type ChangedBlock, changedBlocks } from './line-diff.ts';

/** The lines around a change that are shown with it. */
const context = 3;
const noNewline = '\\ No newline at end of file\n';

/** Returns the change of a text in the form of `diff -u`. Null stands for a file that does not exist. */
export function unifiedDiff(
  path: string,
  before: string | null,
  after: string | null,
): { text: string; additions: number; deletions: number } {
  const texts = { before: linesOf(before ?? ''), after: linesOf(after ?? '') };
  const blocks = changedBlocks(texts.before, texts.after);
  const head = [
    `--- ${before === null ? '/dev/null' : `a${path}`}\n`,
    `+++ ${after === null ? '/dev/null' : `b${path}`}\n`,
  ];
  return {
    text: [...head, ...hunksOf(blocks).flatMap((hunk) => hunkLines(hunk, texts))].join(''),
    additions: sum(blocks.map((block) => lengthOf(block.after))),
    deletions: sum(blocks.map((block) => lengthOf(block.before))),
  };
}

/** Cuts a diff behind a whole line. */
export function cutDiff(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  return bytes.subarray(0, bytes.subarray(0, maxBytes).lastIndexOf('\n') + 1).toString('utf8');
}

/** Each line keeps its end, so that a last line without one differs from the same line with it. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Puts changes into one group when the lines around them touch. */
function hunksOf(blocks: readonly ChangedBlock[]): ChangedBlock[][] {
  const hunks: ChangedBlock[][] = [];
  for (const block of blocks) {
    const last = hunks.at(-1)?.at(-1);
    if (last && block.before.start - last.before.end <= 2 * context) hunks.at(-1)?.push(block);
    else hunks.push([block]);
  }
  return hunks;
}

function hunkLines(
  hunk: readonly ChangedBlock[],
  { before, after }: { before: readonly string[]; after: readonly string[] },
): string[] {
  const [first, last] = [hunk[0] as ChangedBlock, hunk.at(-1) as ChangedBlock];
  const lead = Math.min(context, first.before.start);
  const tail = Math.min(context, before.length - last.before.end);
  const removed = { start: first.before.start - lead, end: last.before.end + tail };
  const added = { start: first.after.start - lead, end: last.after.end + tail };
  const lines = [`@@ -${rangeOf(removed)} +${rangeOf(added)} @@\n`];
  let at = removed.start;
  for (const block of hunk) {
    lines.push(...marked(' ', before.slice(at, block.before.start)));
    lines.push(...marked('-', before.slice(block.before.start, block.before.end)));
    lines.push(...marked('+', after.slice(block.after.start, block.after.end)));
    at = block.before.end;
  }
  return [...lines, ...marked(' ', before.slice(at, removed.end))];
}

function marked(mark: string, lines: readonly string[]): string[] {
  return lines.map((line) => (line.endsWith('\n') ? `${mark}${line}` : `${mark}${line}\n${noNewline}`));
}

/** Lines count from one. An empty range names the line before it. */
function rangeOf(range: { start: number; end: number }): string {
  const length = lengthOf(range);
  if (length === 0) return `${range.start},0`;
  return length === 1 ? `${range.start + 1}` : `${range.start + 1},${length}`;
}

function lengthOf({ start, end }: { start: number; end: number }): number {
  return end - start;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
