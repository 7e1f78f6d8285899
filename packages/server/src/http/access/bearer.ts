import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../lib/app-error.ts';

/** Our tokens are much shorter. A longer one is not worth a hash. */
const maxTokenLength = 4_096;

/** The beginning of every personal access token. */
export const accessTokenPrefix = 'sy_pat_';

/** The beginning of the credential that an operator's own code gets for one call to its gateway. */
export const callTicketPrefix = 'sy_run_';

/** Returns whether a header has a token of ours anywhere, so that no spelling of the header hands it to another authentication. */
export function holdsOwnToken(header: string): boolean {
  return header.includes(accessTokenPrefix) || header.includes(callTicketPrefix);
}

export function isCallTicket(token: string): boolean {
  return token.startsWith(callTicketPrefix);
}

/** Returns the token of `Authorization: Bearer` or `x-api-key`, or undefined when the request has neither header. */
export function headerToken(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers;
  const apiKey = headers['x-api-key'];
  if (authorization === undefined && apiKey === undefined) return undefined;
  if (authorization !== undefined && apiKey !== undefined && bearerToken(authorization) !== apiKey) {
    throw new AppError('token_invalid', { message: 'Send either Authorization or x-api-key, not both.' });
  }
  const token = authorization === undefined ? apiKey : bearerToken(authorization);
  if (typeof token === 'string' && token !== '' && token.length <= maxTokenLength) return token;
  throw new AppError('token_invalid', {
    message: 'The credentials cannot be read. Send "Authorization: Bearer <token>" or "x-api-key: <token>".',
  });
}

function bearerToken(authorization: string): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization.trim())?.[1];
}
