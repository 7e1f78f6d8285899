import type { Command } from 'commander';
import { describeCommand } from '../help.ts';
import type { Terminal } from '../terminal.ts';
import { addGatewayCommand, gatewayHelp } from './up.ts';

export function addDevCommand(program: Command, terminal: Terminal): void {
  describeCommand(addGatewayCommand(program, terminal, { name: 'dev', watchAgents: true }), {
    purpose: 'as up, and load your agents again when their files change',
    examples: ['switchyard dev', 'switchyard dev --home /tmp/try'],
    ...gatewayHelp,
  });
}
