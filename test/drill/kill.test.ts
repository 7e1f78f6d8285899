import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { chaosOptions } from '../chaos/chaos-options.ts';
import { DispatchRows } from '../chaos/dispatch-rows.ts';
import { startTalks } from '../chaos/talks.ts';
import { checkAll, halfHaveBegun, inTime, inversionsOf, settle } from './drill-checks.ts';
import { holderOf, openStage, type Stage, testDrill } from './drill-stage.ts';
import { SteadyLoad } from './steady-load.ts';

const drill = testDrill('killed replicas');
const talkers = 12;
/** The time from the moment when half of the streams have begun. */
const killAfterMs = 1_500;
/** The time without that replica. In some rounds the others take over before it is back, in some they do not. */
const maxAwayMs = 9_000;

let stage: Stage | undefined;
/** The workflows that agents have asked for on this stage. */
let inversions = 0;
afterAll(() => stage?.stop());

it.skipIf(drill.isSkipped)(
  `${drill.title} lose, double, tear and leave nothing: clients come back elsewhere and miss nothing`,
  async () => {
    const { rounds, random } = chaosOptions('kill drill');
    stage = await openStage();
    const { cluster, tasks, line } = stage;
    const load = new SteadyLoad(tasks, random);
    for (let round = 1; round <= rounds; round += 1) {
      const talks = await startTalks(line, talkers);
      load.start();
      const talking = Promise.all(talks.map(({ client, body }) => client.converse(body)));
      await Promise.race([talking, halfHaveBegun(talks)]);
      await sleep(random() * killAfterMs);
      const victim = cluster.replicas[Math.floor(random() * cluster.replicas.length)];
      if (!victim) throw new Error('There are no replicas.');
      await victim.kill9();
      const killedMs = performance.now();
      await sleep(random() * maxAwayMs);
      const awayMs = performance.now() - killedMs;
      await victim.restart();
      await inTime(stage, 'Not every stream has ended', talking);
      await load.stop();
      await settle(stage);
      inversions += inversionsOf(talks);
      const { laterAttempts } = await checkAll(stage, { talks, inversions });
      const reconnects = talks.reduce((sum, { client }) => sum + client.reconnects, 0);
      console.log(
        `round ${round}: ${victim.name} away for ${Math.round(awayMs)} ms, ${tasks.accepted.size} tasks in all, ` +
          `${reconnects} reconnects, ${laterAttempts} runs went on in a later attempt, ${load.failures.length} requests repeated`,
      );
    }
    expect(tasks.unanswered.size).toBe(0);
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
