import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** A part of the server that takes WebSockets at its own paths. */
interface Taker {
  takes: (path: string) => boolean;
  upgrades: EventEmitter;
}

const takersOf = new WeakMap<Server, Taker[]>();

/**
 * Emits `upgrade` for a WebSocket at one of these paths. An offer of another protocol, or at a path that no part of the server
 * takes, is ignored, as a server may do: the request returns to the server as one without the offer. Java's client offers
 * HTTP/2 with each first request, with or without a body.
 */
export function webSocketUpgrades(server: Server, takes: (path: string) => boolean): EventEmitter {
  const upgrades = new EventEmitter();
  const takers = takersOf.get(server) ?? listen(server);
  takers.push({ takes, upgrades });
  return upgrades;
}

function listen(server: Server): Taker[] {
  const takers: Taker[] = [];
  takersOf.set(server, takers);
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
    const path = request.url?.split('?', 1)[0]?.replace(/\/$/, '') ?? '';
    const taker = isWebSocket ? takers.find(({ takes }) => takes(path)) : undefined;
    if (taker?.upgrades.emit('upgrade', request, socket, head)) return;
    socket.unshift(Buffer.concat([plainHead(request), head]));
    server.emit('connection', socket);
  });
  return takers;
}

/** The bytes as they arrived. Node's parser has checked that no line holds another one. */
function plainHead({ method, url, httpVersion, headers, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!ofThisHop.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  if (/\bclose\b/i.test(headers.connection ?? '')) lines.push('Connection: close');
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

const ofThisHop = new Set(['connection', 'upgrade', 'http2-settings']);
