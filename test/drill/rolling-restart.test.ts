import { afterAll, expect, it } from 'vitest';
import { chaosOptions } from '../chaos/chaos-options.ts';
import { startTalks } from '../chaos/talks.ts';
import { checkAll, halfHaveBegun, inTime, inversionsOf, settle } from './drill-checks.ts';
import { openStage, outputs, type Stage, testDrill } from './drill-stage.ts';
import { SteadyLoad } from './steady-load.ts';

const drill = testDrill('a rolling restart');
const talkers = 12;

let stage: Stage | undefined;
afterAll(() => stage?.stop());

it.skipIf(drill.isSkipped)(
  `${drill.title} under load fails no request, breaks no promise and starts nothing twice`,
  async () => {
    const { random } = chaosOptions('rolling restart');
    stage = await openStage();
    const { cluster, tasks, line } = stage;
    const load = new SteadyLoad(tasks, random);
    let inversions = 0;
    for (const replica of cluster.replicas) {
      const talks = await startTalks(line, talkers);
      load.start();
      const talking = Promise.all(talks.map(({ client, body }) => client.converse(body)));
      await Promise.race([talking, halfHaveBegun(talks)]);
      const beforeMs = performance.now();
      const exit = await replica.stop();
      const tookMs = performance.now() - beforeMs;
      expect(exit, `${replica.name} ends in good order\n${replica.output().slice(-4_000)}`).toEqual({
        code: 0,
        signal: null,
      });
      await replica.restart();
      await inTime(stage, 'Not every stream has ended', talking);
      await load.stop();
      await settle(stage);
      inversions += inversionsOf(talks);
      const { laterAttempts } = await checkAll(stage, { talks, inversions });
      const failed = `requests that failed while ${replica.name} stopped\n${cluster.proxyOutput()}\n${outputs(cluster.replicas)}`;
      expect(load.failures, failed).toEqual([]);
      console.log(
        `${replica.name} stopped in ${Math.round(tookMs)} ms, ${tasks.accepted.size} tasks in all, ` +
          `${laterAttempts} runs went on elsewhere, no request failed`,
      );
    }
  },
);
