import type {
  ConversationError,
  DispatchError,
  DispatchFault,
  ValidationFault,
} from '@switchyard/contract/error-bodies';
import { errorCatalogue } from '@switchyard/contract/errors';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError, WordedFault } from '../../lib/app-error.ts';
import type { ErrorAnswer } from '../app.ts';
import { areaOf } from '../request-path.ts';
import { platformWords } from './platform-words.ts';

/** Sent with 429 and 503 when the thrower names no other time. */
const defaultRetrySeconds = 5;

/** Headers of the answer that a handler began and did not give. */
const headersOfContent = [
  'etag',
  'last-modified',
  'expires',
  'accept-ranges',
  'content-range',
  'content-length',
  'content-encoding',
  'content-disposition',
];

interface ErrorReceiver {
  request: FastifyRequest;
  reply: FastifyReply;
  /** Writes it in the words of another protocol. */
  errorAnswer: ((error: AppError) => ErrorAnswer) | undefined;
}

/** Responds with the error in the shape of the area that the path belongs to. No cache keeps it, whatever the address answers otherwise. */
export function sendError(error: AppError, { request, reply, errorAnswer }: ErrorReceiver): FastifyReply {
  const { status, headers } = error;
  for (const name of headersOfContent) reply.removeHeader(name);
  reply.header('cache-control', 'no-store');
  if (status === 429 || status === 503)
    reply.header('retry-after', String(Math.ceil(error.retryAfterSeconds ?? defaultRetrySeconds)));
  for (const [name, value] of headers) reply.header(name, value);
  const foreign = errorAnswer?.(error);
  if (foreign)
    return reply.code(foreign.status).type(foreign.contentType).serializer(String).send(foreign.body);
  const body =
    areaOf(request) === 'dispatch' ? dispatchBody(error, request.id) : conversationBody(error, request);
  return reply.code(status).type('application/json; charset=utf-8').serializer(JSON.stringify).send(body);
}

function dispatchBody(error: AppError, requestId: string): DispatchError {
  const details = error.faults?.map(dispatchFault) ?? error.details;
  return {
    code: error.status,
    message: errorText(error),
    error: wireCode(error),
    data: null,
    requestId,
    ...(details !== undefined && { details }),
  };
}

function conversationBody(error: AppError, request: FastifyRequest): ConversationError {
  if (error.faults && error.faults.length > 0) return { detail: error.faults.map(conversationFault) };
  const isAuth = 'auth' in errorCatalogue[error.code];
  if (isAuth) return { detail: { code: wireCode(error), message: error.message } };
  const platform = platformWords(error, request);
  return platform === null ? { detail: neutralText(error), ...codesOfOwn(error) } : { detail: platform };
}

/** The sentence of the catalogue needs no codes beside the code of the error. */
function codesOfOwn(error: AppError): { sentences?: Sentence[] } {
  const text = neutralText(error);
  return text === errorCatalogue[error.code].message ? {} : codesOf(error.sentences);
}

function dispatchFault({ in: part, path, message, sentences }: WordedFault): DispatchFault {
  return { path: [part, ...path].join('.'), message, ...codesOf(sentences) };
}

function conversationFault(fault: WordedFault): ValidationFault {
  const { in: part, path, message, sentences, type, input, ctx } = fault;
  return {
    type,
    loc: [part, ...path],
    msg: message,
    input: input ?? null,
    ...(ctx && { ctx }),
    ...codesOf(sentences),
  };
}

/** Returns nothing for a message that only exists as text. */
function codesOf(sentences: readonly Sentence[]): { sentences?: Sentence[] } {
  return sentences.some(({ code }) => code !== 'quote') ? { sentences: [...sentences] } : {};
}

/** `details` holds the list. The sentence is for people who see nothing else. */
function errorText(error: AppError): string {
  const [first, ...others] = error.faults ?? [];
  if (first === undefined) return neutralText(error);
  const { path, message } = dispatchFault(first);
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return `${path}: ${message}${more}`;
}

/** The message of an internal error shows only that it happened. Its cause is in the log, with the request id. */
export function neutralText(error: AppError): string {
  const entry = errorCatalogue[error.code];
  return entry.kind === 'internal' ? entry.message : error.message;
}

function wireCode({ code }: AppError): string {
  const entry = errorCatalogue[code];
  return 'wireCode' in entry ? entry.wireCode : code;
}
