import type { OpenaiError } from '@switchyard/contract/doors/openai';
import { type ErrorCode, errorCatalogue } from '@switchyard/contract/errors';
import type { ErrorAnswer } from '../../http/app.ts';
import { neutralText } from '../../http/errors/errors.ts';
import { AppError } from '../../lib/app-error.ts';

/** An error that this door alone has, under a code that OpenAI's clients know. */
export class OpenaiRefusal extends AppError {
  readonly word: string;
  readonly param: string | null;

  constructor(
    word: string,
    {
      status = 400,
      param = null,
      message,
      cause,
    }: { status?: number; param?: string | null; message: string; cause?: unknown },
  ) {
    // OpenAI's libraries send a failed request again, which would start an expensive run once more.
    const headers = status >= 500 ? ([['x-should-retry', 'false']] as const) : [];
    super('validation_failed', { status, message, headers, ...(cause !== undefined && { cause }) });
    this.word = word;
    this.param = param;
  }
}

export function unsupported(param: string, message: string): OpenaiRefusal {
  return new OpenaiRefusal('unsupported_parameter', { param, message });
}

export function invalid(param: string, message: string): OpenaiRefusal {
  return new OpenaiRefusal('invalid_value', { param, message });
}

export function modelNotFound(model: string, cause?: unknown): OpenaiRefusal {
  return new OpenaiRefusal('model_not_found', {
    status: 404,
    param: 'model',
    message: `There is no model '${model.slice(0, 300)}'. GET /v1/models lists those that you can use.`,
    cause,
  });
}

export function openaiErrorAnswer(error: AppError): ErrorAnswer {
  const status = error.status === 422 ? 400 : error.status;
  return {
    status,
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify(openaiErrorBody(error)),
  };
}

export function openaiErrorBody(error: AppError): OpenaiError {
  const [fault, ...others] = error.faults ?? [];
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const message = fault ? `${fault.path.join('.') || fault.in}: ${fault.message}${more}` : neutralText(error);
  const param = error instanceof OpenaiRefusal ? error.param : fault ? fault.path.join('.') || null : null;
  return { error: { message, type: typeOf(error.status), param, code: wordOf(error) } };
}

function typeOf(status: number): OpenaiError['error']['type'] {
  if (status >= 500) return 'server_error';
  if (status === 429) return 'rate_limit_error';
  return status === 403 ? 'permission_error' : 'invalid_request_error';
}

function wordOf(error: AppError): string {
  if (error instanceof OpenaiRefusal) return error.word;
  if (errorCatalogue[error.code].kind === 'unauthenticated') return 'invalid_api_key';
  return wordsOfCodes[error.code] ?? error.code;
}

const wordsOfCodes: Partial<Record<ErrorCode, string>> = {
  assistant_not_found: 'model_not_found',
  validation_failed: 'invalid_value',
};
