import { AppError } from '../../lib/app-error.ts';

export function runNotFound(runId: string): AppError {
  return new AppError('run_not_found', { message: `Run ${runId} not found`, named: runId });
}
