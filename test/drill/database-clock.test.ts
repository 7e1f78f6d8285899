import { setTimeout as sleep } from 'node:timers/promises';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { MovableClock, testMovableClock } from '@switchyard/dev-env/movable-clock';
import { type OwnPostgres, startOwnPostgres } from '@switchyard/dev-env/own-postgres';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chaosOptions } from '../chaos/chaos-options.ts';
import { startTalks, type Talk } from '../chaos/talks.ts';
import { checkAll, halfHaveBegun, inTime, inversionsOf, settle } from './drill-checks.ts';
import { openStage, outputs, type Stage, testDrill } from './drill-stage.ts';
import { again, answered } from './further-talks.ts';
import { expectSameLeases, heldLeases } from './held-leases.ts';
import {
  checkEachOnce,
  momentsOf,
  startSchedules,
  untilAllComeAgain,
  untilAllHaveCome,
} from './minute-schedules.ts';
import { SteadyLoad } from './steady-load.ts';
import { checkCalls, untilDelivered } from './webhook-checks.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

const drill = testDrill('a clock of the database that jumps', testMovableClock);
/**
 * What counts as the right time here is later than the true time by more than the clock is set back. libfaketime shows the true
 * time to handlers of signals, and Postgres decides in one which statements and units have taken too long. Where the true time is
 * later than the set one, it ends them at random, also when no clock jumps.
 */
const rightHours = 3;
const jumps = [
  { title: 'three days ahead', hours: 72, said: 'behind the clock of the database' },
  { title: 'two hours back', hours: -2, said: 'ahead of the clock of the database' },
];
const hourMs = 3_600_000;
const minuteMs = 60_000;
const talkers = 8;
const schedules = 5;
/** Calls of webhooks wait so long for their answer, which is less than a call may take. */
const heldMs = 7_000;
/** The time of one look for jobs that a dead process has left. */
const awayMs = 40_000;
const credentials = { email: 'late@example.com', password: 'correct horse battery' };

describe.skipIf(drill.isSkipped)(drill.title, () => {
  const closers: (() => unknown)[] = [];
  const allTalks: Talk[] = [];
  let databaseClock: MovableClock;
  let postgres: OwnPostgres;
  let stage: Stage;
  let receiver: WebhookReceiver;
  let load: SteadyLoad;
  let session: HttpSession;

  beforeAll(async () => {
    const { random } = chaosOptions('clock of the database');
    databaseClock = newClock();
    postgres = await startOwnPostgres({ env: databaseClock.env });
    closers.push(() => postgres.stop());
    const webhooks = { SWITCHYARD__DISPATCH__WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' };
    stage = await openStage({ postgres, env: { ...newClock().env, ...webhooks } });
    closers.push(() => stage.stop());
    receiver = await WebhookReceiver.start();
    closers.push(() => receiver.close());
    await stage.tasks.addWebhook(receiver.url);
    load = new SteadyLoad(stage.tasks, random);
    session = await HttpSession.register(stage.cluster.url, credentials);
    await startSchedules(stage.line, schedules);
  });
  afterAll(async () => {
    for (const close of closers.reverse()) await close();
  });

  for (const { title, hours, said } of jumps)
    it(`${title} ends no process and no valid session, moves no lease, and loses, doubles and holds up nothing`, async () => {
      const { cluster, tasks, line } = stage;
      const pids = cluster.replicas.map(({ pid }) => pid);
      // No schedule comes at the moment of the jump.
      await sleep((minuteMs + minuteMs / 3 - (Date.now() % minuteMs)) % minuteMs);

      const talks = await startTalks(line, talkers);
      load.start();
      const talking = answered(talks);
      await Promise.race([talking, halfHaveBegun(talks)]);
      const leases = await heldLeases(stage);
      receiver.hold();
      await expect.poll(() => receiver.held).toBeGreaterThan(0);
      const before = await momentsOf(stage);

      databaseClock.set(`+${rightHours + hours}h`);
      const over = sleep(awayMs);
      const released = sleep(heldMs).then(() => receiver.release());
      await expect.poll(hoursAhead).toBeCloseTo(hours, 1);
      await released;
      await untilAllSay(said);
      const later = again(stage, talks);
      const talkingLater = inTime(stage, 'Not every stream has ended', answered(later));
      await expectValid(session);
      const begunMeanwhile = await HttpSession.login(cluster.url, credentials);
      await expectValid(begunMeanwhile);
      await over;
      await comesAgain(before);

      const meanwhile = await momentsOf(stage);
      databaseClock.set(`+${rightHours}h`);
      await expect.poll(hoursAhead).toBeCloseTo(0, 1);
      await untilAllSay('is right again');
      await expectValid(session);
      if (hours < 0) await expectValid(begunMeanwhile);

      await inTime(stage, 'Not every stream has ended', talking);
      await talkingLater;
      const last = again(stage, talks);
      await inTime(stage, 'Not every stream has ended', answered(last));
      await comesAgain(meanwhile);
      await load.stop();
      await settle(stage);
      await inTime(stage, 'Not every webhook was delivered', untilDelivered(stage));
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
      expect(checkCalls(receiver, tasks), 'calls that lost their replica').toEqual([]);
      checkEachOnce(await untilAllHaveCome(stage, { schedules, moments: 1 }));
      expect(connectionsEnded(), postgres.output()).toEqual([]);
      console.log(
        `${title}: ${tasks.accepted.size} tasks, ${allTalks.length} runs, ${receiver.calls.length} calls in all, ` +
          `${load.failures.length} requests repeated ${load.failures.slice(0, 5).join(' ')}`,
      );
    });

  function newClock(): MovableClock {
    const folder = temporaryFolder();
    closers.push(() => folder.remove());
    const clock = new MovableClock(folder.path);
    clock.set(`+${rightHours}h`);
    return clock;
  }

  /** The time by which the clock of the database is ahead of what counts as right. */
  async function hoursAhead(): Promise<number> {
    const { rows } = await sql<{ ms: string }>`
      select extract(epoch from clock_timestamp()) * 1000 as ms`.execute(stage.database.read);
    return (Number(rows[0]?.ms) - Date.now()) / hourMs - rightHours;
  }

  /** Waits until this is the last that each replica has said about clocks. By then all go by the new time. */
  async function untilAllSay(text: string): Promise<void> {
    for (const replica of stage.cluster.replicas)
      await expect.poll(() => lastSaid(replica.output())).toContain(text);
  }

  async function expectValid(someone: HttpSession): Promise<void> {
    for (const { url } of stage.cluster.replicas) await someone.at(url).get('/api/v1/auth/me');
  }

  async function comesAgain(before: ReadonlyMap<string, number>): Promise<void> {
    await inTime(stage, 'Not every schedule has come', untilAllComeAgain(stage, { schedules, before }));
  }

  /** What Postgres says about connections that it ended by itself. */
  function connectionsEnded(): string[] {
    return postgres
      .output()
      .split('\n')
      .filter((line) => /FATAL|canceling statement/.test(line));
  }
});

/** The last line of the log that is about the clock. */
function lastSaid(output: string): string {
  return output.split('\n').findLast((line) => line.includes('The clock of this machine is')) ?? '';
}
