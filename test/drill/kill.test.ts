import { setTimeout as sleep } from 'node:timers/promises';
import type { Replica } from '@switchyard/dev-env/cluster';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { DispatchRows } from '../chaos/dispatch-rows.ts';
import { checkAll, inTime, settle } from './drill-checks.ts';
import { holderOf, openStage, type Stage, testDrill } from './drill-stage.ts';
import { killRounds } from './kill-rounds.ts';

const drill = testDrill('killed replicas');
let stage: Stage | undefined;
/** The workflows that agents have asked for on this stage. */
let inversions = 0;
afterAll(() => stage?.stop());

it.skipIf(drill.isSkipped)(
  `${drill.title} lose, double, tear and leave nothing: clients come back elsewhere and miss nothing`,
  async () => {
    stage = await openStage();
    inversions = await killRounds(stage);
    expect(stage.tasks.unanswered.size).toBe(0);
  },
);

const sweptWorkflow = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 0 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'swept' } },
};
const sweptRuns = 400;
/** What is on its way when a replica is stopped has arrived after this time, and the next task of another replica as well. */
const stillMs = 250;

it.skipIf(drill.isSkipped)(
  `${drill.title} leave each cell of a sweep one task, also the one that makes them`,
  async () => {
    stage ??= await openStage();
    const { tasks, database } = stage;
    const sweepId = await tasks.sweep(sweptWorkflow, { input: 'color', runs: sweptRuns });
    const made = async () => {
      const count = sql<{ made: number }>`select cast(count(*) as integer) as made from sweep_cells
        where "sweepId" = ${sweepId} and state = 'made'`;
      return (await count.execute(database.read)).rows[0]?.made ?? 0;
    };
    await expect.poll(made, { interval: 1 }).toBeGreaterThan(0);
    const maker = await makerOf(stage, made);
    await maker.kill9();
    // All may have been made by then: this says so, and the rest of the test holds as well.
    console.log(`${maker.name} was killed with ${await made()} of ${sweptRuns} cells`);
    await maker.restart();
    await inTime(stage, 'Not every cell has a task', untilAll(made));
    expect(new Set(await tasks.tasksOfSweep(sweepId)).size).toBe(sweptRuns);
    await settle(stage);
    await checkAll(stage, { talks: [], inversions });
  },
);

async function untilAll(made: () => Promise<number>): Promise<void> {
  while ((await made()) < sweptRuns) await sleep(20);
}

/** The replica that makes the tasks: while it stands still, none come. It is left like this. */
async function makerOf({ cluster }: Stage, made: () => Promise<number>): Promise<Replica> {
  for (;;)
    for (const replica of cluster.replicas) {
      replica.signal('SIGSTOP');
      await sleep(stillMs);
      const before = await made();
      await sleep(stillMs);
      if ((await made()) === before) return replica;
      replica.signal('SIGCONT');
    }
}

/** The default of `maxAttempts`: as many kills would end a task whose attempts counted. */
const usualAttempts = 3;
const loadingWorkflow = {
  '1': { class_type: 'ImageInvert', inputs: { image: '' } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'handed-over' } },
};

it.skipIf(drill.isSkipped)(
  `${drill.title} between claim and prompt use up no attempt of a task, which runs once`,
  async () => {
    stage ??= await openStage();
    const { fleet, tasks, database } = stage;
    const uploads = async () => (await fleet.stats()).reduce((sum, worker) => sum + worker.uploads, 0);
    // A worker that never answers about the input file: its dispatcher has claimed the task and not sent the prompt.
    await fleet.behave({ trouble: 'stuck_upload' });
    await tasks.submitWithFile(loadingWorkflow, '1.image');
    const [taskId = ''] = [...tasks.accepted].slice(-1);
    for (let kill = 1; kill <= usualAttempts + 1; kill += 1) {
      await expect.poll(uploads).toBe(kill);
      if (kill > usualAttempts) await fleet.behave({ trouble: null });
      const dispatcher = await inTime(stage, 'No replica is the dispatcher', holderOf(stage, 'dispatch'));
      await dispatcher.kill9();
      await dispatcher.restart();
    }
    await settle(stage);
    await checkAll(stage, { talks: [], inversions });
    const { attempts } = await DispatchRows.ofDatabase(database);
    const outcomes = attempts.filter((attempt) => attempt.taskId === taskId).map(({ outcome }) => outcome);
    const counted = outcomes.filter((outcome) => outcome !== 'unsent' && outcome !== 'untraced');
    expect(counted).toEqual(['completed']);
    expect(outcomes).toHaveLength(usualAttempts + 2);
  },
);
