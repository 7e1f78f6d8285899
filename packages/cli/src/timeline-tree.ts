import { plainText } from './plain-text.ts';
import { cutToWidth, padToWidth, widthOf } from './text-width.ts';

/** A span of a run's or a task's timeline, as the tree shows it. */
export interface TreeSpan {
  id: string;
  parentId: string | null;
  kind: string;
  name: string | null;
  start: string;
  end: string | null;
  state: string;
  /** Tokens, cost and the like. */
  facts: readonly string[];
}

interface Branch {
  span: TreeSpan;
  depth: number;
}

const usualColumns = 100;
const minBar = 10;
const maxBar = 40;
const gap = '  ';

/** The timeline as a tree: what each span is, a bar on the common time axis, how long it took and how it ended. */
export function timelineTree(
  spans: readonly TreeSpan[],
  { nowMs, columns = usualColumns }: { nowMs: number; columns?: number | undefined },
): string {
  const branches = [...inTree(spans)];
  const axis = axisOf(spans, nowMs);
  const titles = branches.map(({ span, depth }) => '  '.repeat(depth) + titleOf(span));
  const ends = branches.map(({ span }) => endOf(span, nowMs));
  const widthOfEnds = Math.max(0, ...ends.map(widthOf));
  const widest = Math.max(0, ...titles.map(widthOf));
  const room = Math.max(columns - 1, minBar * 3);
  const bar = Math.min(maxBar, Math.max(minBar, room - widest - widthOfEnds - 2 * gap.length));
  const widthOfTitles = Math.min(widest, Math.max(minBar, room - bar - widthOfEnds - 2 * gap.length));
  return branches
    .map(({ span }, index) => {
      const title = padToWidth(cutToWidth(titles[index] ?? '', widthOfTitles), widthOfTitles);
      const line = `${title}${gap}${barOf(span, { axis, nowMs, width: bar })}${gap}${ends[index] ?? ''}`;
      return `${cutToWidth(line.trimEnd(), room)}\n`;
    })
    .join('');
}

/** Spans come by start. A span whose parent is not among them stands at the edge. */
function* inTree(spans: readonly TreeSpan[]): Generator<Branch> {
  const ids = new Set(spans.map(({ id }) => id));
  const children = new Map<string | null, TreeSpan[]>();
  for (const span of spans) {
    const parent = span.parentId !== null && ids.has(span.parentId) ? span.parentId : null;
    const siblings = children.get(parent);
    if (siblings) siblings.push(span);
    else children.set(parent, [span]);
  }
  yield* below(null, 0);

  function* below(parent: string | null, depth: number): Generator<Branch> {
    for (const span of children.get(parent) ?? []) {
      yield { span, depth };
      yield* below(span.id, depth + 1);
    }
  }
}

interface Axis {
  fromMs: number;
  toMs: number;
}

function axisOf(spans: readonly TreeSpan[], nowMs: number): Axis {
  const fromMs = spans.reduce((first, { start }) => Math.min(first, Date.parse(start)), nowMs);
  const toMs = spans.reduce((last, span) => Math.max(last, endMsOf(span, nowMs)), fromMs);
  return { fromMs, toMs };
}

function barOf(span: TreeSpan, { axis, nowMs, width }: { axis: Axis; nowMs: number; width: number }): string {
  const perMs = width / Math.max(1, axis.toMs - axis.fromMs);
  const from = Math.min(width - 1, Math.floor((Date.parse(span.start) - axis.fromMs) * perMs));
  const length = Math.max(1, Math.round((endMsOf(span, nowMs) - Date.parse(span.start)) * perMs));
  const drawn = Math.min(length, width - from);
  const letter = span.kind === 'queue' ? '░' : '█';
  return '·'.repeat(from) + letter.repeat(drawn) + '·'.repeat(width - from - drawn);
}

function titleOf({ kind, name }: TreeSpan): string {
  return plainText(name === null ? kind : `${kind} ${name}`);
}

function endOf(span: TreeSpan, nowMs: number): string {
  const took = secondsText(endMsOf(span, nowMs) - Date.parse(span.start));
  return [took, span.state, ...span.facts.map(plainText)].join(gap);
}

function endMsOf({ start, end }: TreeSpan, nowMs: number): number {
  return Math.max(Date.parse(start), end === null ? nowMs : Date.parse(end));
}

function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 100_000 ? 2 : 0)} s`.padStart(8);
}
