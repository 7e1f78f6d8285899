import { maxSchedulesPerUser } from '@switchyard/contract/conversation/scheduled-task';
import type { Updateable } from 'kysely';
import { AppError } from '../../lib/app-error.ts';
import { firstIdAt } from '../../lib/ids.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { lockName } from '../../platform/database/dialect.ts';
import type { UnitPart } from '../../platform/database/unit-part.ts';
import type { ConversationTables, ScheduleRow, ScheduleRunRow, ScheduleTable } from '../tables.ts';
import { userScope } from '../user-scope.ts';

export type ScheduleTrx = WriteTransaction<ConversationTables>;
export type ScheduleChange = Updateable<Omit<ScheduleTable, 'schedule_id' | 'user_id'>>;

/** The number of runs that one schedule keeps in its history. */
const runsKept = 200;
/** This many schedules are brought back to the present at a time. Those that have run since are no longer among them. */
const maxAligned = 1_000;
const openStatuses = ['queued', 'running'] as const;

/** The schedules of users and their history. A unit about one schedule excludes other units about it. */
export class ScheduleStore {
  readonly #database: Database<ConversationTables>;

  constructor(database: Database<ConversationTables>) {
    this.#database = database;
  }

  /** All of them, the newest first: their number is limited. */
  async list(owner: Owner, threadId: string | null = null): Promise<ScheduleRow[]> {
    const rows = this.#database.read
      .selectFrom('schedules')
      .selectAll()
      .where('user_id', '=', userOf(owner))
      .orderBy('created_at', 'desc')
      .orderBy('schedule_id', 'desc')
      .limit(maxSchedulesPerUser);
    return (threadId === null ? rows : rows.where('thread_id', '=', threadId)).execute();
  }

  async get(owner: Owner, scheduleId: string): Promise<ScheduleRow | undefined> {
    return this.#database.read
      .selectFrom('schedules')
      .selectAll()
      .where('user_id', '=', userOf(owner))
      .where('schedule_id', '=', scheduleId)
      .executeTakeFirst();
  }

  async history(
    owner: Owner,
    scheduleId: string,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<ScheduleRunRow[]> {
    return this.#database.read
      .selectFrom('schedule_runs')
      .selectAll()
      .where('user_id', '=', userOf(owner))
      .where('schedule_id', '=', scheduleId)
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
  }

  async findRun(id: string): Promise<{ schedule: ScheduleRow; run: ScheduleRunRow } | undefined> {
    const run = await this.#database.read
      .selectFrom('schedule_runs')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    const schedule = run && (await findSchedule(this.#database.read, run.schedule_id));
    return schedule && { schedule, run };
  }

  /** The crons that wait and whose moments came, or that were changed, after this moment. */
  async cronsOfLaterThan(moment: string): Promise<string[]> {
    const rows = await this.#database.read
      .selectFrom('schedules')
      .select('schedule_id')
      .where('status', '=', 'enabled')
      .where('cron', 'is not', null)
      .where((either) =>
        either.or([
          either('updated_at', '>', moment),
          // One that came while the run before it went on has begun no run of its own.
          either.exists(
            either
              .selectFrom('schedule_runs')
              .select('id')
              .whereRef('schedule_runs.schedule_id', '=', 'schedules.schedule_id')
              .where('schedule_runs.id', '>', firstIdAt(Date.parse(moment))),
          ),
        ]),
      )
      .orderBy('schedule_id')
      .limit(maxAligned)
      .execute();
    return rows.map(({ schedule_id }) => schedule_id);
  }

  async insert(row: ScheduleRow, alongside: UnitPart): Promise<void> {
    const { dialect } = this.#database;
    await this.#database.write(async (trx) => {
      await lockName(trx, { dialect, name: `schedules of ${row.user_id}`, isShared: false });
      const { count } = await trx
        .selectFrom('schedules')
        .where('user_id', '=', row.user_id)
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      if (Number(count) >= maxSchedulesPerUser) throw new AppError('schedule_limit');
      await trx.insertInto('schedules').values(row).execute();
      await alongside(trx as WriteTransaction<unknown>);
    });
  }

  /** Gives the unit the present row, or undefined when the owner has no such schedule. */
  async change<Result>(
    owner: Owner | null,
    scheduleId: string,
    unit: (trx: ScheduleTrx, present: ScheduleRow | undefined) => Promise<Result>,
  ): Promise<Result> {
    const { dialect } = this.#database;
    return this.#database.write(async (trx) => {
      await lockName(trx, { dialect, name: `schedule ${scheduleId}`, isShared: false });
      const present = await findSchedule(trx, scheduleId);
      const isVisible = present && (owner === null || present.user_id === userOf(owner));
      return unit(trx, isVisible ? present : undefined);
    });
  }
}

/** Part of a unit. Returns the row as it is then. */
export async function updateSchedule(
  trx: ScheduleTrx,
  scheduleId: string,
  change: ScheduleChange,
): Promise<ScheduleRow> {
  return trx
    .updateTable('schedules')
    .set(change)
    .where('schedule_id', '=', scheduleId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Part of a unit: a task that runs once has ended with its run. */
export async function settleSchedule(
  trx: ScheduleTrx,
  scheduleId: string,
  { change, once }: { change: ScheduleChange; once: ScheduleRow['status'] },
): Promise<void> {
  await trx.updateTable('schedules').set(change).where('schedule_id', '=', scheduleId).execute();
  await trx
    .updateTable('schedules')
    .set({ status: once })
    .where('schedule_id', '=', scheduleId)
    .where('cron', 'is', null)
    .where('status', '=', 'running')
    .execute();
}

/** Part of a unit: removes a schedule with its history. */
export async function deleteSchedule(trx: ScheduleTrx, scheduleId: string): Promise<void> {
  await trx.deleteFrom('schedule_runs').where('schedule_id', '=', scheduleId).execute();
  await trx.deleteFrom('schedules').where('schedule_id', '=', scheduleId).execute();
}

/** Part of a unit: the run of a schedule that waits or works. */
export async function openRunOf(trx: ScheduleTrx, scheduleId: string): Promise<ScheduleRunRow | undefined> {
  return trx
    .selectFrom('schedule_runs')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .where('status', 'in', openStatuses)
    .executeTakeFirst();
}

/** Part of a unit. The oldest history goes. */
export async function insertScheduleRun(trx: ScheduleTrx, row: ScheduleRunRow): Promise<void> {
  await trx.insertInto('schedule_runs').values(row).execute();
  const oldest = await trx
    .selectFrom('schedule_runs')
    .select('id')
    .where('schedule_id', '=', row.schedule_id)
    .orderBy('id', 'desc')
    .offset(runsKept)
    .limit(1)
    .executeTakeFirst();
  if (!oldest) return;
  await trx
    .deleteFrom('schedule_runs')
    .where('schedule_id', '=', row.schedule_id)
    .where('id', '<=', oldest.id)
    .where('status', 'not in', openStatuses)
    .execute();
}

/** Part of a unit. Returns undefined when the row has another status by now. */
export async function updateScheduleRun(
  trx: ScheduleTrx,
  { id, from }: { id: string; from: readonly ScheduleRunRow['status'][] },
  change: Partial<ScheduleRunRow>,
): Promise<ScheduleRunRow | undefined> {
  return trx
    .updateTable('schedule_runs')
    .set(change)
    .where('id', '=', id)
    .where('status', 'in', from)
    .returningAll()
    .executeTakeFirst();
}

/** Part of the unit that ends a run: the moment for which this user's run was started. */
export async function scheduleRunOf(
  trx: ScheduleTrx,
  { run_id, user_id }: { run_id: string; user_id: string },
): Promise<ScheduleRunRow | undefined> {
  return trx
    .selectFrom('schedule_runs')
    .selectAll()
    .where('run_id', '=', run_id)
    .where('user_id', '=', user_id)
    .where('status', 'in', openStatuses)
    .executeTakeFirst();
}

/** Part of a unit: what runs in a deleted thread rests until its owner names another one. */
export async function releaseThread(
  trx: ScheduleTrx,
  threadId: string,
  { at, why }: { at: string; why: string },
): Promise<void> {
  await trx
    .updateTable('schedules')
    .set({ status: 'paused', last_error: why, updated_at: at })
    .where('thread_id', '=', threadId)
    .where('status', 'in', ['enabled', 'paused'])
    .execute();
}

/** Part of the unit that removes a user's data. */
export async function forgetSchedulesOfUser(trx: ScheduleTrx, userId: string): Promise<void> {
  await trx.deleteFrom('schedule_runs').where('user_id', '=', userId).execute();
  await trx.deleteFrom('schedules').where('user_id', '=', userId).execute();
}

async function findSchedule(
  db: Pick<ScheduleTrx, 'selectFrom'>,
  scheduleId: string,
): Promise<ScheduleRow | undefined> {
  return db.selectFrom('schedules').selectAll().where('schedule_id', '=', scheduleId).executeTakeFirst();
}

function userOf(owner: Owner): string {
  const userId = userScope(owner);
  if (userId === null) throw new Error('Schedules belong to one user.');
  return userId;
}
