import type { InstanceOutlook, TaskWhy } from '@switchyard/contract/dispatch/task-why';
import { whyTask } from '@switchyard/contract/dispatch/task-why';
import type { Command } from 'commander';
import type { GatewayOptions } from '../gateway-options.ts';
import { openGateway } from '../open-gateway.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import { type Column, details } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';

export function addWhyCommand(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('why <id>')
    .action(async (taskId: string, options: GatewayOptions & OutputOptions) => {
      const { call } = await openGateway(options, terminal);
      const why = await call(whyTask, { params: { taskId } });
      if (options.output === 'json') return printJson(terminal, why);
      terminal.stdout.write(`${why.waiting}\n`);
      const facts = details(factsOf(why));
      if (facts !== '') terminal.stdout.write(`\n${facts}`);
      if (why.instances.length === 0) return;
      terminal.stdout.write('\n');
      printTable(terminal, { columns: outlookColumns, rows: why.instances, none: '' });
    });
  describeGatewayCommand(command, {
    purpose: 'say why a task waits, what is ahead of it, and what would help',
    examples: ['switchyard tasks why 0196a1b2-0000-7000-8000-000000000000'],
  });
}

function factsOf({
  position,
  ahead,
  retryAt,
  runsOn,
  eta,
  help,
}: TaskWhy): [string, string | number | null][] {
  const { higherPriority = 0, own = 0, others = 0 } = ahead ?? {};
  return [
    ['position', position],
    ['ahead', ahead && `${higherPriority} of higher priority, ${own} of the same user, ${others} of others`],
    ['placed again', retryAt],
    ['runs on', runsOn && `${runsOn.instanceId} since ${runsOn.since}`],
    ['done', eta && `between ${eta.from} and ${eta.to}`],
    ...help.map((sentence): [string, string] => ['would help', sentence]),
  ];
}

export const outlookColumns: Column<InstanceOutlook>[] = [
  { title: 'INSTANCE', of: ({ instanceId }) => instanceId },
  { title: 'SERVER', of: ({ serverName }) => serverName },
  { title: 'COULD RUN IT', of: ({ couldRun }) => (couldRun ? 'yes' : 'no') },
  { title: 'WHY NOT NOW', of: ({ reasons }) => reasons.map(({ message }) => message).join(' ') || null },
];
