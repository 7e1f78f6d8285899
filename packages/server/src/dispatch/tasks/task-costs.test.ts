import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { prepareTask } from '../intake/task-submission.ts';
import { dispatchMigrations } from '../migrations.ts';
import type { DispatchTables } from '../tables.ts';
import { TaskCostStore } from './task-cost-store.ts';
import { TaskCosts } from './task-costs.ts';
import { TaskStore } from './task-store.ts';

const workflow = { '1': { class_type: 'Grow', inputs: { width: 1 } } };
const other = { '1': { class_type: 'Shrink', inputs: { width: 1 } } };
const nowMs = Date.parse('2026-01-01T00:10:00.000Z');

let opened: Database<unknown>;
let database: Database<DispatchTables>;
let costs: TaskCosts;

beforeEach(async () => {
  opened = await openDatabase({ backend: 'memory' });
  await migrate(opened, 'dispatch', dispatchMigrations);
  database = opened.withTables<DispatchTables>();
  costs = new TaskCosts(new TaskCostStore(database), () => nowMs);
});
afterEach(() => opened.close());

describe('what a task will cost', () => {
  it('is the median of what tasks with the same graph have cost this user, whatever their values', async () => {
    for (const seconds of [5, 300, 20]) await took(seconds, { params: { '1.width': seconds } });
    await took(900, { workflow: other });
    await took(900, { owner: 'bob' });
    await took(900, { status: 'failed' });

    expect(await costs.estimateSeconds('ada', { workflow, params: { '1.width': 7 } })).toBe(20);
  });

  it('is not known before such a task has run', async () => {
    expect(await costs.estimateSeconds('ada', { workflow })).toBeNull();
  });

  it('is refused for a task that cannot run', async () => {
    await expect(costs.estimateSeconds('ada', { workflow: { nodes: [], links: [] } })).rejects.toThrow(
      'Export (API)',
    );
  });
});

describe('what a run has cost', () => {
  it('is given for each call, up to now for a task that still runs', async () => {
    await took(20, { call: ['r1', 'c1'] });
    await took(30, { call: ['r1', 'c2'], status: 'running' });
    await took(40, { call: ['r2', 'c1'] });
    await took(50, { call: ['r1', 'c3'], owner: 'bob' });
    await took(60, {});

    expect((await costs.ofRun('ada', 'r1')).sort((a, b) => (a.toolCallId < b.toolCallId ? -1 : 1))).toEqual([
      { taskId: expect.any(String), toolCallId: 'c1', seconds: 20, hasEnded: true },
      { taskId: expect.any(String), toolCallId: 'c2', seconds: 30, hasEnded: false },
    ]);
  });
});

interface Past {
  owner?: string;
  workflow?: Record<string, unknown>;
  params?: Record<string, unknown>;
  status?: 'completed' | 'failed' | 'running';
  call?: [runId: string, toolCallId: string];
}

/** A task that began this many seconds ago, and has ended by now unless it still runs. */
async function took(seconds: number, past: Past): Promise<void> {
  const { owner = 'ada', status = 'completed', params = {}, call } = past;
  const input = { workflow: past.workflow ?? workflow, params };
  const { task } = prepareTask(input, {
    owner,
    requestId: null,
    conversation: call ? { threadId: 't', runId: call[0], toolCallId: call[1] } : null,
    savedWorkflow: null,
    idempotency: null,
    nowMs,
    fileNames: new Map(),
  });
  await new TaskStore(database).insert({ user: owner }, task);
  const startedAt = new Date(nowMs - seconds * 1000).toISOString();
  const finishedAt = status === 'running' ? null : new Date(nowMs).toISOString();
  await database.write((trx) =>
    trx
      .updateTable('tasks')
      .set({ status, startedAt, finishedAt })
      .where('id', '=', task.row.id ?? '')
      .execute(),
  );
}
