import type { ProtocolAnswer, ProtocolErrorCode } from '@switchyard/contract/conversation/protocol';
import type { ErrorCode } from '@switchyard/contract/errors';
import { neutralText } from '../../http/errors/errors.ts';
import { AppError } from '../../lib/app-error.ts';

/** A command that cannot be obeyed, in the words of the protocol. */
export class ProtocolError extends Error {
  readonly code: ProtocolErrorCode;

  constructor(code: ProtocolErrorCode, message: string) {
    super(message);
    this.name = 'ProtocolError';
    this.code = code;
  }
}

const codeOf: Partial<Record<ErrorCode, ProtocolErrorCode>> = {
  validation_failed: 'invalid_argument',
  body_malformed: 'invalid_argument',
  assistant_not_found: 'invalid_argument',
  agent_not_found: 'invalid_argument',
  durability_too_late: 'invalid_argument',
  state_update_invalid: 'invalid_argument',
  checkpoint_not_found: 'no_such_checkpoint',
  run_not_found: 'no_such_run',
};

/** Returns null for an error that has no words in the protocol. Over HTTP it has a status. */
export function protocolErrorOf(error: unknown): ProtocolError | null {
  if (error instanceof ProtocolError) return error;
  if (!(error instanceof AppError)) return null;
  const code = codeOf[error.code];
  return code === undefined ? null : new ProtocolError(code, sentenceOf(error));
}

/** Returns the form of any error on a socket. Over HTTP most of them have a status instead. */
export function socketErrorOf(error: unknown): ProtocolError {
  const told = protocolErrorOf(error);
  if (told) return told;
  if (!(error instanceof AppError)) return new ProtocolError('unknown_error', 'Internal error.');
  const isRefusal = error.status === 401 || error.status === 403;
  return new ProtocolError(isRefusal ? 'permission_denied' : 'unknown_error', neutralText(error));
}

/** Returns whether the client can do nothing about the error, so that it belongs into the log. */
export function isFault(error: unknown): boolean {
  return protocolErrorOf(error) === null && !(error instanceof AppError && error.status < 500);
}

export function failureOf(
  id: number | null,
  { code, message }: ProtocolError,
): Extract<ProtocolAnswer, { type: 'error' }> {
  return { type: 'error', id, error: code, message };
}

function sentenceOf(error: AppError): string {
  const [fault] = error.faults ?? [];
  if (!fault) return error.message;
  return fault.path.length === 0 ? fault.message : `${fault.path.join('.')}: ${fault.message}`;
}
