import { ApiError } from '@switchyard/client/errors';
import type { DispatchFault } from '@switchyard/contract/error-bodies';
import { isRecord } from '@switchyard/contract/is-record';

/** Returns the faults in the fields of a refused request; empty for any other error. */
export function faultsOf(error: unknown): DispatchFault[] {
  if (!(error instanceof ApiError) || !Array.isArray(error.details)) return [];
  return error.details.filter(isFault);
}

function isFault(detail: unknown): detail is DispatchFault {
  return isRecord(detail) && typeof detail.path === 'string' && typeof detail.message === 'string';
}
