import { ApiError, ConnectionError } from '@switchyard/client/errors';
import { ConfigError } from '@switchyard/server/config/faults';
import { AppError } from '@switchyard/server/lib/app-error';
import { CommanderError } from 'commander';

/** The one table of exit codes; `switchyard help` prints it. */
export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  failed: { code: 1, meaning: 'failed' },
  usage: { code: 2, meaning: 'wrong usage: a command, an option or a value' },
  config: { code: 3, meaning: 'configuration not valid' },
  auth: { code: 4, meaning: 'not signed in, or not allowed' },
  not_found: { code: 5, meaning: 'no such thing' },
  conflict: { code: 6, meaning: 'conflict with the present state' },
  unreachable: { code: 7, meaning: 'gateway or database cannot be reached' },
  unwell: { code: 8, meaning: 'the doctor found something wrong' },
  cancelled: { code: 130, meaning: 'cancelled' },
} as const;

export type ExitName = keyof typeof exitCodes;

/** A fault that a command found itself: a sentence for the user, and the exit code. */
export class CommandError extends Error {
  readonly exit: ExitName;

  constructor(exit: ExitName, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CommandError';
    this.exit = exit;
  }
}

/** The exit code for the HTTP status that an error has, or would have. */
const nameOfStatus: Record<number, ExitName> = {
  401: 'auth',
  403: 'auth',
  404: 'not_found',
  409: 'conflict',
  412: 'conflict',
  502: 'unreachable',
  503: 'unreachable',
  504: 'unreachable',
};

export function exitNameOf(error: unknown): ExitName {
  if (error instanceof CommandError) return error.exit;
  if (error instanceof ConfigError) return 'config';
  if (error instanceof CommanderError) return error.exitCode === 0 ? 'ok' : 'usage';
  if (error instanceof ConnectionError) return 'unreachable';
  if (error instanceof AppError || error instanceof ApiError) return nameOfStatus[error.status] ?? 'failed';
  return 'failed';
}
