import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Fault } from '@switchyard/contract/errors';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../lib/app-error.ts';
import type { App } from '../app.ts';
import { jsonLimits } from '../http-limits.ts';
import type { Admission } from './admission.ts';
import { limitBroken, offsetOfJsonError } from './json-text.ts';
import { mayBeUnsafe, refuseUnsafeValue } from './text-safety.ts';

/** Forms with more fields are refused. Our largest form has seven. */
const maxFormFields = 100;
const formType = 'application/x-www-form-urlencoded';

/**
 * The only two kinds of body that the gateway reads into memory. The endpoint decides which of them a route accepts.
 */
export function addBodyParsers(app: App, admission: Pick<Admission, 'readBody'>): void {
  app.removeAllContentTypeParsers();
  const json = bodyParser(admission, parseJson);
  app.addContentTypeParser('application/json', json);
  // The endpoint may accept JSON of this type, or of no type.
  app.addContentTypeParser('text/plain', json);
  app.addContentTypeParser('*', (request: FastifyRequest, body: IncomingMessage) => {
    if (request.headers['content-type'] === undefined) return json(request, body);
    throw new AppError('media_type_unsupported');
  });
  app.addContentTypeParser(formType, bodyParser(admission, parseForm));
}

/** Takes JSON of the type of a form, which clients that never name a type send. `app` is a scope in which no route has a form. */
export function readFormsAsJson(app: App, admission: Pick<Admission, 'readBody'>): void {
  app.removeContentTypeParser(formType);
  app.addContentTypeParser(formType, bodyParser(admission, parseJson));
}

function bodyParser(admission: Pick<Admission, 'readBody'>, parse: (bytes: Buffer) => unknown) {
  return async (request: FastifyRequest, body: IncomingMessage): Promise<unknown> =>
    parse(await admission.readBody(request, body));
}

const limitTexts = {
  depth: `Value error, the body nests deeper than ${jsonLimits.depth} levels; make it flatter`,
  values: `Value error, the body has more than ${jsonLimits.values} values; send fewer at once`,
};

/**
 * Throws for JSON that is broken, too deep or too large, or that holds text which a database cannot store. A missing body is not
 * an error here, because the endpoint's schema says whether one is required.
 */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const text = textOf(bytes);
  const broken = limitBroken(text, jsonLimits);
  if (broken !== undefined) throw invalidBody(limitTexts[broken]);
  const value = parseOrExplain(text);
  if (mayBeUnsafe(text)) refuseUnsafeValue(value);
  return value;
}

/** A repeated field becomes a list, which none of our schemas accepts as a text. */
function parseForm(bytes: Buffer): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = Object.create(null);
  const pairs = textOf(bytes).split('&').filter(Boolean);
  if (pairs.length > maxFormFields) {
    throw invalidBody(`Value error, the form has more than ${maxFormFields} fields; send fewer`);
  }
  for (const pair of pairs) {
    const separator = pair.indexOf('=');
    const name = decode(separator < 0 ? pair : pair.slice(0, separator));
    const value = separator < 0 ? '' : decode(pair.slice(separator + 1));
    const known = fields[name];
    fields[name] = known === undefined ? value : [known, value].flat();
  }
  refuseUnsafeValue(fields);
  return fields;
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new AppError('body_malformed', { message: 'The body is not valid UTF-8.' });
  return bytes.toString('utf8');
}

function parseOrExplain(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const offset = offsetOfJsonError(text);
    const line = text.slice(0, offset).split('\n').length;
    const fault: Fault = {
      in: 'body',
      path: [offset],
      type: 'json_invalid',
      message: `JSON decode error at line ${line}, character ${offset + 1} of the body`,
      input: {},
      ctx: { error: offset >= text.length ? 'the body ends too early' : 'unexpected character' },
    };
    throw new AppError('validation_failed', { faults: [fault], cause });
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidBody('Value error, the form has an escape that is not UTF-8; encode it as UTF-8');
  }
}

function invalidBody(message: string): AppError {
  return new AppError('validation_failed', {
    faults: [{ in: 'body', path: [], type: 'value_error', message, input: null }],
  });
}
