import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../lib/app-error.ts';

/** Our tokens are much shorter. A longer one is not worth a hash. */
const maxTokenLength = 4_096;

/** How every personal access token begins. */
export const accessTokenPrefix = 'sy_pat_';

/** Whether a header has such a token anywhere, so that no spelling of the header hands it to another authentication. */
export function holdsAccessToken(header: string): boolean {
  return header.includes(accessTokenPrefix);
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
