import type { Replica } from '@switchyard/dev-env/cluster';
import { FollowedRun } from '../cluster/followed-run.ts';
import { TakeOverBench } from '../cluster/take-over-bench.ts';
import { type Figure, isRehearsal, measure } from '../measure.ts';
import { median, percentile } from '../statistics.ts';

const kills = isRehearsal ? 2 : 12;
const stops = isRehearsal ? 2 : 10;
/** A run is at work when this number of its tokens has come. */
const tokensBefore = 10;

type Leave = (replica: Replica) => Promise<unknown>;

/** The times that the client waited, in milliseconds. */
interface TaskWaits {
  running: number[];
  submitted: number[];
}

const kill: Leave = (replica) => replica.kill9();
const stop: Leave = (replica) => replica.stop();

await measure(
  'cluster-takeover',
  'The owner of tasks or of a run goes away: until a client sees new progress, 3 replicas behind nginx',
  async () => {
    const bench = await TakeOverBench.start();
    const killed = await tasksGoOn(bench, kill, kills);
    const stopped = await tasksGoOn(bench, stop, stops);
    const killedRuns = await runsGoOn(bench, kill, kills);
    const stoppedRuns = await runsGoOn(bench, stop, stops);
    await bench.close();
    const meets = (waits: readonly number[], ms: number): boolean => percentile(waits, 95) <= ms;
    return {
      figures: [
        ...both('kill -9: the end of a task that was at work', killed.running),
        ...both('kill -9: the start of a task submitted then', killed.submitted),
        ...both('kill -9: the next token of a run', killedRuns),
        ...both('SIGTERM: the end of a task that was at work', stopped.running),
        ...both('SIGTERM: the start of a task submitted then', stopped.submitted),
        ...both('SIGTERM: the next token of a run', stoppedRuns),
      ],
      bars: [
        {
          promise: 'kill -9 of the dispatcher: tasks p95 ≤ 10 s',
          isMet: meets(killed.running, 10_000) && meets(killed.submitted, 10_000),
        },
        { promise: 'kill -9 of the owner of a run: p95 ≤ 10 s', isMet: meets(killedRuns, 10_000) },
        {
          promise: 'SIGTERM of the dispatcher: tasks p95 ≤ 2 s',
          isMet: meets(stopped.running, 2_000) && meets(stopped.submitted, 2_000),
        },
        { promise: 'SIGTERM of the owner of a run: p95 ≤ 2 s', isMet: meets(stoppedRuns, 2_000) },
      ],
      notes: [
        `${kills} times kill -9 and ${stops} times SIGTERM of each, so p95 is nearly the longest. A task is on its worker for 1 s, of which some is left when its dispatcher goes. A run counts as going on with the first token that another replica makes. The client asks nginx alone, and the replica is started again each time. A lease lives for 6 s after a kill; there is no baseline, since one gateway alone cannot be followed.`,
      ],
    };
  },
);

async function tasksGoOn(bench: TakeOverBench, leave: Leave, rounds: number): Promise<TaskWaits> {
  const waits: TaskWaits = { running: [], submitted: [] };
  for (let round = 0; round < rounds; round += 1) {
    const victim = await bench.dispatcher();
    const running = await bench.submit();
    await bench.begun(running);
    const startedMs = performance.now();
    const since = (): number => performance.now() - startedMs;
    const gone = leave(victim);
    const going = bench.completed(running).then(() => waits.running.push(since()));
    const coming = bench
      .submit()
      .then((id) => bench.begun(id))
      .then(() => waits.submitted.push(since()));
    await Promise.all([gone, going, coming]);
    await victim.restart();
    await bench.settled();
  }
  return waits;
}

async function runsGoOn(bench: TakeOverBench, leave: Leave, rounds: number): Promise<number[]> {
  const waits: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const run = await bench.startRun();
    const followed = new FollowedRun(bench, run);
    await followed.token(1, tokensBefore);
    const owner = await bench.ownerOf(run);
    const startedMs = performance.now();
    const gone = leave(owner);
    await followed.token(2);
    waits.push(performance.now() - startedMs);
    await followed.close();
    await gone;
    await owner.restart();
    await bench.cancelRun(run);
    await bench.settled();
  }
  return waits;
}

function both(name: string, waits: readonly number[]): Figure[] {
  return [
    { name: `${name}, p50`, value: median(waits), unit: 'ms' },
    { name: `${name}, p95`, value: percentile(waits, 95), unit: 'ms' },
  ];
}
