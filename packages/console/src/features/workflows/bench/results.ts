import type { Task, TaskResult } from '@switchyard/contract/dispatch/task';
import { mediaKindOf } from '../../../kit/pictures/picture.ts';

export type Output = TaskResult['outputs'][number];

/** One place of the strip: a file that a task has made, or a task without one. */
export interface BenchResult {
  key: string;
  task: Task;
  output: Output | null;
}

/** The results in the order in which they were asked for, so that a new one stands at the end and moves no other. */
export function resultsOf(tasks: readonly Task[], hidden: ReadonlySet<string> = new Set()): BenchResult[] {
  const known = new Map(tasks.map((task) => [task.id, task]));
  const inOrder = [...known.values()].sort(
    (a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id),
  );
  return inOrder.flatMap(resultsOfTask).filter((each) => !hidden.has(each.key) && !isCancelled(each));
}

function resultsOfTask(task: Task): BenchResult[] {
  const outputs = task.result?.outputs ?? [];
  // What a node only shows is a step on the way, unless the workflow makes nothing else.
  const made = outputs.filter(({ folder }) => folder !== 'temp');
  const shown = made.length > 0 ? made : outputs;
  if (shown.length === 0) return [{ key: task.id, task, output: null }];
  return shown.map((output) => ({ key: output.fileId, task, output }));
}

export const hasEnded = ({ task: { status } }: BenchResult): boolean =>
  status === 'completed' || status === 'failed';

/** What was called off before it had made a file leaves nothing to look at. */
const isCancelled = ({ task: { error }, output }: BenchResult): boolean =>
  error?.code === 'cancelled' && output === null;

/** The place that a person has chosen. What ended later than `seenUntil` is new to them. */
export interface ChosenPlace {
  key: string;
  seenUntil: string;
}

/**
 * Returns the result that fills the page: the chosen one, and otherwise the one that ended last. While nothing has ended, it is
 * the one that is being made.
 */
export function shownResult(
  results: readonly BenchResult[],
  chosen: ChosenPlace | null,
): BenchResult | undefined {
  const { key } = chosen ?? {};
  const found =
    key === undefined ? undefined : results.find((each) => each.key === key || each.task.id === key);
  return found ?? newestEnded(results) ?? openResults(results)[0] ?? results.at(-1);
}

function newestEnded(results: readonly BenchResult[]): BenchResult | undefined {
  let newest: BenchResult | undefined;
  for (const each of results) {
    if (!hasEnded(each)) continue;
    if (newest === undefined || endOf(each) >= endOf(newest)) newest = each;
  }
  return newest;
}

/** Those that run come first, then those that wait. */
export function openResults(results: readonly BenchResult[]): BenchResult[] {
  const open = results.filter((each) => !hasEnded(each));
  return [...open.filter(isRunning), ...open.filter((each) => !isRunning(each))];
}

const isRunning = ({ task }: BenchResult): boolean => task.status === 'running';

const endOf = ({ task }: BenchResult): string => task.finishedAt ?? '';

/** Returns the time of the last end among the results, after which a result is new. */
export function seenUntil(results: readonly BenchResult[]): string {
  return results.reduce((last, each) => (endOf(each) > last ? endOf(each) : last), '');
}

/** Returns how many results have ended since a person chose one. */
export function countNew(
  results: readonly BenchResult[],
  chosen: ChosenPlace | null,
  shown: BenchResult | undefined,
): number {
  if (chosen === null) return 0;
  const isNew = (each: BenchResult) => hasEnded(each) && endOf(each) > chosen.seenUntil;
  return results.filter((each) => isNew(each) && each.task.id !== shown?.task.id).length;
}

/** Returns the result so many places further on; undefined beyond an end. */
export function resultBeside(
  results: readonly BenchResult[],
  shown: BenchResult | undefined,
  step: 1 | -1,
): BenchResult | undefined {
  const at = results.findIndex(({ key }) => key === shown?.key);
  return at < 0 ? undefined : results[at + step];
}

const maxCompared = 4;

/** The marked results, or without marks the shown one and the one before it. Null when they cannot be compared. */
export function picturesToCompare(
  results: readonly BenchResult[],
  marked: ReadonlySet<string>,
  shown: BenchResult | undefined,
): readonly BenchResult[] | null {
  const chosen =
    marked.size > 0
      ? results.filter(({ key }) => marked.has(key))
      : [resultBeside(results, shown, -1), shown];
  const pictures = chosen.filter(
    (each) => each?.output && mediaKindOf(each.output.contentType) === 'picture',
  );
  return pictures.length >= 2 && pictures.length <= maxCompared ? (pictures as BenchResult[]) : null;
}
