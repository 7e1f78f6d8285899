import type { FakeFleet } from '@switchyard/dev-env/fake-fleet';
import { expect } from 'vitest';
import type { DispatchClient } from './dispatch-client.ts';
import type { AttemptRow, DispatchRows } from './dispatch-rows.ts';

const loadedARound = 40;

/** No worker has died, so each task was on a worker at most once, and exactly once if it completed. */
export async function checkRuns(rows: DispatchRows, pool: FakeFleet): Promise<Set<string>> {
  const stats = await pool.stats();
  for (const { port, duplicateIds, maxHeld } of stats) {
    expect({ port, duplicateIds, maxHeld }).toMatchObject({ duplicateIds: 0 });
    expect(maxHeld, `runs at once on worker ${port}`).toBeLessThanOrEqual(1);
  }
  const arrived = new Set(stats.flatMap(({ arrivals }) => Object.keys(arrivals)));
  const attemptsOf = rows.attemptsByTask();
  let onWorkers = 0;
  for (const { id, status } of rows.tasks) {
    const attempts = attemptsOf.get(id) ?? [];
    const runs = attempts.filter(({ promptId }) => arrived.has(promptId)).length;
    const completions = attempts.filter(({ outcome }) => outcome === 'completed').length;
    const isCompleted = status === 'completed';
    expect({ id, completions }).toEqual({ id, completions: isCompleted ? 1 : 0 });
    if (isCompleted) expect({ id, runs, attempts }).toEqual({ id, runs: 1, attempts });
    else expect(runs, `runs of ${id}`).toBeLessThanOrEqual(1);
    onWorkers += runs;
  }
  expect(onWorkers, 'runs on workers that belong to a task').toBe(arrived.size);
  return arrived;
}

/** A task that had reached its worker when the gateway died ended there, and was not started again. */
export function checkPickedUp(rows: DispatchRows, left: AttemptRow[], arrived: Set<string>): number {
  const running = left.filter(({ promptId }) => arrived.has(promptId));
  const outcomeOf = new Map(rows.attempts.map(({ promptId, outcome }) => [promptId, outcome]));
  for (const { promptId } of running) {
    expect(['completed', 'cancelled'], `the run ${promptId}`).toContain(outcomeOf.get(promptId));
  }
  return running.length;
}

/** The outputs of the newest tasks of this client are there and whole. */
export async function checkOutputs(
  rows: DispatchRows,
  client: DispatchClient,
  outputBytes: number,
): Promise<void> {
  const completed = rows.tasks
    .filter(({ id, status }) => status === 'completed' && client.accepted.has(id))
    .slice(-loadedARound);
  for (const { id } of completed) {
    const { result } = await client.task(id);
    expect(result).toMatchObject({ outputsMissing: 0, files: [expect.any(String)] });
    const loaded = await fetch(result?.files[0] ?? '');
    expect((await loaded.arrayBuffer()).byteLength, `output of ${id}`).toBe(outputBytes);
  }
}
