import { type Client, createClient } from '@switchyard/client/client';
import { getLiveness } from '@switchyard/contract/meta';
import { CommandError } from './exit-codes.ts';
import { findGateway } from './gateway-address.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { Terminal } from './terminal.ts';

/** A client of the gateway that is meant, with the credentials that there are. */
export async function openGateway(options: GatewayOptions, terminal: Terminal): Promise<Client> {
  const { url, token } = findGateway(options, terminal);
  const { WebSocket } = await import('ws');
  return createClient({ baseUrl: url, token, WebSocket });
}

/**
 * The same for conversations. Without a token the gateway takes the caller for a browser that forgot its CSRF header, and
 * says so, which helps nobody here.
 */
export async function openConversations(options: GatewayOptions, terminal: Terminal): Promise<Client> {
  const { url, token } = findGateway(options, terminal);
  if (token !== undefined) return openGateway(options, terminal);
  await requireGateway(url);
  throw new CommandError('auth', `You are not signed in to ${url}. Sign in with: switchyard login`);
}

/** Fails where no gateway answers, before anybody is asked to sign in to it. */
export async function requireGateway(url: string): Promise<void> {
  await createClient({ baseUrl: url }).call(getLiveness);
}
