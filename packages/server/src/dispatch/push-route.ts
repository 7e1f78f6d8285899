import type { IncomingMessage, Server } from 'node:http';
import websocket from '@fastify/websocket';
import { type ClientMessage, openPush, pushCloseCodes, pushLimits } from '@switchyard/contract/dispatch/push';
import type { FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { App, Routes } from '../http/app.ts';
import { type Guard, isAdmin } from '../http/guard.ts';
import type { Authenticator, Identity } from '../http/identity.ts';
import type { OpenStreams } from '../http/open-streams.ts';
import { webSocketUpgrades } from '../http/upgrades.ts';
import { AppError } from '../lib/app-error.ts';
import { systemTimer } from '../lib/async/timer.ts';
import type { Clock } from '../lib/clock.ts';
import { encodeFrame } from './push-frames.ts';
import type { PushHub } from './push-hub.ts';
import { ClientMessages } from './push-messages.ts';
import { PushSocket } from './push-socket.ts';

interface PushRouteOptions {
  hub: PushHub;
  guard: Pick<Guard, 'identify' | 'checkOrigin'>;
  authenticator: Authenticator;
  openStreams: OpenStreams;
  /** Aborts when the session or token behind an identity has ended. */
  endOf: (identity: Identity) => { signal: AbortSignal; release: () => void };
  clock: Clock;
  socketsPerUser: number;
}

const mayListen = 'dispatch:read';

export function pushRoute(options: PushRouteOptions): Routes {
  return (app) => {
    app.register(websocket, {
      options: {
        // The plugin only ever listens to it.
        server: webSocketUpgrades(app.server, openPush.url) as Server,
        maxPayload: pushLimits.clientMessageBytes,
        perMessageDeflate: false,
        handleProtocols: (protocols: Set<string>) => (protocols.has('bearer') ? 'bearer' : false),
      },
    });
    app.after(() => addRoute(app, options));
  };
}

function addRoute(app: App, options: PushRouteOptions): void {
  app.route({
    ...openPush,
    handler: async (_request, reply) => {
      reply.header('upgrade', 'websocket');
      if (!reply.hasHeader('connection')) reply.header('connection', 'upgrade');
      throw new AppError('upgrade_required');
    },
    wsHandler: (socket, request) => {
      serve(socket, request, options).catch(() => socket.terminate());
    },
  });
}

async function serve(socket: WebSocket, request: FastifyRequest, options: PushRouteOptions): Promise<void> {
  const messages = new ClientMessages(socket);
  const identity = await signIn(request, messages, options);
  if (!identity) {
    socket.close(pushCloseCodes.unauthenticated, 'Sign in first, with a token that is valid.');
    return;
  }
  if (options.hub.countOf(identity.userId) >= options.socketsPerUser) {
    socket.close(pushCloseCodes.tooManySockets, `At most ${options.socketsPerUser} sockets a user.`);
    return;
  }
  await listen(socket, request, { identity, messages, options });
}

interface Listening {
  identity: Identity;
  messages: ClientMessages;
  options: PushRouteOptions;
}

async function listen(
  socket: WebSocket,
  request: FastifyRequest,
  { identity, messages, options }: Listening,
): Promise<void> {
  const { hub, openStreams, endOf, clock } = options;
  const stream = openStreams.open('socket', request);
  const end = endOf(identity);
  const push = new PushSocket(socket, { userId: identity.userId, seesAll: isAdmin(identity) });
  const stopPings = keepAlive(socket);
  const stopExpiry =
    identity.expiresAtMs === null
      ? () => undefined
      : systemTimer(
          () => push.close(pushCloseCodes.unauthenticated, 'The token has expired.'),
          identity.expiresAtMs - clock(),
        );
  end.signal.addEventListener('abort', () =>
    push.close(pushCloseCodes.unauthenticated, 'The session has ended.'),
  );
  stream.signal.addEventListener('abort', () => push.close(1001, 'The gateway is shutting down.'));
  socket.once('close', () => {
    hub.remove(push);
    stopPings();
    stopExpiry();
    end.release();
    stream.close();
  });
  messages.handle((message) => answer(socket, push, { message, clock }));
  await hub.add(push);
}

/** Undefined when no way of signing in was used rightly. */
async function signIn(
  request: FastifyRequest,
  messages: ClientMessages,
  { guard, authenticator }: PushRouteOptions,
): Promise<Identity | undefined> {
  try {
    const token = tokenOf(request.raw) ?? (request.headers.cookie ? undefined : await messages.token());
    if (token !== undefined)
      return permitted(await authenticator.authenticate({ kind: 'header', token }, 'dispatch'));
    guard.checkOrigin(request);
    return permitted(await guard.identify(request, 'dispatch'));
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function permitted(identity: Identity): Identity {
  if (identity.scopes === null || identity.scopes.includes(mayListen)) return identity;
  throw new AppError('scope_missing', { message: `The token lacks the scope ${mayListen}.` });
}

/** From the subprotocols, from the query, or from a header of a client that is no browser. */
function tokenOf({ headers, url }: IncomingMessage): string | undefined {
  const [scheme, token] = (headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim());
  if (scheme === 'bearer' && token) return token;
  const bearer = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  return bearer ?? new URL(url ?? '/', 'http://gateway').searchParams.get('token') ?? undefined;
}

function answer(
  socket: WebSocket,
  push: PushSocket,
  { message, clock }: { message: ClientMessage; clock: Clock },
): void {
  const timestamp = clock();
  switch (message.type) {
    case 'ping':
      socket.send(encodeFrame('pong', {}, { timestamp }));
      return;
    case 'subscribe': {
      const { topics, taskIds } = message.data ?? {};
      push.setFilter({ topics: topics ? new Set(topics) : null, taskIds: taskIds ? new Set(taskIds) : null });
      socket.send(encodeFrame('subscribed', { topics: topics ?? [], taskIds: taskIds ?? [] }, { timestamp }));
      return;
    }
    case 'auth':
      return;
  }
}

function keepAlive(socket: WebSocket): () => void {
  let isAnswered = true;
  socket.on('pong', () => {
    isAnswered = true;
  });
  const timer = setInterval(() => {
    if (!isAnswered) return socket.terminate();
    isAnswered = false;
    socket.ping();
  }, pushLimits.pingIntervalMs);
  return () => clearInterval(timer);
}
