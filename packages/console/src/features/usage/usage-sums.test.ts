import type { ConsoleUsage } from '@switchyard/contract/conversation/console';
import { describe, expect, it } from 'vitest';
import { tokenSums, usageRows } from './usage-sums.ts';

const model = (tokens: number, simulated: boolean, cost: number | null) => ({
  tokens,
  input_tokens: tokens - 10,
  output_tokens: 10,
  cache_read_tokens: 5,
  runs: 1,
  cost,
  currency: cost === null ? null : 'EUR',
  simulated,
});
const work = { tasks: 1, task_seconds: 9, worker_cost: null };
const usage = {
  by_model: { demo: model(400, true, null), fast: model(100, false, 0.5), free: model(200, false, null) },
  by_agent: [{ agent: null, tokens: 500, simulated_tokens: 400, runs: 2, cost: null, ...work }],
  by_user: [
    { user_id: 'u1', email: 'ada@example.com', tokens: 9, simulated_tokens: 0, runs: 1, cost: null, ...work },
    { user_id: 'u2', email: null, tokens: 1, simulated_tokens: 0, runs: 1, cost: null, ...work },
  ],
  by_workflow: [{ workflow: null, tasks: 3, failed_tasks: 1, task_seconds: 7, cost: null }],
  simulated_tokens: 400,
  currency: null,
} as unknown as ConsoleUsage;

const asIs = (agent: string) => agent;

describe('what was used', () => {
  it('never adds the tokens of the demo model to those of others', () => {
    expect(tokenSums(usage)).toEqual({ input: 280, output: 20, cached: 10, simulated: 400 });
    expect(usageRows(usage, 'agent', asIs)).toMatchObject([{ tokens: 100, simulatedTokens: 400 }]);
  });

  it('lists the largest first', () => {
    expect(usageRows(usage, 'model', asIs).map(({ name }) => name)).toEqual(['demo', 'free', 'fast']);
  });

  it('calls users and agents by their names, and by their ids when they are gone', () => {
    const named = { ...usage, by_agent: [{ ...usage.by_agent[0], agent: 'a1' }] } as ConsoleUsage;
    expect(usageRows(usage, 'user', asIs).map(({ id, name }) => [id, name])).toEqual([
      ['u1', 'ada@example.com'],
      ['u2', 'u2'],
    ]);
    expect(usageRows(named, 'agent', () => 'Painter')).toMatchObject([{ id: 'a1', name: 'Painter' }]);
    expect(usageRows(usage, 'agent', asIs)).toMatchObject([{ id: null, name: null }]);
  });

  it('leaves blank what has no price, and what does not apply', () => {
    const [, free, fast] = usageRows(usage, 'model', asIs);
    expect([free?.cost, fast?.cost, fast?.tasks]).toEqual([null, 0.5, null]);
    expect(usageRows(usage, 'workflow', asIs)).toMatchObject([
      { tokens: null, workerCost: null, failedTasks: 1 },
    ]);
  });
});
