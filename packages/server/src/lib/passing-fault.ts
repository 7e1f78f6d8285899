import { AppError } from './app-error.ts';

const passing = new Set(['database_unavailable', 'database_busy', 'storage_full', 'shutting_down']);

/** A temporary fault of the database; any other fault would only happen again. */
export function isPassing(error: unknown): boolean {
  return error instanceof AppError && passing.has(error.code);
}
