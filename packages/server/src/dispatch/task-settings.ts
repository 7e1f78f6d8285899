import type { Patience } from '@switchyard/contract/dispatch/patience';
import type { NewTask } from '@switchyard/contract/dispatch/tasks';

/** Returns the settings in a request as columns. The table of tasks takes their types from here. */
export function settingColumns(input: NewTask) {
  return {
    name: input.name ?? null,
    note: input.note ?? null,
    priority: input.priority ?? 0,
    tags: JSON.stringify(input.tags ?? []),
    pool: input.pool ?? null,
    pinnedInstanceId: input.instanceId ?? null,
    retryPolicy: input.retry ?? 'on_lost',
    maxAttempts: input.maxAttempts ?? 3,
    timeoutSeconds: input.timeoutSeconds ?? null,
    patience: input.patience ? JSON.stringify(input.patience) : null,
  };
}

export type SettingColumns = ReturnType<typeof settingColumns>;

/** The settings that a task shows in lists too. */
export function listedSettings(row: SettingColumns) {
  return { name: row.name, priority: row.priority, tags: JSON.parse(row.tags) as string[] };
}

/** The settings that a task shows at its own address alone. */
export function detailedSettings(row: SettingColumns) {
  return {
    note: row.note,
    pinnedInstanceId: row.pinnedInstanceId,
    pool: row.pool,
    timeoutSeconds: row.timeoutSeconds,
    patience: row.patience === null ? null : (JSON.parse(row.patience) as Patience),
    retry: row.retryPolicy,
    maxAttempts: row.maxAttempts,
  };
}

/** The settings as the request for a copy gives them. Its caller decides about the priority. */
export function requestedSettings(row: SettingColumns): Omit<NewTask, 'workflow'> {
  const { priority: _priority, ...listed } = listedSettings(row);
  const { pinnedInstanceId: instanceId, ...detailed } = detailedSettings(row);
  const given = Object.entries({ ...listed, ...detailed, instanceId }).filter(([, value]) => value !== null);
  return Object.fromEntries(given);
}
