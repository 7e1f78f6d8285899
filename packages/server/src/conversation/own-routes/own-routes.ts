import type { IncomingMessage } from 'node:http';
import { mounts } from '@switchyard/contract/conversation/mounts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AgentFault } from '../../agents/loading/agent-fault.ts';
import type { OwnWebApp } from '../../agents/loading/own-web-app.ts';
import type { CodeCaller, OwnCode } from '../../agents/own-code/own-code.ts';
import { type Guard, identityOf } from '../../http/access/guard.ts';
import type { Identity } from '../../http/access/identity.ts';
import type { Routes } from '../../http/app.ts';
import type { Admission } from '../../http/body/admission.ts';
import { pathOf } from '../../http/request-path.ts';
import { refuseOtherMethod } from '../../http/shell/not-found.ts';
import { whileOpen } from '../../http/streams/held-answer.ts';
import type { OpenStream, OpenStreams } from '../../http/streams/open-streams.ts';
import { AppError } from '../../lib/app-error.ts';
import { answerInTime } from './answer-in-time.ts';
import { type WebAnswer, webAnswerOf } from './web-answer.ts';
import { webRequestOf } from './web-request.ts';

const mount = mounts[1];
/** The wildcard does not match the mount itself, which is the root of the app. */
const urls = [mount, `${mount}/*`];
const methods = [
  { method: ['GET', 'HEAD'], access: 'conversation:read' },
  { method: ['POST', 'PUT', 'PATCH', 'DELETE'], access: 'conversation:write' },
] as const;

/**
 * The routes of the app in `langgraph.json`. They get the paths below the mount that no route of the gateway has, behind the
 * same sign-in, CSRF check and limits.
 */
export function ownRoutes({
  webApp,
  ownCode,
  openStreams,
  guard,
  admission,
}: {
  webApp: Pick<OwnWebApp, 'value'>;
  ownCode: Pick<OwnCode, 'begin'>;
  openStreams: Pick<OpenStreams, 'open'>;
  guard: Pick<Guard, 'originOf'>;
  admission: Pick<Admission, 'readBody'>;
}): Routes {
  const answer = async (request: FastifyRequest, reply: FastifyReply, open: OpenStream): Promise<void> => {
    const work = ownCode.begin(codeCallerOf(identityOf(request)));
    const close = (): void => {
      work.end();
      open.close();
    };
    try {
      // Its body is read here as well, because a body may be made while it is read.
      await work.run(() => ask(request, reply, { signal: open.signal, close }));
    } catch (error) {
      work.end();
      throw error;
    }
  };

  const ask = async (request: FastifyRequest, reply: FastifyReply, open: OpenStream): Promise<void> => {
    const handler = await webApp.value().catch(refuseFaulty);
    const asked = webRequestOf(request, {
      origin: guard.originOf(request),
      prefix: mount,
      userId: identityOf(request).userId,
      signal: open.signal,
    });
    const response = await answerInTime(handler(asked), open.signal);
    if (response.status === 404 && isOfGateway(request)) {
      await response.body?.cancel();
      throw new AppError('route_not_found');
    }
    send(reply, webAnswerOf(response, open.signal), open);
  };

  return (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (request: FastifyRequest, body: IncomingMessage) =>
      admission.readBody(request, body),
    );
    for (const url of urls) {
      for (const { method, access } of methods) {
        app.route({
          method: [...method],
          url,
          config: { access, bodyLimit: 'large', takesRest: true },
          handler: async (request, reply) => {
            refuseOtherMethod(request, reply, app);
            await whileOpen({ openStreams, request }, 'events', (open) => answer(request, reply, open));
            return reply;
          },
        });
      }
    }
  };
}

/**
 * Returns whether the gateway has routes beside this path, as below `/threads`. What an app says about addresses that it does not
 * know must not stand for the gateway there: clients look for a route that is missing.
 */
function isOfGateway(request: FastifyRequest): boolean {
  const [first = ''] = pathOf(request)
    .slice(mount.length + 1)
    .split('/', 1);
  return first !== '' && request.server.hasRoutesBelow(`${mount}/${first}`);
}

/** The code may do at most what the credential of its caller allows. */
function codeCallerOf({ userId, custom, scopes }: Identity): CodeCaller {
  return { userId, authUser: custom ?? null, mayWrite: scopes?.includes('conversation:write') ?? true };
}

function refuseFaulty(error: unknown): never {
  const { message } = AgentFault.from(error);
  throw new AppError('custom_route_failed', {
    cause: error,
    message: `The app of langgraph.json cannot be loaded. ${message}`,
  });
}

function send(reply: FastifyReply, { status, headers, body }: WebAnswer, open: OpenStream): void {
  reply.code(status);
  for (const [name, value] of headers) reply.header(name, value);
  if (body === null || reply.request.method === 'HEAD') {
    open.close();
    body?.destroy();
    reply.send();
    return;
  }
  body.once('close', () => open.close());
  reply.send(body);
}
