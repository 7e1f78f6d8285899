import type { Cron } from '@switchyard/contract/conversation/crons';
import type { ScheduledTask, ScheduledTaskRun } from '@switchyard/contract/conversation/scheduled-task';
import { isRecord } from '@switchyard/contract/is-record';
import { type MessageContent, messageText } from '../../agents/message-text.ts';
import type { ScheduleRow, ScheduleRunRow } from '../tables.ts';

/** The field of a run's metadata that names the moment for which it was started. */
export const scheduleRunKey = 'scheduled_task_run_id';

const maxTitleLength = 256;

/** A schedule as DeerFlow's page knows it. */
export function viewTask(row: ScheduleRow): ScheduledTask {
  const { title, prompt, timezone, status, cron, run_at } = row;
  const { user_id, thread_id, assistant_id, run_count, created_at, updated_at } = row;
  const { last_run_at, last_run_id, last_thread_id, last_error } = row;
  return {
    id: row.schedule_id,
    user_id,
    thread_id,
    context_mode: thread_id === null ? 'fresh_thread_per_run' : 'reuse_thread',
    assistant_id,
    title,
    prompt,
    schedule_type: cron === null ? 'once' : 'cron',
    schedule_spec: cron === null ? { run_at } : { cron },
    timezone,
    status,
    overlap_policy: 'skip',
    next_run_at: row.next_run_at,
    last_run_at,
    last_run_id,
    last_thread_id,
    last_error,
    lease_owner: null,
    lease_expires_at: null,
    run_count,
    created_at,
    updated_at,
  };
}

export function viewTaskRun(row: ScheduleRunRow): ScheduledTaskRun {
  const { schedule_id: task_id, user_id: _user, ...shown } = row;
  return { ...shown, task_id };
}

/** A schedule as LangGraph clients know it. */
export function viewCron(row: ScheduleRow): Cron {
  const isEnabled = row.status === 'enabled';
  return {
    cron_id: row.schedule_id,
    assistant_id: row.assistant_id,
    thread_id: row.thread_id,
    ...(row.thread_id === null && { on_run_completed: row.on_run_completed }),
    end_time: row.end_time,
    schedule: row.cron ?? '',
    timezone: row.timezone,
    created_at: row.created_at,
    updated_at: row.updated_at,
    payload: { assistant_id: row.assistant_id, ...(JSON.parse(row.request) as object) },
    user_id: row.user_id,
    next_run_date: isEnabled ? row.next_run_at : null,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    enabled: isEnabled,
  };
}

/** Returns what each run of a scheduled task is asked. No person sits in front of it, which its graph may want to know. */
export function requestOfPrompt(prompt: string): object {
  return { input: { messages: [{ role: 'user', content: prompt }] }, context: { non_interactive: true } };
}

/** The words in the input of a cron, for lists of scheduled tasks; empty when it has none. */
export function promptOf(input: unknown): string {
  const messages = isRecord(input) ? [input.messages].flat() : [];
  const last = messages.findLast((message) => typeof message === 'string' || isRecord(message));
  if (typeof last === 'string') return last;
  return isRecord(last) ? messageText(last.content as MessageContent) : '';
}

/** A cron has no title of its own. */
export function titleOfCron({
  assistant_id,
  metadata = null,
}: {
  assistant_id: string;
  metadata?: unknown;
}): string {
  const given = isRecord(metadata) ? metadata.title : undefined;
  const title = typeof given === 'string' && given.trim() !== '' ? given : `Cron of ${assistant_id}`;
  return [...title].slice(0, maxTitleLength).join('');
}
