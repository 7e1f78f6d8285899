import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { checkOutputs, checkRuns } from '../chaos/dispatch-checks.ts';
import { DispatchRows } from '../chaos/dispatch-rows.ts';
import { checkTalks, inversion, type Talk } from '../chaos/talks.ts';
import { outputBytes, outputs, type Stage } from './drill-stage.ts';

/** After this time nothing may be unfinished. */
const settledWithinMs = 300_000;

/** Waits for an end, and fails with what the replicas said when it does not come. */
export async function inTime<Value>(stage: Stage, what: string, work: Promise<Value>): Promise<Value> {
  const timeout = sleep(settledWithinMs, undefined, { ref: false }).then(async () => {
    const stuck = await unfinished(stage);
    const said = outputs(stage.cluster.replicas);
    throw new Error(`${what} after ${settledWithinMs} ms: ${JSON.stringify(stuck)}\n${said}`);
  });
  return Promise.race([work, timeout]);
}

/** Waits until no task and no run is unfinished. Stuck = 0. */
export async function settle(stage: Stage): Promise<void> {
  const settled = async (): Promise<void> => {
    for (;;) {
      const { tasks, runs } = await unfinished(stage);
      if (tasks.length === 0 && runs.length === 0) return;
      await sleep(100);
    }
  };
  await inTime(stage, 'Not everything has ended', settled());
}

/**
 * Lost, doubled, torn and stuck are zero: every task that was accepted is there, ran once and has its output; every run
 * ended well and its messages are in the journal, the state and the client, each once; counts and rows agree.
 */
export async function checkAll(
  stage: Stage,
  { talks, inversions }: { talks: Talk[]; inversions: number },
): Promise<{ laterAttempts: number }> {
  const { fleet, tasks, line, database } = stage;
  const rows = await DispatchRows.ofDatabase(database);
  const submitted = rows.tasks.filter(({ id }) => tasks.accepted.has(id));
  expect(submitted.length, 'accepted tasks that are there').toBe(tasks.accepted.size);
  expect(rows.tasks.length - submitted.length, 'one task for each workflow that an agent was asked for').toBe(
    inversions,
  );
  expect(rows.tasks.filter(({ phase }) => phase !== 'ended')).toEqual([]);
  const failed = rows.tasks.filter(({ status }) => status === 'failed');
  expect(failed.filter(({ error }) => !error?.includes('"cancelled"'))).toEqual([]);
  expect(rows.attempts.filter(({ state }) => state !== 'ended')).toEqual([]);
  expect(rows.keptCounts).toEqual(rows.trueCounts);
  expect(rows.keptUsage).toEqual(rows.trueUsage);
  expect(rows.filesInUse).toBe(0);
  for (const [taskId, times] of tasks.endsPushed) expect(times, `the end of ${taskId} was pushed`).toBe(1);
  await checkRuns(rows, fleet);
  await checkOutputs(rows, tasks, outputBytes);
  return { laterAttempts: await checkTalks(line, talks) };
}

/** Waits until half of the clients show something. */
export async function halfHaveBegun(talks: readonly Talk[]): Promise<void> {
  while (talks.filter(({ client }) => client.messages.length > 0).length < talks.length / 2) await sleep(5);
}

export function inversionsOf(talks: readonly Talk[]): number {
  return talks.filter(({ text }) => text === inversion).length;
}

async function unfinished({ database }: Stage): Promise<{ tasks: unknown[]; runs: unknown[] }> {
  return database.snapshot(async ({ read }) => {
    const tasks =
      await sql`select id, status, phase, attempt from tasks where phase <> 'ended' limit 10`.execute(read);
    const runs = await sql`select run_id, status, worker_id, attempt from runs
      where status in ('pending', 'running') limit 10`.execute(read);
    return { tasks: tasks.rows, runs: runs.rows };
  });
}
