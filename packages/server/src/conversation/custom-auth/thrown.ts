import type { IncomingHttpHeaders } from 'node:http';
import { isRecord } from '@switchyard/contract/is-record';
import { AppError } from '../../lib/app-error.ts';
import { passedHeaders } from '../own-routes/web-answer.ts';

/** An `HTTPException` of the SDK, of any copy of it. */
interface HttpException extends Error {
  status: number;
  headers?: ConstructorParameters<typeof Headers>[0];
}

/** They describe the body, which is the gateway's. */
const bodyHeaders = new Set(['content-type', 'content-encoding', 'content-language']);

/** The error of a handler that threw: an exception with a status says the answer, and everything else is a fault of the handler. */
export function answerToThrown(error: unknown, headers: IncomingHttpHeaders): AppError {
  if (error instanceof AppError) return error;
  if (!isHttpException(error)) {
    return new AppError('custom_auth_failed', { cause: withoutSecrets(error, secretsIn(headers)) });
  }
  try {
    const passed = passedHeaders(new Headers(error.headers)).filter(([name]) => !bodyHeaders.has(name));
    const { status, message } = error;
    return new AppError(status === 401 ? 'custom_auth_rejected' : 'custom_auth_denied', {
      status,
      message,
      headers: passed,
    });
  } catch (cause) {
    return new AppError('custom_auth_failed', { cause: withoutSecrets(cause, secretsIn(headers)) });
  }
}

/** An answer that is none. What it says is in the log. */
export function nonsense(message: string): AppError {
  return new AppError('custom_auth_failed', { cause: new TypeError(message) });
}

/** Errors of HTTP clients have a status as well, which says nothing about this request. */
function isHttpException(error: unknown): error is HttpException {
  if (!(error instanceof Error)) return false;
  const { status } = error as Partial<HttpException>;
  if (!Number.isInteger(status) || Number(status) < 400 || Number(status) > 599) return false;
  for (let at: unknown = Object.getPrototypeOf(error); isRecord(at); at = Object.getPrototypeOf(at)) {
    if ((at.constructor as { name?: string } | undefined)?.name === 'HTTPException') return true;
  }
  return false;
}

/** Shorter texts may be part of an ordinary word. */
const minSecretLength = 6;

/** Returns the credentials that the caller has sent. */
function secretsIn({
  authorization = '',
  cookie = '',
  'x-api-key': apiKey = '',
}: IncomingHttpHeaders): string[] {
  const cookies = cookie.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim());
  return [authorization, ...authorization.split(/\s+/), cookie, ...cookies, apiKey]
    .flat()
    .filter((text) => text.length >= minSecretLength)
    .sort((one, other) => other.length - one.length);
}

/** Libraries quote a token that they cannot read. */
function withoutSecrets(error: unknown, secrets: readonly string[]): Error {
  const cleaned = (text: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  if (!(error instanceof Error)) return new Error(`A handler threw ${cleaned(String(error))}`);
  const clean = new Error(cleaned(error.message));
  clean.name = error.name;
  clean.stack = cleaned(error.stack ?? error.message);
  return clean;
}
