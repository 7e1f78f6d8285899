import type { Command } from 'commander';

/** The options that name the gateway that a command talks to. */
export interface GatewayOptions {
  url?: string;
  token?: string;
}

/** The part of the help that all commands with a gateway share. */
export const gatewayEnvironment = {
  SWITCHYARD_URL: 'address of the gateway, as --url',
  SWITCHYARD_TOKEN: 'token to send, as --token',
};

export function addGatewayOptions(command: Command): Command {
  return addUrlOption(command).option('--token <token>', 'token to send (default: that of the login)');
}

export function addUrlOption(command: Command): Command {
  return command.option(
    '--url <address>',
    'gateway (default: the one that runs in this data home, else the last login)',
  );
}
