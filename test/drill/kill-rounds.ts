import { setTimeout as sleep } from 'node:timers/promises';
import { chaosOptions } from '../chaos/chaos-options.ts';
import { startTalks } from '../chaos/talks.ts';
import { checkAll, halfHaveBegun, inTime, inversionsOf, settle } from './drill-checks.ts';
import type { Stage } from './drill-stage.ts';
import { SteadyLoad } from './steady-load.ts';

const talkers = 12;
/** The time from the moment when half of the streams have begun. */
const killAfterMs = 1_500;
/** The time without that replica. In some rounds the others take over before it is back, in some they do not. */
const maxAwayMs = 9_000;

/**
 * Kills a replica in each round while clients talk and submit, and counts everything afterwards. Returns the number of workflows that
 * agents have asked for.
 */
export async function killRounds(stage: Stage): Promise<number> {
  const { rounds, random } = chaosOptions('kill drill');
  const { cluster, tasks, line } = stage;
  let inversions = 0;
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
  return inversions;
}
