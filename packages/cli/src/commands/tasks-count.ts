import { countTasks } from '@switchyard/contract/dispatch/tasks';
import type { Command } from 'commander';
import type { GatewayOptions } from '../gateway-options.ts';
import { openGateway } from '../open-gateway.ts';
import { moment } from '../option-values.ts';
import { type OutputOptions, printJson } from '../output.ts';
import { details } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';

interface CountOptions extends GatewayOptions, OutputOptions {
  instance?: string;
  tag?: string;
  search?: string;
  since?: string;
}

export function addCountCommand(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('count')
    .option('--instance <id>', 'only those of this instance')
    .option('--tag <tag>', 'only those with this tag')
    .option('--search <text>', 'part of the name, or the start of the id')
    .option('--since <moment>', 'only those since then: a time, or how long ago (2h)', (text) => moment(text))
    .action(async (options: CountOptions) => {
      const { call } = await openGateway(options, terminal);
      const { instance: instanceId, tag, search: q, since } = options;
      const counts = await call(countTasks, { query: { instanceId, tag, q, since } });
      if (options.output === 'json') return printJson(terminal, counts);
      const { pending, running, completed, failed, cancelled, countIsMinimum } = counts;
      const ofThese = { 'of them cancelled': `${cancelled}${counts.cancelledIsMinimum ? ' or more' : ''}` };
      terminal.stdout.write(details(Object.entries({ pending, running, completed, failed, ...ofThese })));
      if (countIsMinimum) terminal.stdout.write(`A count stops at ${counts.maxCount}.\n`);
    });
  describeGatewayCommand(command, {
    purpose: 'count tasks by their status',
    examples: ['switchyard tasks count', 'switchyard tasks count --tag nightly --since 24h'],
  });
}
