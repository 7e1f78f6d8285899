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
