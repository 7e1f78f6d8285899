import { Option } from 'commander';
import { wholeNumber } from './option-values.ts';
import { type OutputOptions, printJson } from './output.ts';
import type { Terminal } from './terminal.ts';
import { type TreeSpan, timelineTree } from './timeline-tree.ts';

const usualSpans = 1_000;

export interface TimelineOptions extends OutputOptions {
  limit: number;
}

export function limitOption(): Option {
  return new Option('--limit <n>', 'how many spans, 1 to 100000')
    .argParser(wholeNumber(1, 100_000))
    .default(usualSpans);
}

/** Prints a tree with bars for a person, and the spans as they are for a script. */
export function printTimeline<Span>(
  { spans, isCut }: { spans: readonly Span[]; isCut: boolean },
  {
    options,
    show,
    terminal,
  }: { options: TimelineOptions; show: (span: Span) => TreeSpan; terminal: Terminal },
): void {
  const { stdout, stderr } = terminal;
  if (options.output === 'json') printJson(terminal, { spans, cut: isCut });
  else {
    const columns = stdout.isTTY === true ? stdout.columns : undefined;
    stdout.write(timelineTree(spans.map(show), { nowMs: Date.now(), columns }));
  }
  if (isCut) stderr.write(`There are more; the first ${spans.length} spans are shown. More: --limit\n`);
}
