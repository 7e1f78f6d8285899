import { type Client, createClient } from '@switchyard/client/client';
import { getLiveness } from '@switchyard/contract/meta';
import { CommandError } from './exit-codes.ts';
import { findGateway } from './gateway-address.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { Terminal } from './terminal.ts';

/** Returns a client of the gateway that the options name, with the credentials that are available. */
export async function openGateway(options: GatewayOptions, terminal: Terminal): Promise<Client> {
  const { url, token } = findGateway(options, terminal);
  const { WebSocket } = await import('ws');
  return createClient({ baseUrl: url, token, WebSocket });
}

/**
 * The same for conversations. Without a token the gateway would treat the caller as a browser without its CSRF header,
 * and that error does not help a user of the command line.
 */
export async function openConversations(options: GatewayOptions, terminal: Terminal): Promise<Client> {
  const { url, token } = findGateway(options, terminal);
  if (token !== undefined) return openGateway(options, terminal);
  await requireGateway(url);
  throw new CommandError('auth', `You are not signed in to ${url}. Sign in with: switchyard login`);
}

/** Fails when no gateway answers, before the user is asked to sign in. */
export async function requireGateway(url: string): Promise<void> {
  await createClient({ baseUrl: url }).call(getLiveness);
}
