import type { Sweep, SweepCell, SweepDetail } from '@switchyard/contract/dispatch/sweep';
import { say, textOf } from '@switchyard/contract/sentences/sentences';
import { taskErrorOf } from '../tasks/task-messages.ts';
import { placeOfCell, type SweepAxis } from './sweep-axes.ts';
import type { CellWithTask, SweepRow } from './sweep-store.ts';

export type CountedSweep = SweepRow & { counts: Sweep['counts'] };

export function axesIn({ axes }: Pick<SweepRow, 'axes'>): SweepAxis[] {
  return JSON.parse(axes) as SweepAxis[];
}

/** Lists show no values: an axis of prompts may be long. */
export function viewSweep(row: CountedSweep): Sweep {
  const { id, workflowId, version, name, total, counts, createdAt } = row;
  // Nothing else holds up a sweep.
  const waits = row.waitsFor === null ? [] : say('sweep_queue_full');
  const wait = { waitsFor: row.waitsFor === null ? null : textOf(waits), waitsForSentences: waits };
  const axes = axesIn(row).map(({ param, label, values }) => ({ param, label, count: values.length }));
  return { id, workflowId, version, name, axes, total, counts, ...wait, createdAt };
}

export function viewDetail(row: CountedSweep): SweepDetail {
  return {
    ...viewSweep(row),
    axes: axesIn(row).map((axis) => ({ ...axis, count: axis.values.length })),
    params: JSON.parse(row.params) as Record<string, unknown>,
    wildcards: JSON.parse(row.wildcards) as string[],
    wildcardSeed: row.wildcardSeed,
    settings: JSON.parse(row.settings) as SweepDetail['settings'],
  };
}

/** The cell without its files. `counts` are the lengths of the axes. */
export function viewCell(row: CellWithTask, counts: readonly number[]): Omit<SweepCell, 'outputs'> {
  const { cell, state, taskId, status, progress } = row;
  const taskError = taskErrorOf({ error: row.taskError });
  return {
    cell,
    at: placeOfCell(cell, counts),
    values: JSON.parse(row.values) as Record<string, unknown>,
    state: state === 'made' ? (taskError?.code === 'cancelled' ? 'cancelled' : status) : state,
    taskId,
    progress,
    cancelRequested: row.cancelRequested === 1,
    error: row.error === null ? taskError : (JSON.parse(row.error) as SweepCell['error']),
  };
}
