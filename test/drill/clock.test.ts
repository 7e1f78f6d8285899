import { setTimeout as sleep } from 'node:timers/promises';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { MovableClock, testMovableClock } from '@switchyard/dev-env/movable-clock';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chaosOptions } from '../chaos/chaos-options.ts';
import { startTalks, type Talk } from '../chaos/talks.ts';
import { checkAll, halfHaveBegun, inTime, inversionsOf, settle } from './drill-checks.ts';
import { holderOf, openStage, outputs, type Stage, testDrill } from './drill-stage.ts';
import { again, answered } from './further-talks.ts';
import { expectSameLeases, heldLeases } from './held-leases.ts';
import { checkMoments, startSchedules, untilAllHaveCome } from './minute-schedules.ts';
import { SteadyLoad } from './steady-load.ts';

const drill = testDrill('a clock that jumps', testMovableClock);
const hourMs = 3_600_000;
const jumps = [
  { offset: '+3d', aheadMs: 72 * hourMs, said: 'ahead of the clock of the database' },
  { offset: '-2h', aheadMs: -2 * hourMs, said: 'behind the clock of the database' },
];
/** Longer than three lives of a lease. */
const awayMs = 20_000;
const talkers = 8;
const credentials = { email: 'late@example.com', password: 'correct horse battery' };
const minuteMs = 60_000;
const schedules = 5;

describe.skipIf(drill.isSkipped)(drill.title, () => {
  const folders = new Map<string, ReturnType<typeof temporaryFolder>>();
  const clocks = new Map<string, MovableClock>();
  const allTalks: Talk[] = [];
  let stage: Stage;
  let load: SteadyLoad;
  let beganAt = '';

  beforeAll(async () => {
    const { random } = chaosOptions('clock drill');
    stage = await openStage({ envOf: (name) => clockOf(name).env });
    load = new SteadyLoad(stage.tasks, random);
    beganAt = new Date().toISOString();
    await startSchedules(stage.line, schedules);
  });
  afterAll(async () => {
    await stage?.stop();
    for (const { remove } of folders.values()) remove();
  });

  for (const [index, { offset, aheadMs, said }] of jumps.entries())
    it(`by ${offset} on the machine of the dispatcher ends no process, moves no lease, and loses, doubles and holds up nothing`, async () => {
      const { cluster, tasks, line, admin } = stage;
      const jumping = await inTime(stage, 'No replica is the dispatcher', holderOf(stage, 'dispatch'));
      const other = cluster.replicas.find((replica) => replica !== jumping);
      if (!other) throw new Error('There are three replicas.');
      const pids = cluster.replicas.map(({ pid }) => pid);
      // A full minute comes while the clock is wrong.
      await sleep((2 * minuteMs - awayMs / 2 - (Date.now() % minuteMs)) % minuteMs);

      const talks = await startTalks(line, talkers);
      load.start();
      const talking = Promise.all(talks.map(({ client, body }) => client.converse(body)));
      await Promise.race([talking, halfHaveBegun(talks)]);
      const leases = await heldLeases(stage);
      clockOf(jumping.name).set(offset);
      const over = sleep(awayMs);
      await expect.poll(() => clockAheadMs(jumping.url)).toBeCloseTo(aheadMs / hourMs, 1);
      line.connect(jumping.url);
      const later = again(stage, talks);
      const talkingLater = inTime(stage, 'Not every stream has ended', answered(later));
      // A session that it begins is one for the others, and theirs is one for it.
      const session = await HttpSession.login(jumping.url, await account());
      await session.at(other.url).get('/api/v1/auth/me');
      await admin.at(jumping.url).get('/api/system');
      await expect.poll(() => jumping.output()).toContain(said);
      await over;
      clockOf(jumping.name).set('+0');
      await expect.poll(() => clockAheadMs(jumping.url)).toBeCloseTo(0, 1);
      line.connect(cluster.url);
      await session.at(jumping.url).get('/api/v1/auth/me');

      await inTime(stage, 'Not every stream has ended', talking);
      await talkingLater;
      // The threads go on, at whichever replica.
      const last = again(stage, talks);
      await inTime(stage, 'Not every stream has ended', answered(last));
      await load.stop();
      await settle(stage);
      expect(
        cluster.replicas.map(({ pid }) => pid),
        outputs(cluster.replicas),
      ).toEqual(pids);
      await expectSameLeases(stage, leases);
      allTalks.push(...talks, ...later, ...last);
      const { laterAttempts } = await checkAll(stage, {
        talks: allTalks,
        inversions: inversionsOf(allTalks),
      });
      expect(laterAttempts, 'runs that were begun again').toBe(0);
      await expectTimesOfNow();
      const coming = untilAllHaveCome(stage, { schedules, moments: index + 1 });
      const moments = await inTime(stage, 'Not every schedule has come', coming);
      checkMoments(moments);
      for (const id of new Set(moments.map(({ schedule_id }) => schedule_id)))
        checkMoments(moments.filter(({ schedule_id }) => schedule_id === id));
      console.log(
        `${jumping.name} jumped by ${offset}: ${tasks.accepted.size} tasks, ${allTalks.length} runs and ${moments.length} ` +
          `moments in all, ${load.failures.length} requests repeated`,
      );
    });

  it('keeps a replica from starting until it is set', async () => {
    const [replica] = stage.cluster.replicas;
    if (!replica) throw new Error('There are three replicas.');
    await replica.stop();
    clockOf(replica.name).set('-2h');
    await expect(replica.restart()).rejects.toThrow(/7200 s behind the clock of the database/);
    clockOf(replica.name).set('+0');
    await replica.restart();
  });

  function clockOf(name: string): MovableClock {
    const known = clocks.get(name);
    if (known) return known;
    const folder = temporaryFolder();
    folders.set(name, folder);
    const clock = new MovableClock(folder.path);
    clocks.set(name, clock);
    return clock;
  }

  let isRegistered = false;
  async function account(): Promise<typeof credentials> {
    if (!isRegistered) await HttpSession.register(stage.cluster.url, credentials);
    isRegistered = true;
    return credentials;
  }

  /** No stored time comes from the clock that was wrong. */
  async function expectTimesOfNow(): Promise<void> {
    const { rows } = await sql<{ first: string; last: string }>`
      select min(at) as first, max(at) as last from (
        select "createdAt" as at from tasks union all select "finishedAt" from tasks
        union all select "createdAt" from files
        union all select created_at from runs union all select ended_at from runs
        union all select updated_at from threads union all select created_at from schedule_runs
      ) as times where at is not null`.execute(stage.database.read);
    expect(Date.parse(rows[0]?.first ?? '')).toBeGreaterThan(Date.parse(beganAt) - minuteMs);
    expect(Date.parse(rows[0]?.last ?? '')).toBeLessThan(Date.now() + minuteMs);
  }
});

/** Returns how many hours the clock of this replica is ahead, by the header that Node adds to each answer. */
async function clockAheadMs(url: string): Promise<number> {
  const answer = await fetch(new URL('/healthz', url));
  await answer.arrayBuffer();
  return (Date.parse(answer.headers.get('date') ?? '') - Date.now()) / hourMs;
}
