import { type ErrorKind, errorCatalogue } from '@switchyard/contract/errors';
import { ConfigError } from '@switchyard/server/config/faults';
import { AppError } from '@switchyard/server/lib/app-error';
import { CommanderError } from 'commander';

/** The one table of exit codes; `switchyard help` prints it. */
export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  failed: { code: 1, meaning: 'failed' },
  usage: { code: 2, meaning: 'wrong usage: unknown command or option' },
  config: { code: 3, meaning: 'configuration not valid' },
  auth: { code: 4, meaning: 'not signed in, or not allowed' },
  not_found: { code: 5, meaning: 'no such thing' },
  conflict: { code: 6, meaning: 'conflict with the present state' },
  unreachable: { code: 7, meaning: 'gateway or database cannot be reached' },
  cancelled: { code: 130, meaning: 'cancelled' },
} as const;

export type ExitName = keyof typeof exitCodes;

const nameOfKind: Partial<Record<ErrorKind, ExitName>> = {
  unauthenticated: 'auth',
  forbidden: 'auth',
  not_found: 'not_found',
  conflict: 'conflict',
  unavailable: 'unreachable',
};

export function exitNameOf(error: unknown): ExitName {
  if (error instanceof ConfigError) return 'config';
  if (error instanceof CommanderError) return error.exitCode === 0 ? 'ok' : 'usage';
  if (error instanceof AppError) return nameOfKind[errorCatalogue[error.code].kind] ?? 'failed';
  return 'failed';
}
