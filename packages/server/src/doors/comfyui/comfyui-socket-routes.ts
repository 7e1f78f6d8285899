import type { Server } from 'node:http';
import websocket from '@fastify/websocket';
import { pushCloseCodes, pushLimits } from '@switchyard/contract/dispatch/push';
import { comfyuiSocket } from '@switchyard/contract/doors/comfyui';
import { isRecord } from '@switchyard/contract/is-record';
import type { FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { PushSocket } from '../../dispatch/push/push-socket.ts';
import { identityOf } from '../../http/access/guard.ts';
import type { Identity } from '../../http/access/identity.ts';
import type { Routes } from '../../http/app.ts';
import type { Admission } from '../../http/body/admission.ts';
import { webSocketUpgrades } from '../../http/exchange/upgrades.ts';
import { routedAddress } from '../../http/path-token.ts';
import { keepAlive } from '../../http/streams/keep-alive.ts';
import type { OpenStreams } from '../../http/streams/open-streams.ts';
import { AppError } from '../../lib/app-error.ts';
import { newId } from '../../lib/ids.ts';
import { comfyuiErrorText } from './comfyui-errors.ts';
import type { PromptClient, PromptFeed } from './prompt-feed.ts';
import { featuresOf, frame } from './prompt-frames.ts';

interface SocketOptions {
  feed: PromptFeed;
  openStreams: OpenStreams;
  admission: Pick<Admission, 'countSocket'>;
  /** Aborts when the token behind an identity has ended. */
  endOf: (identity: Identity) => { signal: AbortSignal; release: () => void };
  socketsPerUser: number;
  uploadBytes: number;
  /** The prefix of each address on the listener of the page. */
  base?: string;
}

/** Clients use a UUID or a short name. */
const maxClientIdLength = 200;

/** The socket of clients of ComfyUI. The guard has identified the caller by a header before the protocol is switched. */
export function comfyuiSocketRoutes(options: SocketOptions): Routes {
  const { base = '' } = options;
  return (app) => {
    app.register(websocket, {
      options: {
        // The plugin only listens to it.
        server: webSocketUpgrades(
          app.server,
          (path) => routedAddress(base + path) === comfyuiSocket.url,
        ) as Server,
        maxPayload: pushLimits.clientMessageBytes,
        perMessageDeflate: false,
      },
    });
    app.after(() => {
      app.route({
        ...comfyuiSocket,
        config: { ...comfyuiSocket.config, errorAnswer: comfyuiErrorText },
        preValidation: async (request) => {
          if (request.ws) requirePlace(request, options);
        },
        handler: async (_request, reply) => {
          reply.header('upgrade', 'websocket');
          if (!reply.hasHeader('connection')) reply.header('connection', 'upgrade');
          throw new AppError('upgrade_required');
        },
        wsHandler: (socket, request) => {
          options.admission.countSocket(request);
          serve(socket, request, options).catch(() => socket.terminate());
        },
      });
    });
  };
}

function requirePlace(request: FastifyRequest, { feed, socketsPerUser }: SocketOptions): void {
  if (clientIdOf(request).length > maxClientIdLength)
    throw new AppError('body_malformed', {
      message: `clientId has more than ${maxClientIdLength} characters.`,
    });
  if (feed.countOf(identityOf(request).userId) < socketsPerUser) return;
  throw new AppError('rate_limited', { message: `At most ${socketsPerUser} sockets a user.` });
}

async function serve(socket: WebSocket, request: FastifyRequest, options: SocketOptions): Promise<void> {
  const { feed, openStreams, endOf } = options;
  const identity = identityOf(request);
  const stream = openStreams.open('socket', request);
  const end = endOf(identity);
  const push = new PushSocket(socket, {
    connection: request.raw.socket,
    userId: identity.userId,
    seesAll: false,
  });
  const client: PromptClient = {
    push,
    userId: identity.userId,
    clientId: clientIdOf(request) || newId().replaceAll('-', ''),
    readsPreviewMetadata: false,
  };
  const stopPings = keepAlive(socket, pushLimits.pingIntervalMs);
  end.signal.addEventListener('abort', () =>
    push.close(pushCloseCodes.unauthenticated, 'The token has ended.'),
  );
  stream.signal.addEventListener('abort', () => push.close(1001, 'The gateway is shutting down.'));
  socket.once('close', () => {
    feed.remove(client);
    stopPings();
    end.release();
    stream.close();
  });
  socket.on('error', () => socket.terminate());
  // Only the first message has a meaning, as in ComfyUI: the page announces what it can read.
  socket.once('message', (data) => noteFeatures(String(data), client, options));
  await feed.add(client);
}

function noteFeatures(text: string, client: PromptClient, { uploadBytes }: SocketOptions): void {
  const message = parse(text);
  if (message?.type !== 'feature_flags' || !isRecord(message.data)) return;
  client.readsPreviewMetadata = message.data.supports_preview_metadata === true;
  client.push.offer({
    ...frame('feature_flags', featuresOf(uploadBytes)),
    topic: 'tasks',
    owner: client.userId,
    taskId: null,
  });
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const message: unknown = JSON.parse(text);
    return isRecord(message) ? message : null;
  } catch {
    // ComfyUI ignores what it cannot read.
    return null;
  }
}

function clientIdOf(request: FastifyRequest): string {
  const { clientId } = request.query as Record<string, unknown>;
  return typeof clientId === 'string' ? clientId : '';
}
