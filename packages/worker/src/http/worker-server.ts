import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setInterval as every } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import type { Faults, HttpFault } from '../faults.ts';
import type { ClientSockets } from '../socket/client-sockets.ts';
import { type Call, type Route, sendEmpty, sendText } from './call.ts';
import { HttpError, serverTrouble } from './http-error.ts';
import { isForbiddenOrigin, isLoopbackAddress } from './origin-guard.ts';
import { drain } from './request-body.ts';

/** HTTP and WebSocket on one port. An error of a handler becomes an answer here. */
export class WorkerServer {
  readonly #tools;
  readonly #http: Server;
  readonly #upgrades: WebSocketServer;
  #port = 0;
  #comeback: NodeJS.Timeout | undefined;

  constructor(tools: {
    routes: readonly Route[];
    sockets: ClientSockets;
    faults: Faults;
    maxBodyBytes: number;
    host: string;
    log: (line: string) => void;
  }) {
    this.#tools = tools;
    this.#upgrades = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 });
    this.#http = createServer(
      { requestTimeout: 10 * 60_000, headersTimeout: 30_000 },
      (request, response) => {
        void this.#answer(request, response);
      },
    );
    this.#http.maxConnections = 1024;
    // The value of aiohttp, so that a dispatcher's connection is not cut between two polls.
    this.#http.keepAliveTimeout = 75_000;
    this.#http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#upgrade(request, { socket, head });
    });
  }

  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(port, this.#tools.host, () => {
        this.#http.off('error', reject);
        resolve();
      });
    });
    this.#port = (this.#http.address() as AddressInfo).port;
    return this.#port;
  }

  /** Stops listening and cuts every connection, as when a process is down. */
  async refuse(): Promise<void> {
    clearTimeout(this.#comeback);
    this.#tools.sockets.close();
    this.#http.closeAllConnections();
    await new Promise<void>((resolve) => this.#http.close(() => resolve()));
  }

  /** Ends `refuse` and listens on the same port again. */
  async accept(): Promise<void> {
    await this.listen(this.#port);
  }

  async refuseFor(durationMs: number): Promise<void> {
    await this.refuse();
    this.#comeback = setTimeout(() => {
      this.accept().catch((error: unknown) => this.#tools.log(`Cannot listen again: ${String(error)}`));
    }, durationMs);
  }

  async close(): Promise<void> {
    await this.refuse();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://worker');
    const path = withoutPrefix(url.pathname);
    const call: Call = { request, response, path, query: url.searchParams, params: {} };
    try {
      if (this.#isForbidden(request)) throw new HttpError(403);
      const fault = path.startsWith('/reference/') ? undefined : this.#takeFault(request, path);
      if (fault === undefined) await this.#dispatch(call);
      else await this.#misbehave(call, fault);
    } catch (error) {
      this.#answerError(call, error);
    }
  }

  async #dispatch(call: Call): Promise<void> {
    const match = findRoute(this.#tools.routes, call.request.method ?? 'GET', call.path);
    if (match === undefined) throw new HttpError(404, '404: Not Found');
    if (match === 'wrong_method') throw new HttpError(405, '405: Method Not Allowed');
    await match.route.handle({ ...call, params: match.params });
  }

  #answerError(call: Call, error: unknown): void {
    const { request, response } = call;
    if (request.destroyed && !request.complete) return;
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const isExpected = error instanceof HttpError;
    if (!isExpected && !(error instanceof SyntaxError))
      this.#tools.log(`${request.method} ${call.path}: ${String(error)}`);
    const { status, text } = isExpected ? error : new HttpError(500, serverTrouble);
    if (!request.complete) drain(request, this.#tools.maxBodyBytes);
    if (text === '') sendEmpty(call, status);
    else sendText(call, text, status);
  }

  #upgrade(request: IncomingMessage, { socket, head }: { socket: Duplex; head: Buffer }): void {
    socket.on('error', () => socket.destroy());
    const url = new URL(request.url ?? '/', 'http://worker');
    const refusal = this.#refusalOf(request, url.pathname);
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    this.#upgrades.handleUpgrade(request, socket, head, (webSocket) => {
      this.#tools.sockets.accept(webSocket, url.searchParams.get('clientId') ?? '');
    });
  }

  #refusalOf(request: IncomingMessage, path: string): string | undefined {
    if (this.#isForbidden(request)) return '403 Forbidden';
    if (withoutPrefix(path) !== '/ws') return '404 Not Found';
    return this.#tools.sockets.isFull ? '503 Service Unavailable' : undefined;
  }

  #isForbidden(request: IncomingMessage): boolean {
    return isForbiddenOrigin(request, { isLoopbackOnly: isLoopbackAddress(this.#tools.host) });
  }

  #takeFault(request: IncomingMessage, path: string): HttpFault | undefined {
    return this.#tools.faults.takeHttpFault(request.method ?? 'GET', path);
  }

  async #misbehave(call: Call, { effect, status = 500 }: HttpFault): Promise<void> {
    const { request, response } = call;
    switch (effect) {
      case 'garbage':
        return sendText(call, '\u0000\u0001}{ this is not what you asked for');
      case 'status':
        return sendText(call, serverTrouble, status);
      case 'reset':
        request.destroy();
        return;
      case 'hang':
        request.resume();
        return;
      case 'trickle':
        request.resume();
        return await trickle(response);
      case 'lose_response':
        // The handler writes to a response that is not connected to a socket.
        await this.#dispatch({ ...call, response: new ServerResponse(request) });
        request.socket.destroy();
    }
  }
}

async function trickle(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  for await (const _ of every(200)) {
    if (response.destroyed) return;
    response.write(' ');
  }
}

type Match = { route: Route; params: Record<string, string> } | 'wrong_method' | undefined;

/** ComfyUI serves every route with and without this prefix. */
function withoutPrefix(path: string): string {
  return path === '/api' || path.startsWith('/api/') ? path.slice(4) || '/' : path;
}

/** The GET route answers HEAD; Node leaves out the body. */
function findRoute(routes: readonly Route[], method: string, path: string): Match {
  const matches = routes.flatMap((route) => {
    const params = paramsOf(route.path, path);
    return params === undefined ? [] : [{ route, params }];
  });
  const wanted = method === 'HEAD' ? 'GET' : method;
  return (
    matches.find(({ route }) => route.method === wanted) ?? (matches.length > 0 ? 'wrong_method' : undefined)
  );
}

function paramsOf(pattern: string, path: string): Record<string, string> | undefined {
  const colon = pattern.indexOf(':');
  if (colon < 0) return pattern === path ? {} : undefined;
  const rest = path.slice(colon);
  if (!path.startsWith(pattern.slice(0, colon)) || rest === '' || rest.includes('/')) return undefined;
  const value = decoded(rest);
  return value === undefined ? undefined : { [pattern.slice(colon + 1)]: value };
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
