import { openaiChat, openaiResponses } from '@switchyard/contract/doors/openai';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { runCallerOf } from '../../conversation/runs/run-caller.ts';
import { identityOf } from '../../http/access/guard.ts';
import type { App } from '../../http/app.ts';
import { arrivalOf } from '../../http/exchange/arrivals.ts';
import { traceOf } from '../../http/exchange/request-traces.ts';
import { onClientGone, replyWhenKnown, whileOpen } from '../../http/streams/held-answer.ts';
import type { OpenStreams } from '../../http/streams/open-streams.ts';
import { sendEvents } from '../../http/streams/sse.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AgentAnswers } from './agent-answers.ts';
import type { AnswerPart, AnswerRequest, StartedAnswer } from './answer.ts';
import { type AnswerForm, chatForm } from './chat-completions.ts';
import { chatRequestOf } from './chat-request.ts';
import { type Download, withPictures } from './input-pictures.ts';
import type { ModelAnswers } from './model-answers.ts';
import { plainPrefix, workflowPrefix } from './model-list.ts';
import { OpenaiRefusal, openaiErrorBody } from './openai-errors.ts';
import { responseForm } from './responses.ts';
import { responsesRequestOf, type ThreadOfRun } from './responses-request.ts';

export interface OpenaiTalk {
  agents: AgentAnswers;
  models: ModelAnswers;
  /** Returns the thread of a run of this user that is kept. */
  threadOfRun: (userId: string) => ThreadOfRun;
}

interface TalkOptions {
  talk: OpenaiTalk;
  download: Download;
  openStreams: OpenStreams;
  clock: Clock;
}

/** The two interfaces in which clients talk with agents and models. */
export function addTalk(app: App, options: TalkOptions): void {
  const { talk, openStreams, clock } = options;

  app.route({
    ...openaiChat,
    handler: async (request, reply) => {
      const { body } = request;
      const asked = chatRequestOf(body);
      await serveAnswer(request, reply, {
        openStreams,
        isStream: body.stream === true,
        start: (signal) => start(request, options, { asked, signal }),
        formOf: (id) =>
          chatForm({
            id,
            model: body.model,
            createdMs: clock(),
            includesUsage: body.stream_options?.include_usage === true,
          }),
      });
      return reply;
    },
  });

  app.route({
    ...openaiResponses,
    handler: async (request, reply) => {
      const { body } = request;
      const threadOfRun = talk.threadOfRun(identityOf(request).userId);
      const asked = await responsesRequestOf(body, { threadOfRun });
      const isStored = asked.isKept && !asked.model.startsWith(plainPrefix);
      await serveAnswer(request, reply, {
        openStreams,
        isStream: body.stream === true,
        start: (signal) => start(request, options, { asked, signal }),
        formOf: (id) => responseForm({ id, request: body, createdMs: clock(), isStored }),
      });
      return reply;
    },
  });
}

/** A model is plain, a workflow, or otherwise an agent by its name. */
async function start(
  request: FastifyRequest,
  { talk, download }: Pick<TalkOptions, 'talk' | 'download'>,
  { asked, signal }: { asked: AnswerRequest; signal: AbortSignal },
): Promise<StartedAnswer> {
  const { model } = asked;
  if (model.startsWith(workflowPrefix))
    throw new OpenaiRefusal('unsupported_model', {
      param: 'model',
      message: `${model.slice(0, 300)} makes pictures. Send it to /v1/images/generations.`,
    });
  const caller = runCallerOf(identityOf(request), {
    mount: '/api',
    arrival: arrivalOf(request),
    trace: traceOf(request),
  });
  const messages = await withPictures(asked.messages, { download, signal });
  const whole = { ...asked, messages };
  if (!model.startsWith(plainPrefix)) return talk.agents.start(caller, whole);
  return talk.models.start(caller.userId, model.slice(plainPrefix.length), { request: whole, signal });
}

interface ServedAnswer {
  openStreams: OpenStreams;
  isStream: boolean;
  /** Starts the work. What it throws is answered with a status of its own, also where a stream was asked for. */
  start: (signal: AbortSignal) => Promise<StartedAnswer>;
  formOf: (id: string) => AnswerForm;
}

/** Responds with an answer as it comes, or as a whole at its end. */
async function serveAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  served: ServedAnswer,
): Promise<void> {
  const { openStreams, isStream } = served;
  await whileOpen({ openStreams, request }, isStream ? 'events' : 'held_request', (open) =>
    isStream ? stream(request, reply, { ...served, open }) : whole(request, reply, { ...served, open }),
  );
}

type Open = ReturnType<OpenStreams['open']>;

async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  { start, formOf, open }: ServedAnswer & { open: Open },
): Promise<void> {
  const { id, parts, close } = await start(open.signal);
  const form = formOf(id);
  let isComplete = false;
  const source = async function* (signal: AbortSignal): AsyncGenerator<Uint8Array> {
    try {
      for await (const text of form.events(parts(signal))) yield Buffer.from(text);
      isComplete = !signal.aborted;
    } catch (error) {
      if (signal.aborted) throw error;
      isComplete = true;
      yield Buffer.from(form.failure(openaiErrorBody(toldError(request, error))));
    }
  };
  try {
    await sendEvents(request, reply, { openStreams: { open: () => open }, source });
  } finally {
    close({ isComplete });
  }
}

async function whole(
  request: FastifyRequest,
  reply: FastifyReply,
  { start, formOf, open }: ServedAnswer & { open: Open },
): Promise<void> {
  const { id, parts, close } = await start(open.signal);
  onClientGone(open.signal, () => close({ isComplete: false }));
  const read = async () => {
    try {
      const all: AnswerPart[] = [];
      for await (const part of parts(open.signal)) all.push(part);
      if (open.signal.aborted) throw open.signal.reason;
      close({ isComplete: true });
      return { text: JSON.stringify(formOf(id).body(all)), headers: {} };
    } catch (error) {
      close({ isComplete: false });
      // Once the status is sent, the body alone can say it: clients repeat a request that was cut off.
      if (!reply.sent || open.signal.aborted) throw error;
      return { text: JSON.stringify(openaiErrorBody(toldError(request, error))), headers: {} };
    }
  };
  await replyWhenKnown(request, reply, { answer: read(), open });
}

/** An error that was not thrown on purpose is in the log, and the client reads that it happened. */
function toldError(request: FastifyRequest, error: unknown): AppError {
  if (error instanceof AppError) return error;
  request.log.error({ err: error }, 'An answer to a client of OpenAI broke off');
  return new AppError('internal_error', { cause: error });
}
