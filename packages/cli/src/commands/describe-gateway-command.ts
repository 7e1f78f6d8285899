import type { Command } from 'commander';
import { addGatewayOptions, gatewayEnvironment } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { addOutputOption } from '../output.ts';
import { addPasswordOptions } from '../password-session.ts';

/** The options and the help that commands have in common which ask a gateway and print data. */
export function describeGatewayCommand(command: Command, text: Parameters<typeof describeCommand>[1]): void {
  addOutputOption(addGatewayOptions(command));
  describeCommand(command, {
    environment: gatewayEnvironment,
    exits: ['ok', 'failed', 'auth', 'not_found', 'unreachable'],
    ...text,
  });
}

/** Does the same for commands that ask for the password of the caller. */
export function describePasswordCommand(command: Command, text: Parameters<typeof describeCommand>[1]): void {
  addOutputOption(addPasswordOptions(command));
  describeCommand(command, {
    environment: { SWITCHYARD_URL: 'as --url' },
    exits: ['ok', 'usage', 'auth', 'not_found', 'unreachable', 'cancelled'],
    ...text,
  });
}
