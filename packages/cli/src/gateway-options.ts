import type { Command } from 'commander';

/** Which gateway a command talks to, as far as its options say. */
export interface GatewayOptions {
  url?: string;
  token?: string;
}

/** What the help of every command that talks to a gateway says about it. */
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
