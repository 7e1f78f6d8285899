import { AppError } from '../../../lib/app-error.ts';
import { mapPostgresError } from '../database-errors.ts';

/** invalid_password, invalid_authorization_specification. The driver itself misses a password without a code. */
const refusedLogin = new Set(['28P01', '28000']);
const noSuchDatabase = '3D000';

/** Says in one sentence why a start cannot use the server, and what to do about it. Other errors stay as they are. */
export function startFault(error: unknown, url: string): unknown {
  const says = whatIsWrong(error);
  if (says === null) return error;
  const message = `PostgreSQL at ${shownAddress(url)} ${says}.`;
  return new AppError('database_unavailable', { message, cause: causeOf(error) });
}

function whatIsWrong(error: unknown): string | null {
  const { code, message } = causeOf(error) as { code?: string; message?: string };
  if (refusedLogin.has(code ?? '') || message?.startsWith('SASL'))
    return 'refuses the user or the password; set them in database.url';
  if (code === noSuchDatabase) return 'has no such database; create it, or correct database.url';
  const mapped = mapPostgresError(error);
  if (mapped instanceof AppError && mapped.code === 'database_unavailable')
    return 'cannot be reached; check database.url, and that the server runs';
  return null;
}

function causeOf(error: unknown): unknown {
  return error instanceof AppError ? (error.cause ?? error) : error;
}

/** Host and port, or the folder of the socket: what is in the address without the user, the password and the database. */
function shownAddress(url: string): string {
  if (!URL.canParse(url)) return 'database.url';
  const { host, searchParams } = new URL(url);
  return searchParams.get('host') ?? host;
}
