import type { ConsoleUsage } from '@switchyard/contract/conversation/console';

export interface TokenSums {
  input: number;
  output: number;
  cached: number;
  simulated: number;
}

/** Returns the tokens that models received and wrote. The demo model stands apart, because no bill contains it. */
export function tokenSums({ by_model, simulated_tokens }: ConsoleUsage): TokenSums {
  const sums = { input: 0, output: 0, cached: 0, simulated: simulated_tokens };
  for (const { input_tokens, output_tokens, cache_read_tokens, simulated } of Object.values(by_model)) {
    if (simulated) continue;
    sums.input += input_tokens;
    sums.output += output_tokens;
    sums.cached += cache_read_tokens;
  }
  return sums;
}

/** One row of a table of usage. A number that is not known, or does not apply, is null. */
export interface UsageRow {
  /** The gateway's id for it; null for a thing without a name. */
  id: string | null;
  /** The name that people know it by. */
  name: string | null;
  /** Without those of the demo model. */
  tokens: number | null;
  simulatedTokens: number | null;
  runs: number | null;
  cost: number | null;
  currency: string | null;
  tasks: number | null;
  failedTasks: number | null;
  workerSeconds: number | null;
  workerCost: number | null;
}

export const groupings = ['model', 'agent', 'workflow', 'user'] as const;
export type Grouping = (typeof groupings)[number];

const empty: Omit<UsageRow, 'id' | 'name'> = {
  tokens: null,
  simulatedTokens: null,
  runs: null,
  cost: null,
  currency: null,
  tasks: null,
  failedTasks: null,
  workerSeconds: null,
  workerCost: null,
};

type Worked = ConsoleUsage['by_user'][number] | ConsoleUsage['by_agent'][number];

export function usageRows(
  usage: ConsoleUsage,
  grouping: Grouping,
  agentName: (agent: string) => string,
): UsageRow[] {
  switch (grouping) {
    case 'model':
      return Object.entries(usage.by_model)
        .map(([name, { tokens, runs, cost, currency, simulated }]) => ({
          ...empty,
          id: name,
          name,
          tokens: simulated ? 0 : tokens,
          simulatedTokens: simulated ? tokens : 0,
          runs,
          cost,
          currency,
        }))
        .sort((one, other) => other.tokens + other.simulatedTokens - one.tokens - one.simulatedTokens);
    case 'agent':
      return usage.by_agent.map((row) => ({
        id: row.agent,
        name: row.agent === null ? null : agentName(row.agent),
        ...workedRow(row, usage),
      }));
    case 'user':
      return usage.by_user.map((row) => ({
        id: row.user_id,
        name: row.email ?? row.user_id,
        ...workedRow(row, usage),
      }));
    case 'workflow':
      return usage.by_workflow.map(({ workflow, tasks, failed_tasks, task_seconds, cost }) => ({
        ...empty,
        id: workflow,
        name: workflow,
        tasks,
        failedTasks: failed_tasks,
        workerSeconds: task_seconds,
        workerCost: cost,
      }));
  }
}

function workedRow(row: Worked, { currency }: ConsoleUsage): Omit<UsageRow, 'id' | 'name'> {
  return {
    tokens: row.tokens - row.simulated_tokens,
    simulatedTokens: row.simulated_tokens,
    runs: row.runs,
    cost: row.cost,
    currency,
    tasks: row.tasks,
    failedTasks: null,
    workerSeconds: row.task_seconds,
    workerCost: row.worker_cost,
  };
}
