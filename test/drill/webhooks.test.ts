import { setTimeout as sleep } from 'node:timers/promises';
import type { Replica } from '@switchyard/dev-env/cluster';
import { afterAll, expect, it } from 'vitest';
import { chaosOptions } from '../chaos/chaos-options.ts';
import { inTime, settle } from './drill-checks.ts';
import { openStage, type Stage, testDrill } from './drill-stage.ts';
import { SteadyLoad } from './steady-load.ts';
import { checkCalls, untilDelivered } from './webhook-checks.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

const drill = testDrill('webhooks of killed replicas');
const workBeforeKillMs = 4_000;
/** So many calls wait for their answer when the first replica is killed. */
const callsUnderWay = 3;
/** The end of a process closes its connections at once; then it is another replica that makes the calls. */
const noticedWithinMs = 1_000;

let stage: Stage | undefined;
let receiver: WebhookReceiver | undefined;
afterAll(async () => {
  await stage?.stop();
  receiver?.close();
});

it.skipIf(drill.isSkipped)(
  `${drill.title} call for each task, and a call whose replica was killed before it had the answer is made again with its id`,
  async () => {
    const { rounds, random } = chaosOptions('webhooks');
    stage = await openStage({ env: { SWITCHYARD__DISPATCH__WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' } });
    receiver = await WebhookReceiver.start();
    const { cluster, tasks } = stage;
    await tasks.addWebhook(receiver.url);
    const load = new SteadyLoad(tasks, random);
    const kills = Math.min(rounds, 3);
    for (let round = 0; round < kills; round += 1) {
      load.start();
      await sleep(workBeforeKillMs);
      const order = [...cluster.replicas].sort(() => random() - 0.5);
      const killed = await killCaller(receiver, order);
      for (const replica of killed) await replica.restart();
      await load.stop();
    }
    await settle(stage);
    await inTime(stage, 'Not every webhook was delivered', untilDelivered(stage));

    const lost = checkCalls(receiver, tasks);
    expect(lost.length, 'calls that lost their replica').toBeGreaterThanOrEqual(kills);
    console.log(`${tasks.accepted.size} tasks, ${kills} rounds, ${lost.length} calls were made again`);
  },
);

/** Kills replicas until one of them has left a call behind, and returns those that it has killed. */
async function killCaller(here: WebhookReceiver, replicas: readonly Replica[]): Promise<Replica[]> {
  const before = here.lost.length;
  const killed: Replica[] = [];
  here.hold();
  await expect.poll(() => here.held).toBeGreaterThanOrEqual(callsUnderWay);
  for (const replica of replicas) {
    await replica.kill9();
    killed.push(replica);
    const untilMs = performance.now() + noticedWithinMs;
    while (here.lost.length === before && performance.now() < untilMs) await sleep(10);
    if (here.lost.length > before) break;
  }
  here.release();
  return killed;
}
