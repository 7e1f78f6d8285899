import type { Fault } from '@switchyard/contract/errors';
import { AppError } from '../../lib/app-error.ts';

/** Reads a time that matched its format. A leap second matches as well, but does not exist in the calendar. */
export function timeInRequest(
  path: string[],
  text: string | undefined,
  part: Fault['in'] = 'query',
): number | undefined {
  if (text === undefined) return undefined;
  const epochMs = Date.parse(text);
  if (!Number.isNaN(epochMs)) return epochMs;
  const message = 'Input should be a valid datetime, for example 2030-01-31T12:00:00.000Z';
  throw new AppError('validation_failed', {
    faults: [{ in: part, path, type: 'datetime_parsing', message }],
  });
}
