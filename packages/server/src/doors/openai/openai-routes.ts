import { openaiBase, openaiImages, openaiModelOfId, openaiModels } from '@switchyard/contract/doors/openai';
import type { FastifyReply } from 'fastify';
import { type Guard, identityOf, isAdmin } from '../../http/access/guard.ts';
import type { App, Routes } from '../../http/app.ts';
import { traceOf } from '../../http/exchange/request-traces.ts';
import { refuseOtherMethod } from '../../http/shell/not-found.ts';
import { onClientGone, replyWhenKnown, whileOpen } from '../../http/streams/held-answer.ts';
import type { OpenStreams } from '../../http/streams/open-streams.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Images } from './images.ts';
import type { Download } from './input-pictures.ts';
import type { ModelList } from './model-list.ts';
import { OpenaiRefusal, openaiErrorAnswer, openaiErrorBody } from './openai-errors.ts';
import { addTalk, type OpenaiTalk } from './talk-routes.ts';

export interface OpenaiRoutesOptions {
  list: ModelList;
  /** Null when this gateway has no agents. */
  talk: OpenaiTalk | null;
  /** Null when this gateway has no pool. */
  images: Images | null;
  download: Download;
  openStreams: OpenStreams;
  guard: Pick<Guard, 'originOf'>;
  clock: Clock;
}

const errorAnswer = (error: AppError) => openaiErrorAnswer(error);

/** The calls of OpenAI's clients. */
export function openaiRoutes(options: OpenaiRoutesOptions): Routes {
  const { list, talk, images } = options;
  return (app) => {
    app.addHook('onRoute', (route) => {
      route.config = { errorAnswer, ...route.config };
    });
    app.route({
      ...openaiModels,
      handler: async (request) => ({ object: 'list' as const, data: await list.all(identityOf(request)) }),
    });
    app.route({
      ...openaiModelOfId,
      handler: async (request) => list.find(identityOf(request), request.params.model),
    });
    if (talk) addTalk(app, { ...options, talk });
    if (images) addImages(app, { ...options, images });
    addRest(app, list);
  };
}

function addImages(
  app: App,
  { images, openStreams, guard, clock }: OpenaiRoutesOptions & { images: Images },
): void {
  app.route({
    ...openaiImages,
    handler: async (request, reply) => {
      await whileOpen({ openStreams, request }, 'held_request', async (open) => {
        const identity = identityOf(request);
        const { userId } = identity;
        const origin = guard.originOf(request);
        const tasks = await images.submit(request.body, {
          userId,
          byAdmin: isAdmin(identity),
          origin,
          requestId: request.id,
          traceparent: traceOf(request),
          idempotencyKey: null,
        });
        onClientGone(open.signal, () => images.stop(userId, tasks));
        const as = request.body.response_format ?? 'url';
        const answer = images
          .picturesOf(tasks, { userId, origin, as, signal: open.signal })
          .then((data) => ({
            text: JSON.stringify({ created: Math.floor(clock() / 1_000), data }),
            headers: {},
          }))
          .catch((error: unknown) => textOfFailure(error, reply, () => images.stop(userId, tasks)));
        await replyWhenKnown(request, reply, { answer, open });
      });
      return reply;
    },
  });
}

/** Once the status is sent, the body alone can say what went wrong. */
function textOfFailure(error: unknown, reply: FastifyReply, stop: () => void) {
  if (!(error instanceof AppError)) throw error;
  if (error instanceof OpenaiRefusal) stop();
  if (!reply.sent) throw error;
  return { text: JSON.stringify(openaiErrorBody(error)), headers: {} };
}

/** Refuses every other address. Some clients do not escape the slash in the name of a model. */
function addRest(app: App, list: ModelList): void {
  const config = { access: 'session', headerOnly: true, takesRest: true, errorAnswer } as const;
  for (const url of [openaiBase, `${openaiBase}/*`]) {
    app.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      url,
      config,
      handler: async (request, reply) => {
        const { '*': rest = '' } = request.params as { '*'?: string };
        if (request.method === 'GET' && rest.startsWith('models/'))
          return list.find(identityOf(request), rest.slice('models/'.length));
        refuseOtherMethod(request, reply, app);
        throw new AppError('route_not_found', {
          message: `This address is not there. Below ${openaiBase} there are models, chat/completions, responses and images/generations.`,
        });
      },
    });
  }
}
