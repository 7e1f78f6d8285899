import { AppError } from '../../../lib/app-error.ts';

/** An error as it goes from one thread to the other. */
export interface WireError {
  name: string;
  message: string;
  stack: string | undefined;
  app?: Pick<AppError, 'code' | 'faults' | 'details' | 'retryAfterSeconds'>;
}

export function toWire(error: unknown): WireError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: undefined };
  const { name, message, stack } = error;
  if (!(error instanceof AppError)) return { name, message, stack };
  const { code, faults, details, retryAfterSeconds, cause } = error;
  const reason = cause instanceof Error ? `\nCaused by: ${cause.stack ?? cause.message}` : '';
  const app = { code, faults, details, retryAfterSeconds };
  return { name, message, stack: `${stack ?? message}${reason}`, app };
}

export function fromWire({ name, message, stack, app }: WireError): Error {
  const error = app ? appError(message, app) : new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}

function appError(message: string, { code, ...facts }: NonNullable<WireError['app']>): AppError {
  const given = Object.entries(facts).filter(([, value]) => value !== undefined);
  return new AppError(code, { message, ...Object.fromEntries(given) });
}
