import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from './self-signed.ts';

export interface ScriptedServer {
  port: number;
  server: Server;
  /** Every request so far, as `METHOD /path` without the query. */
  requests: string[];
  /** The newest request with its body, once one has come in. */
  next: () => Promise<IncomingMessage>;
  close: () => Promise<void>;
}

/** A server that answers exactly as a test decides, for answers that no correct worker sends. */
export async function startScriptedServer(
  script: (request: IncomingMessage, response: ServerResponse) => void,
  options: { tls?: boolean } = {},
): Promise<ScriptedServer> {
  const requests: string[] = [];
  const waiting: ((request: IncomingMessage) => void)[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push(`${request.method} ${request.url?.split('?', 1)[0]}`);
    for (const wake of waiting.splice(0)) wake(request);
    script(request, response);
  };
  const server = options.tls ? createTlsServer(selfSigned, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    server,
    requests,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
