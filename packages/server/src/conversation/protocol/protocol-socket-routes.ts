import type { Server } from 'node:http';
import websocket from '@fastify/websocket';
import { at, type Mount, mounts } from '@switchyard/contract/conversation/mounts';
import { openThreadSocket, protocolLimits } from '@switchyard/contract/conversation/protocol';
import type { FastifyRequest } from 'fastify';
import type { DecideCall } from '../../http/access/custom-calls.ts';
import { type Guard, identityOf, ownerOf } from '../../http/access/guard.ts';
import type { Identity } from '../../http/access/identity.ts';
import type { App, Routes } from '../../http/app.ts';
import type { Admission } from '../../http/body/admission.ts';
import { webSocketUpgrades } from '../../http/exchange/upgrades.ts';
import type { OpenStreams } from '../../http/streams/open-streams.ts';
import { AppError } from '../../lib/app-error.ts';
import { once } from '../../lib/once.ts';
import { Shares } from '../../lib/shares.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import type { ThreadCommands } from './commands.ts';
import { SocketCaller } from './socket-caller.ts';
import type { ThreadEvents } from './thread-events.ts';
import { ThreadSocket } from './thread-socket.ts';

export interface ProtocolSocketsOptions {
  commands: ThreadCommands;
  events: ThreadEvents;
  access: Pick<ThreadAccess, 'require'>;
  guard: Pick<Guard, 'checkOrigin' | 'identify'>;
  admission: Pick<Admission, 'countSocket'>;
  openStreams: Pick<OpenStreams, 'open'>;
  endOf: (identity: Identity) => { signal: AbortSignal; release: () => void };
  /** Asks the operator's `on` handlers; null when langgraph.json has no auth. */
  decide: DecideCall | null;
}

/** For all users together; a gateway holds fewer connections than this anyway. */
const maxSockets = 10_000;

/** WebSockets of LangGraph's second protocol, at both mounts. */
export function protocolSockets(options: ProtocolSocketsOptions): Routes {
  const shares = new Shares({ each: protocolLimits.socketsPerUser, together: maxSockets });
  return (app) => {
    app.register(websocket, {
      options: {
        // The plugin only listens to it.
        server: webSocketUpgrades(app.server, isSocketPath) as Server,
        maxPayload: protocolLimits.socketMessageBytes,
        perMessageDeflate: false,
      },
    });
    app.after(() => {
      for (const mount of mounts) addRoute(app, mount, { ...options, shares });
    });
  };
}

function isSocketPath(path: string): boolean {
  return /^\/api(?:\/langgraph)?\/threads\/[^/]+\/stream\/events$/.test(path);
}

function addRoute(app: App, mount: Mount, options: ProtocolSocketsOptions & { shares: Shares }): void {
  const { commands, events, access, guard, admission, openStreams, endOf, decide, shares } = options;
  app.route({
    ...at(mount, openThreadSocket),
    preValidation: async (request: FastifyRequest) => {
      // A browser sends its cookie with a socket of any page, and no header of ours.
      if (request.ws && identityOf(request).via === 'cookie') guard.checkOrigin(request);
    },
    preHandler: async (request) => {
      const { thread_id: threadId } = request.params;
      const isSocket = Boolean(request.ws);
      await access.require(ownerOf(request), threadId, { mustExist: !isSocket });
      if (isSocket) takePlace(shares, request);
    },
    handler: async (_request, reply) => {
      reply.header('upgrade', 'websocket');
      if (!reply.hasHeader('connection')) reply.header('connection', 'upgrade');
      throw new AppError('upgrade_required');
    },
    wsHandler: (socket, request) => {
      admission.countSocket(request);
      const identity = identityOf(request);
      const { thread_id: threadId } = request.params as { thread_id: string };
      const open = openStreams.open('socket', request);
      const end = endOf(identity);
      new ThreadSocket(socket, {
        commands,
        events,
        caller: new SocketCaller({
          identity,
          mount,
          threadId,
          headers: request.headers,
          identify: () => guard.identify(request),
          decide,
        }),
        threadId,
        connection: request.raw.socket,
        over: [open.signal, end.signal],
        onFault: (error) => request.log.error({ err: error }, 'A command over a socket failed'),
      }).serve(() => {
        end.release();
        open.close();
      });
    },
  });
}

/** Takes a place from before the switch of protocols until the connection is closed. */
function takePlace(shares: Shares, request: FastifyRequest): void {
  const { userId } = identityOf(request);
  const outcome = shares.take(userId);
  if (outcome === 'all_full') throw new AppError('overloaded');
  if (outcome === 'own_share_full') {
    const message = `You have ${protocolLimits.socketsPerUser} sockets open, which is all you may have. Close some first.`;
    throw new AppError('rate_limited', { message });
  }
  const { socket } = request.raw;
  const give = once(() => shares.give(userId));
  socket.once('close', give);
  if (socket.destroyed) give();
}
