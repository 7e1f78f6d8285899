import { type Client, createClient } from '@switchyard/client/client';
import { findGateway } from './gateway-address.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { Terminal } from './terminal.ts';

/** A client of the gateway that is meant, with the credentials that there are. */
export async function openGateway(options: GatewayOptions, terminal: Terminal): Promise<Client> {
  const { url, token } = findGateway(options, terminal);
  const { WebSocket } = await import('ws');
  return createClient({ baseUrl: url, token, WebSocket });
}
