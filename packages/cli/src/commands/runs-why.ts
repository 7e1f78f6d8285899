import { whyRun } from '@switchyard/contract/conversation/run-why';
import type { Command } from 'commander';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { openConversations } from '../open-gateway.ts';
import { addOutputOption, type OutputOptions, printJson } from '../output.ts';
import { details } from '../table.ts';
import type { Terminal } from '../terminal.ts';

export function addWhyOfRun(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('why <thread> <run>')
    .action(async (thread_id: string, run_id: string, options: GatewayOptions & OutputOptions) => {
      const { call } = await openConversations(options, terminal);
      const why = await call(whyRun, { params: { thread_id, run_id } });
      if (options.output === 'json') return printJson(terminal, why);
      terminal.stdout.write(`${why.waiting}\n`);
      const facts = details([
        ['position', why.position],
        ['starts', why.starts_at],
        ...why.tasks.map(({ task_id, waiting }): [string, string] => ['task', `${task_id}  ${waiting}`]),
      ]);
      if (facts !== '') terminal.stdout.write(`\n${facts}`);
    });
  addOutputOption(addGatewayOptions(command));
  describeCommand(command, {
    purpose: 'say what a run waits for',
    examples: [
      'switchyard runs why 4f7c2a10-5d3e-4f57-9c7e-0d5a3f1b2c4d 0196a1b2-0000-7000-8000-000000000000',
    ],
    environment: gatewayEnvironment,
    exits: ['ok', 'auth', 'not_found', 'unreachable'],
  });
}
