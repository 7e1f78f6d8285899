import type { ErrorCode } from '@switchyard/contract/errors';
import { say } from '@switchyard/contract/sentences/sentences';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../lib/app-error.ts';
import { InvalidRequest, type RequestValidation } from '../validation/validation.ts';

/** Errors of the framework and its plugins, by their status. Their own texts name the framework and not the fix. */
const codeOfStatus: Record<number, ErrorCode> = {
  400: 'body_malformed',
  404: 'route_not_found',
  405: 'method_not_allowed',
  406: 'media_type_unsupported',
  413: 'body_too_large',
  415: 'media_type_unsupported',
};

/**
 * Returns any thrown value as an entry of the catalogue. An error that was not thrown on purpose is an internal error.
 */
export function toAppError(error: unknown, request: FastifyRequest, validation: RequestValidation): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof InvalidRequest) return invalidRequest(request, validation);
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  if (code === 'FST_ERR_BAD_URL') return badAddress('Value error, the path has an escape that is not UTF-8');
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return badAddress('Value error, a part of the path is too long');
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(request.routeOptions.bodyLimit);
  if (code === 'ENOSPC' || code === 'EDQUOT') return new AppError('storage_full', { cause: error });
  const known = typeof statusCode === 'number' ? codeOfStatus[statusCode] : undefined;
  return new AppError(known ?? 'internal_error', { cause: error });
}

function invalidRequest(request: FastifyRequest, validation: RequestValidation): AppError {
  return new AppError('validation_failed', { faults: validation.faultsOf(request) });
}

/** Uses the same words as `requireFits` for a file. */
export function bodyTooLarge(maxBytes: number): AppError {
  return new AppError('body_too_large', {
    message: say('body_larger', { bytes: maxBytes }),
  });
}

function badAddress(message: string): AppError {
  return new AppError('validation_failed', {
    faults: [{ in: 'path', path: [], type: 'value_error', message, input: null }],
  });
}
