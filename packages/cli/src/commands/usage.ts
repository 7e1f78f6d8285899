import { type ConsoleUsage, getConsoleUsage } from '@switchyard/contract/conversation/console';
import { type Command, Option } from 'commander';
import type { GatewayOptions } from '../gateway-options.ts';
import { openConversations } from '../open-gateway.ts';
import { wholeNumber } from '../option-values.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';

const groupings = ['day', 'model', 'workflow', 'user'] as const;
type Grouping = (typeof groupings)[number];

export function addUsageCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('usage')
    .option('--days <n>', 'until today, 1 to 90', wholeNumber(1, 90), 14)
    .addOption(new Option('--by <what>', 'what a line stands for').choices([...groupings]).default('day'))
    .option('--all', 'of all users together (administrators)')
    .action(async (options: GatewayOptions & OutputOptions & { days: number; by: Grouping; all?: true }) => {
      const { call } = await openConversations(options, terminal);
      const { days, by, all } = options;
      const usage = await call(getConsoleUsage, {
        query: { days, tz_offset_minutes: -new Date().getTimezoneOffset(), scope: all ? 'all' : 'own' },
      });
      if (options.output === 'json') return printJson(terminal, usage);
      print(usage, by, terminal);
      const { total_tokens: tokens, total_runs: runs, total_tasks: tasks } = usage;
      terminal.stderr.write(
        `${tokens} tokens in ${runs} runs, ${tasks} tasks of agents, ${totalCost(usage)}\n`,
      );
    });
  describeGatewayCommand(command, {
    purpose: 'show tokens, runs, tasks and costs of the last days',
    examples: [
      'switchyard usage',
      'switchyard usage --by model --days 30',
      'switchyard usage --all --by user -o json',
    ],
    exits: ['ok', 'auth', 'unreachable'],
  });
}

function print(usage: ConsoleUsage, by: Grouping, terminal: Terminal): void {
  const none = 'Nothing was used.';
  switch (by) {
    case 'day':
      printTable(terminal, {
        columns: [
          { title: 'DAY', of: ({ date }) => date },
          { title: 'RUNS', of: ({ runs }) => runs },
          { title: 'TOKENS', of: ({ total_tokens: tokens }) => tokens },
          { title: 'COST', of: ({ cost }) => cost },
        ],
        rows: usage.days.filter(({ runs, total_tokens: tokens }) => runs + tokens > 0),
        none,
      });
      return;
    case 'model':
      printTable(terminal, {
        columns: [
          { title: 'MODEL', of: ([name]) => name },
          { title: 'RUNS', of: ([, { runs }]) => runs },
          { title: 'TOKENS', of: ([, { tokens }]) => tokens },
          {
            title: 'COST',
            of: ([, { cost, currency }]) => (cost === null ? null : `${cost} ${currency ?? ''}`),
          },
        ],
        rows: Object.entries(usage.by_model),
        none,
      });
      return;
    case 'workflow':
      printTable(terminal, {
        columns: [
          { title: 'WORKFLOW', of: ({ workflow }) => workflow ?? '(no name)' },
          { title: 'TASKS', of: ({ tasks }) => tasks },
          { title: 'FAILED', of: ({ failed_tasks: failed }) => failed },
          { title: 'SECONDS', of: ({ task_seconds: seconds }) => Math.round(seconds) },
        ],
        rows: usage.by_workflow,
        none,
      });
      return;
    case 'user':
      printTable(terminal, {
        columns: [
          { title: 'USER', of: ({ user_id: id, email }) => email ?? id },
          { title: 'RUNS', of: ({ runs }) => runs },
          { title: 'TOKENS', of: ({ tokens }) => tokens },
          { title: 'COST', of: ({ cost }) => cost },
        ],
        rows: usage.by_user,
        none,
      });
      return;
  }
}

/** Returns the cost with its currency. Without prices it stays unknown. */
function totalCost({ total_cost: cost, currency, unpriced_tokens: unpriced }: ConsoleUsage): string {
  if (cost !== null) return `${cost} ${currency ?? ''}`.trim();
  return unpriced > 0 ? `cost unknown: ${unpriced} tokens have no price` : 'cost unknown';
}
