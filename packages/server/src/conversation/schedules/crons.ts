import type {
  Cron,
  CronChange,
  CronFilter,
  CronSearch,
  NewCron,
} from '@switchyard/contract/conversation/crons';
import type { CustomUser } from '../../http/access/identity.ts';
import { AppError } from '../../lib/app-error.ts';
import { jsonContains } from '../../lib/json-contains.ts';
import type { Owner } from '../../lib/owner.ts';
import type { ScheduleRow } from '../tables.ts';
import { promptOf, titleOfCron, viewCron } from './schedule.ts';
import type { ScheduleChange } from './schedule-store.ts';
import { requireCron, requireEndTime, requireZone } from './schedule-times.ts';
import type { Schedules } from './schedules.ts';

interface Requested<Body> {
  body: Body;
  /** The caller as the operator's own authentication describes them; undefined for every other caller. */
  authUser: CustomUser | undefined;
}

/** Schedules as LangGraph clients have them: an assistant that runs by a cron. */
export class Crons {
  readonly #schedules: Schedules;

  constructor(schedules: Schedules) {
    this.#schedules = schedules;
  }

  /** Throws for what runs once as well. */
  async get(owner: Owner, cronId: string): Promise<Cron> {
    const row = await this.#schedules.get(owner, cronId, 'cron_not_found');
    if (!isCron(row)) throw new AppError('cron_not_found');
    return viewCron(row);
  }

  async create(owner: Owner, threadId: string | null, { body, authUser }: Requested<NewCron>): Promise<Cron> {
    const { schedule, timezone, end_time, enabled, on_run_completed, metadata, ...asked } = body;
    const { assistant_id, ...request } = asked;
    const zone = requireZone(timezone ?? 'UTC');
    const row = await this.#schedules.create(owner, {
      thread_id: threadId,
      assistant_id,
      title: titleOfCron(body),
      prompt: promptOf(request.input),
      request: JSON.stringify(request),
      auth_user: authUser ? JSON.stringify(authUser) : null,
      metadata: JSON.stringify(metadata ?? {}),
      cron: requireCron(schedule, { zone, nowMs: this.#schedules.nowMs }),
      run_at: null,
      timezone: zone,
      end_time: end_time ? requireEndTime(end_time) : null,
      on_run_completed: on_run_completed ?? 'delete',
      status: enabled === false ? 'paused' : 'enabled',
    });
    return viewCron(row);
  }

  async patch(owner: Owner, cronId: string, { body, authUser }: Requested<CronChange>): Promise<Cron> {
    const { nowMs } = this.#schedules;
    const row = await this.#schedules.change(owner, cronId, {
      notFound: 'cron_not_found',
      change: (present) => ({
        ...changeOf(body, present, nowMs),
        ...(authUser && { auth_user: JSON.stringify(authUser) }),
      }),
    });
    return viewCron(row);
  }

  async delete(owner: Owner, cronId: string): Promise<void> {
    await this.#schedules.delete(owner, cronId, 'cron_not_found');
  }

  async search(owner: Owner, requested: CronSearch): Promise<Partial<Cron>[]> {
    const { limit = 10, offset = 0, select, enabled } = requested;
    const found = (await this.#fitting(owner, requested)).filter(
      (cron) => enabled == null || cron.enabled === enabled,
    );
    const page = inOrder(found, requested).slice(offset, offset + limit);
    return select
      ? page.map((cron) => Object.fromEntries(select.map((field) => [field, cron[field]])))
      : page;
  }

  async count(owner: Owner, filter: CronFilter): Promise<number> {
    return (await this.#fitting(owner, filter)).length;
  }

  async #fitting(owner: Owner, { assistant_id, thread_id, metadata }: CronFilter): Promise<Cron[]> {
    const rows = await this.#schedules.list(owner);
    return rows
      .filter(isCron)
      .map(viewCron)
      .filter(
        (cron) =>
          (!assistant_id || cron.assistant_id === assistant_id) &&
          (!thread_id || cron.thread_id === thread_id) &&
          (!metadata || jsonContains(cron.metadata, metadata)),
      );
  }
}

/** A schedule that runs once is not a cron, and LangGraph clients know only crons. */
function isCron({ cron }: ScheduleRow): boolean {
  return cron !== null;
}

function changeOf(body: CronChange, present: ScheduleRow, nowMs: number): ScheduleChange {
  if (!isCron(present)) throw new AppError('cron_not_found');
  const { schedule, timezone, end_time, enabled, on_run_completed, metadata, ...asked } = body;
  const zone = requireZone(timezone ?? present.timezone);
  const request = { ...(JSON.parse(present.request) as object), ...asked };
  return {
    ...(schedule && { cron: requireCron(schedule, { zone, nowMs }) }),
    ...(timezone && { timezone: zone }),
    ...(end_time !== undefined && { end_time: end_time === null ? null : requireEndTime(end_time) }),
    ...(typeof enabled === 'boolean' && { status: enabled ? 'enabled' : 'paused' }),
    ...(on_run_completed && { on_run_completed }),
    ...(metadata && {
      metadata: JSON.stringify({ ...(JSON.parse(present.metadata) as object), ...metadata }),
    }),
    ...(Object.keys(asked).length > 0 && { request: JSON.stringify(request) }),
    ...(asked.input !== undefined && { prompt: promptOf(asked.input) }),
  };
}

function inOrder(crons: Cron[], { sort_by: field, sort_order: order }: CronSearch): Cron[] {
  const key = field ?? 'created_at';
  const direction = order === 'asc' ? 1 : -1;
  const shownBy = (cron: Cron): string => cron[key] ?? '';
  return [...crons].sort((one, other) => {
    const [a, b] = [shownBy(one), shownBy(other)];
    return a === b ? 0 : (a < b ? -1 : 1) * direction;
  });
}
