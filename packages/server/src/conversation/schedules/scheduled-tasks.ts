import type {
  NewScheduledTask,
  ScheduledTask,
  ScheduledTaskChange,
  ScheduledTaskRun,
} from '@switchyard/contract/conversation/scheduled-task';
import type { Owner } from '../../lib/owner.ts';
import type { ScheduleRow } from '../tables.ts';
import { assistantOf } from '../threads/thread.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { requestOfPrompt, viewTask, viewTaskRun } from './schedule.ts';
import type { ScheduleChange } from './schedule-store.ts';
import { invalid, requireCron, requireRunAt, requireZone, type ScheduleTimes } from './schedule-times.ts';
import type { Schedules } from './schedules.ts';

/** Schedules as DeerFlow's page has them: a prompt with a title, once or by a cron. */
export class ScheduledTasks {
  readonly #options;

  constructor(options: { schedules: Schedules; access: Pick<ThreadAccess, 'require'> }) {
    this.#options = options;
  }

  async list(owner: Owner): Promise<ScheduledTask[]> {
    return (await this.#options.schedules.list(owner)).map(viewTask);
  }

  async ofThread(owner: Owner, threadId: string): Promise<ScheduledTask[]> {
    const { schedules, access } = this.#options;
    await access.require(owner, threadId, { mustExist: false });
    return (await schedules.list(owner, threadId)).map(viewTask);
  }

  async get(owner: Owner, taskId: string): Promise<ScheduledTask> {
    return viewTask(await this.#options.schedules.get(owner, taskId));
  }

  async history(
    owner: Owner,
    taskId: string,
    page: { limit: number; offset: number },
  ): Promise<ScheduledTaskRun[]> {
    return (await this.#options.schedules.history(owner, taskId, page)).map(viewTaskRun);
  }

  async create(owner: Owner, body: NewScheduledTask): Promise<ScheduledTask> {
    const { schedules } = this.#options;
    const { title, prompt, context_mode } = body;
    const threadId = threadIn(context_mode ?? 'fresh_thread_per_run', body.thread_id ?? null);
    const row = await schedules.create(owner, {
      title,
      prompt,
      thread_id: threadId,
      assistant_id: body.assistant_id ?? (await this.#assistantIn(owner, threadId)),
      request: JSON.stringify(requestOfPrompt(prompt)),
      auth_user: null,
      metadata: '{}',
      on_run_completed: 'keep',
      status: 'enabled',
      ...timesOf(body, schedules.nowMs),
    });
    return viewTask(row);
  }

  /** A task that moves into a thread goes on with the assistant of that thread. */
  async patch(owner: Owner, taskId: string, body: ScheduledTaskChange): Promise<ScheduledTask> {
    const { schedules, access } = this.#options;
    const { thread_id: threadId } = body;
    const thread = threadId ? await access.require(owner, threadId, { mustExist: false }) : null;
    const ofThread = thread?.assistant_id ? { assistant_id: thread.assistant_id } : {};
    const row = await schedules.change(owner, taskId, {
      notFound: 'scheduled_task_not_found',
      change: (present) => ({ ...changeOf(body, present, schedules.nowMs), ...ofThread }),
    });
    return viewTask(row);
  }

  async switch(owner: Owner, taskId: string, status: 'enabled' | 'paused'): Promise<ScheduledTask> {
    return viewTask(await this.#options.schedules.switch(owner, taskId, status));
  }

  async trigger(owner: Owner, taskId: string): Promise<void> {
    await this.#options.schedules.trigger(owner, taskId);
  }

  async delete(owner: Owner, taskId: string): Promise<void> {
    await this.#options.schedules.delete(owner, taskId, 'scheduled_task_not_found');
  }

  async #assistantIn(owner: Owner, threadId: string | null): Promise<string> {
    const { access } = this.#options;
    return assistantOf(
      threadId === null ? null : await access.require(owner, threadId, { mustExist: false }),
    );
  }
}

function timesOf(body: NewScheduledTask, nowMs: number): ScheduleTimes {
  const { schedule_type: type, schedule_spec: spec } = body;
  if (type !== 'once' && type !== 'cron') throw invalid('Unsupported schedule_type: write once or cron.');
  const timezone = requireZone(body.timezone);
  return { ...momentsOf({ type, spec, timezone, nowMs }), timezone, end_time: null };
}

interface RequestedTimes {
  type: 'once' | 'cron';
  spec: NewScheduledTask['schedule_spec'];
  timezone: string;
  nowMs: number;
}

function momentsOf({
  type,
  spec,
  timezone: zone,
  nowMs,
}: RequestedTimes): Pick<ScheduleRow, 'cron' | 'run_at'> {
  if (type === 'cron') {
    if (!spec.cron) throw invalid('cron schedule requires schedule_spec.cron');
    return { cron: requireCron(spec.cron, { zone, nowMs }), run_at: null };
  }
  if (!spec.run_at) throw invalid('once schedule requires schedule_spec.run_at');
  return { cron: null, run_at: requireRunAt(spec.run_at, { zone, nowMs }) };
}

/** Null leaves a field as it is. */
function changeOf(body: ScheduledTaskChange, present: ScheduleRow, nowMs: number): ScheduleChange {
  const { title, prompt, schedule_spec: spec, timezone: zone, context_mode: mode, thread_id } = body;
  const timezone = requireZone(zone ?? present.timezone);
  const type = present.cron === null ? 'once' : 'cron';
  const presentMode = present.thread_id === null ? 'fresh_thread_per_run' : 'reuse_thread';
  return {
    ...(title && { title }),
    ...(prompt && { prompt, request: withPrompt(present, prompt) }),
    ...(zone && { timezone }),
    ...(spec && momentsOf({ type, spec, timezone, nowMs })),
    ...((mode || thread_id) && {
      thread_id: threadIn(mode ?? presentMode, thread_id ?? present.thread_id),
    }),
  };
}

/** A cron of a LangGraph client keeps the rest of what it asks. */
function withPrompt({ request }: ScheduleRow, prompt: string): string {
  return JSON.stringify({ ...(JSON.parse(request) as object), ...requestOfPrompt(prompt) });
}

function threadIn(mode: string, threadId: string | null): string | null {
  if (mode === 'fresh_thread_per_run') return null;
  if (mode !== 'reuse_thread') {
    throw invalid('Unsupported context_mode: write fresh_thread_per_run or reuse_thread.');
  }
  if (threadId === null) throw invalid('reuse_thread requires thread_id');
  return threadId;
}
