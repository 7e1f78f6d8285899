import { getSystem, retryJob, type SystemReport } from '@switchyard/contract/system';
import type { Command } from 'commander';
import type { GatewayOptions } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { openGateway } from '../open-gateway.ts';
import { type OutputOptions, printJson } from '../output.ts';
import { describeSystem } from '../system-details.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';

type Options = GatewayOptions & OutputOptions;

export function addSystemCommand(program: Command, terminal: Terminal): void {
  const command = program.command('system');
  describeCommand(command, {
    purpose: 'show how the gateway is, and try dead jobs again (administrators)',
    examples: ['switchyard system show', 'switchyard system retry-job 0196a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b'],
  });
  addShow(command, terminal);
  addRetry(command, terminal);
}

function addShow(parent: Command, terminal: Terminal): void {
  const command = parent.command('show', { isDefault: true }).action(async (options: Options) => {
    const { call } = await openGateway(options, terminal);
    const report: SystemReport = await call(getSystem);
    if (options.output === 'json') printJson(terminal, report);
    else terminal.stdout.write(describeSystem(report));
  });
  describeGatewayCommand(command, {
    purpose: 'show versions, dependencies, replicas, dead jobs, storage, and what will be deleted next',
    examples: ['switchyard system', 'switchyard system -o json'],
    exits: ['ok', 'auth', 'unreachable'],
  });
}

function addRetry(parent: Command, terminal: Terminal): void {
  const command = parent.command('retry-job <id>').action(async (jobId: string, options: Options) => {
    const { call } = await openGateway(options, terminal);
    const retried = await call(retryJob, { params: { jobId } });
    if (options.output === 'json') return printJson(terminal, retried);
    const said = {
      waiting: `${jobId} waits again, and is tried at once.`,
      replaced: `A newer job does the same; ${jobId} is gone.`,
    };
    terminal.stderr.write(`${said[retried.outcome]}\n`);
  });
  describeGatewayCommand(command, {
    purpose: 'try a dead job again',
    examples: ['switchyard system retry-job 0196a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b'],
    exits: ['ok', 'auth', 'not_found', 'unreachable'],
  });
}
