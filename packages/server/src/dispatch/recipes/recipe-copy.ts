import type { RecipeChanges } from '@switchyard/contract/dispatch/recipe';
import { isRecord } from '@switchyard/contract/is-record';
import { say } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { copyOf } from '../intake/task-copy.ts';
import type { RequestedTask } from '../intake/task-submission.ts';
import { graphOf, seedsIn } from './recipe-graph.ts';
import type { RecipeRows, SourceRow } from './recipe-store.ts';

/** The task that made a file once more, with what the caller wants to be different. */
export function changedCopy(
  rows: RecipeRows,
  { changes, randomSeed }: { changes: RecipeChanges; randomSeed: () => number },
): RequestedTask {
  const copy = copyOf(rows.task, rows.input);
  const { targetInstanceId, pool, priority, name } = changes;
  const params = withPresentFiles(copy.input.params ?? {}, rows.sources);
  return {
    ...copy,
    input: {
      ...copy.input,
      params: setLast(setLast(params, seedParams(rows, { seed: changes.seed, randomSeed })), changes.params),
      // A param that fitted nothing was a warning then, so it is not an error now.
      strict: rows.task.warnings === '[]',
      ...(targetInstanceId !== undefined && { instanceId: targetInstanceId }),
      ...(pool !== undefined && { pool }),
      ...(priority !== undefined && { priority }),
      ...(name !== undefined && { name }),
    },
  };
}

/** The last of two params for one input counts, whether they name it by the node's id or by its title. */
function setLast(
  params: Record<string, unknown>,
  changes: Record<string, unknown> | undefined = {},
): Record<string, unknown> {
  const others = Object.entries(params).filter(([name]) => !Object.hasOwn(changes, name));
  return { ...Object.fromEntries(others), ...changes };
}

function seedParams(
  rows: RecipeRows,
  { seed = 'same', randomSeed }: { seed: RecipeChanges['seed'] | undefined; randomSeed: () => number },
): Record<string, number> {
  if (seed === 'same') return {};
  const seeds = seedsIn(graphOf(rows));
  if (seeds.length === 0) {
    const message = say('graph_without_seed');
    throw new AppError('validation_failed', {
      faults: [{ in: 'body', path: ['seed'], message, type: 'value_error' }],
    });
  }
  return Object.fromEntries(
    seeds.map(({ nodeId, input }) => [`${nodeId}.${input}`, seed === 'random' ? randomSeed() : seed]),
  );
}

/** Puts a file with the same content in the place of one that was deleted. */
function withPresentFiles(
  params: Record<string, unknown>,
  sources: readonly SourceRow[],
): Record<string, unknown> {
  const bySource = new Map(sources.map((source) => [source.fileId, source]));
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      const source = isRecord(value) ? bySource.get(String(value.$file)) : undefined;
      return [name, source ? { $file: presentFile(name, source) } : value];
    }),
  );
}

function presentFile(name: string, { presentFileId, filename, sha256 }: SourceRow): string {
  if (presentFileId !== null) return presentFileId;
  const message = say('input_deleted', { filename, sha256, param: name });
  throw new AppError('invalid_param', {
    message,
    faults: [{ in: 'body', path: ['params', name], message, type: 'file_not_found' }],
  });
}
