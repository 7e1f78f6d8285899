import type { IncomingMessage, Server } from 'node:http';
import websocket from '@fastify/websocket';
import { type ClientMessage, openPush, pushCloseCodes, pushLimits } from '@switchyard/contract/dispatch/push';
import type { FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { isAdmin } from '../../http/access/guard.ts';
import type { Identity } from '../../http/access/identity.ts';
import type { App, Routes } from '../../http/app.ts';
import { webSocketUpgrades } from '../../http/exchange/upgrades.ts';
import { keepAlive } from '../../http/streams/keep-alive.ts';
import { AppError } from '../../lib/app-error.ts';
import { systemTimer } from '../../lib/async/timer.ts';
import type { Clock } from '../../lib/clock.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import { encodeFrame } from './push-frames.ts';
import type { PushHub } from './push-hub.ts';
import { ClientMessages } from './push-messages.ts';
import { PushSocket } from './push-socket.ts';

interface PushRouteOptions
  extends Pick<DispatchParts, 'guard' | 'authenticator' | 'openStreams' | 'admission' | 'endOf' | 'clock'> {
  hub: PushHub;
  socketsPerUser: number;
}

const mayListen = 'dispatch:read';
/** The time that a socket which the gateway closes may take to close. */
const farewellMs = 1_000;

export function pushRoute(options: PushRouteOptions): Routes {
  return (app) => {
    app.register(websocket, {
      options: {
        // The plugin only listens to it.
        server: webSocketUpgrades(app.server, (path) => path === openPush.url) as Server,
        maxPayload: pushLimits.clientMessageBytes,
        perMessageDeflate: false,
        handleProtocols: (protocols: Set<string>) => (protocols.has('bearer') ? 'bearer' : false),
      },
    });
    app.after(() => addRoute(app, options));
  };
}

function addRoute(app: App, options: PushRouteOptions): void {
  const arrivals = new WeakMap<FastifyRequest, Arrival>();
  app.route({
    ...openPush,
    preValidation: async (request) => {
      if (request.ws) arrivals.set(request, await arrive(request, options));
    },
    handler: async (_request, reply) => {
      reply.header('upgrade', 'websocket');
      if (!reply.hasHeader('connection')) reply.header('connection', 'upgrade');
      throw new AppError('upgrade_required');
    },
    wsHandler: (socket, request) => {
      options.admission.countSocket(request);
      const arrival = arrivals.get(request);
      if (!arrival) return socket.terminate();
      serve(socket, request, { arrival, options }).catch(() => socket.terminate());
    },
  });
}

/** The facts about a client that are known before the protocol is switched. */
interface Arrival {
  /** Set when the request itself signs in. */
  identity: Identity | undefined;
  /** It may still sign in with its first message. */
  mayFollow: boolean;
  /** Releases its place among the clients that are not signed in. */
  release: () => void;
}

/**
 * Throws when there is no place; the protocol is then not switched. A signed-in user never takes the place of a client
 * that is not signed in.
 */
async function arrive(request: FastifyRequest, options: PushRouteOptions): Promise<Arrival> {
  const mayFollow = tokenOf(request.raw) === undefined && !request.headers.cookie;
  const identity = mayFollow ? undefined : await identityOfHead(request, options);
  const isListener = identity !== undefined && hasRoom(identity, options);
  const release = isListener ? () => undefined : options.admission.admitStranger(request);
  return { identity, mayFollow, release };
}

function hasRoom({ userId }: Identity, { hub, socketsPerUser }: PushRouteOptions): boolean {
  return hub.countOf(userId) < socketsPerUser;
}

async function serve(
  socket: WebSocket,
  request: FastifyRequest,
  { arrival, options }: { arrival: Arrival; options: PushRouteOptions },
): Promise<void> {
  const messages = new ClientMessages(socket);
  const identity = arrival.mayFollow ? await identityOfMessage(messages, options) : arrival.identity;
  if (!identity) {
    dismiss(socket, pushCloseCodes.unauthenticated, 'Sign in first, with a token that is valid.');
    return;
  }
  if (!hasRoom(identity, options)) {
    dismiss(socket, pushCloseCodes.tooManySockets, `At most ${options.socketsPerUser} sockets a user.`);
    return;
  }
  arrival.release();
  await listen(socket, request, { identity, messages, options });
}

/** Sends the reason and does not wait until the client takes it: until then it would hold a place that others need. */
function dismiss(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  const cancel = systemTimer(() => socket.terminate(), farewellMs);
  socket.once('close', cancel);
}

async function listen(
  socket: WebSocket,
  request: FastifyRequest,
  {
    identity,
    messages,
    options,
  }: { identity: Identity; messages: ClientMessages; options: PushRouteOptions },
): Promise<void> {
  const { hub, openStreams, endOf, clock } = options;
  const stream = openStreams.open('socket', request);
  const end = endOf(identity);
  const push = new PushSocket(socket, {
    connection: request.raw.socket,
    userId: identity.userId,
    seesAll: isAdmin(identity),
    hearsOfThreads: identity.scopes === null || identity.scopes.includes('conversation:read'),
  });
  const stopPings = keepAlive(socket, pushLimits.pingIntervalMs);
  end.signal.addEventListener('abort', () =>
    push.close(pushCloseCodes.unauthenticated, 'The session has ended.'),
  );
  stream.signal.addEventListener('abort', () => push.close(1001, 'The gateway is shutting down.'));
  socket.once('close', () => {
    hub.remove(push);
    stopPings();
    end.release();
    stream.close();
  });
  messages.handle((message) => answer(socket, push, { message, clock }));
  await hub.add(push, cursorOf(request.raw));
}

/** Reads a header, the query or the cookie; returns undefined when none of them is valid. */
async function identityOfHead(
  request: FastifyRequest,
  options: PushRouteOptions,
): Promise<Identity | undefined> {
  const { guard } = options;
  return orNone(async () => {
    const token = tokenOf(request.raw);
    if (token !== undefined) return identityOfToken(token, options);
    guard.checkOrigin(request);
    return permitted(await guard.identify(request, 'dispatch'));
  });
}

/** Reads the first message; returns undefined when none arrives in time, or it is wrong. */
async function identityOfMessage(
  messages: ClientMessages,
  options: PushRouteOptions,
): Promise<Identity | undefined> {
  return orNone(async () => identityOfToken(await messages.token(), options));
}

async function identityOfToken(token: string, { authenticator }: PushRouteOptions): Promise<Identity> {
  return permitted(await authenticator.authenticate({ kind: 'header', token }, 'dispatch'));
}

async function orNone(signIn: () => Promise<Identity>): Promise<Identity | undefined> {
  try {
    return await signIn();
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function permitted(identity: Identity): Identity {
  if (identity.scopes === null || identity.scopes.includes(mayListen)) return identity;
  throw new AppError('scope_missing', { message: `The token lacks the scope ${mayListen}.` });
}

/** Reads the subprotocols, the query, or a header of a client that is not a browser. */
function tokenOf({ headers, url }: IncomingMessage): string | undefined {
  const [scheme, token] = (headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim());
  if (scheme === 'bearer' && token) return token;
  const bearer = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  return bearer ?? new URL(url ?? '/', 'http://gateway').searchParams.get('token') ?? undefined;
}

/** Returns the cursor of what the client has seen last; null when it begins. */
function cursorOf({ url }: IncomingMessage): string | null {
  const cursor = new URL(url ?? '/', 'http://gateway').searchParams.get('cursor');
  return cursor === null || cursor === '' ? null : cursor.slice(0, pushLimits.cursorLength);
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
