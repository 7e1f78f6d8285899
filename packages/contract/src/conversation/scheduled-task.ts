import { type Static, Type } from 'typebox';
import { isoTime, nullable, oneOf } from '../shapes.ts';
import { threadId } from './ids.ts';
import { openRecord } from './thread.ts';

/** The most schedules that one user may have, as tasks and as crons together. */
export const maxSchedulesPerUser = 100;

export const scheduleTypes = ['once', 'cron'] as const;
export const contextModes = ['fresh_thread_per_run', 'reuse_thread'] as const;
export const taskStatuses = ['enabled', 'paused', 'running', 'completed', 'failed', 'cancelled'] as const;
export const taskRunStatuses = ['queued', 'running', 'success', 'failed', 'skipped', 'interrupted'] as const;
export const taskTriggers = ['scheduled', 'manual'] as const;

const textOrNull = nullable(Type.String());

/** A prompt that the gateway sends by itself: once, or again and again. */
export const scheduledTask = Type.Object({
  id: Type.String(),
  user_id: Type.String(),
  thread_id: textOrNull,
  context_mode: oneOf(contextModes, {
    description:
      '`fresh_thread_per_run`: each run has a thread of its own. `reuse_thread`: all are in `thread_id`.',
  }),
  assistant_id: Type.String(),
  title: Type.String(),
  prompt: Type.String(),
  schedule_type: oneOf(scheduleTypes),
  schedule_spec: openRecord({ description: '`{ run_at }` for `once`, `{ cron }` for `cron`.' }),
  timezone: Type.String({ description: 'A name of the IANA database.' }),
  status: oneOf(taskStatuses, { description: 'A `once` task is `running` until its run ends.' }),
  overlap_policy: Type.Literal('skip', {
    description: 'A moment that comes while the run before it goes on is skipped.',
  }),
  next_run_at: nullable(isoTime),
  last_run_at: nullable(isoTime),
  last_run_id: textOrNull,
  last_thread_id: textOrNull,
  last_error: textOrNull,
  lease_owner: Type.Null(),
  lease_expires_at: Type.Null(),
  run_count: Type.Integer({ minimum: 0 }),
  created_at: isoTime,
  updated_at: isoTime,
});
export type ScheduledTask = Static<typeof scheduledTask>;

/** One moment of a task, and what became of it. */
export const scheduledTaskRun = Type.Object({
  id: Type.String(),
  task_id: Type.String(),
  thread_id: textOrNull,
  run_id: textOrNull,
  scheduled_for: isoTime,
  trigger: oneOf(taskTriggers),
  status: oneOf(taskRunStatuses),
  error: textOrNull,
  started_at: nullable(isoTime),
  finished_at: nullable(isoTime),
  created_at: isoTime,
});
export type ScheduledTaskRun = Static<typeof scheduledTaskRun>;

const title = Type.String({ minLength: 1, maxLength: 256 });
const prompt = Type.String({ minLength: 1, maxLength: 100_000 });
const timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'A name of the IANA database, such as `Europe/Berlin` or `UTC`.',
});
const contextMode = Type.String({ maxLength: 64, description: `${contextModes.join(' or ')}.` });
const scheduleSpec = Type.Object({
  run_at: Type.Optional(
    nullable(
      Type.String({
        maxLength: 64,
        description:
          'ISO 8601, at least 60 seconds ahead. Without an offset it is what the clocks show in `timezone`.',
      }),
    ),
  ),
  cron: Type.Optional(
    nullable(
      Type.String({
        maxLength: 200,
        description: 'Minute, hour, day of the month, month, day of the week: `0 9 * * 1-5`.',
      }),
    ),
  ),
});

export const newScheduledTask = Type.Object({
  title,
  prompt,
  schedule_type: Type.String({ maxLength: 64, description: `${scheduleTypes.join(' or ')}.` }),
  schedule_spec: scheduleSpec,
  timezone,
  context_mode: Type.Optional(nullable(contextMode)),
  thread_id: Type.Optional(nullable(threadId)),
  assistant_id: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'The agent that runs. When absent: that of the thread, or `lead_agent`.',
      }),
    ),
  ),
});
export type NewScheduledTask = Static<typeof newScheduledTask>;

/** Null means the same as absent: nothing changes. */
export const scheduledTaskChange = Type.Object({
  title: Type.Optional(nullable(title)),
  prompt: Type.Optional(nullable(prompt)),
  schedule_spec: Type.Optional(Type.Union([scheduleSpec, Type.Null()])),
  timezone: Type.Optional(nullable(timezone)),
  context_mode: Type.Optional(nullable(contextMode)),
  thread_id: Type.Optional(nullable(threadId)),
});
export type ScheduledTaskChange = Static<typeof scheduledTaskChange>;
