import { AppError } from '../../lib/app-error.ts';

/** The cursor of the page that comes after this run. */
export function cursorAt(runId: string): string {
  return Buffer.from(runId).toString('base64url');
}

/** The run that a cursor names. */
export function runAt(cursor: string): string {
  const runId = Buffer.from(cursor, 'base64url').toString();
  if (/^[\w-]{1,64}$/.test(runId)) return runId;
  const message = 'Give the next_cursor of the page before, or leave it out.';
  throw new AppError('validation_failed', {
    message,
    faults: [{ in: 'query', path: ['cursor'], type: 'value_error', message }],
  });
}
