import type { ComfyApiError } from '@switchyard/contract/doors/comfy-api';
import { type ErrorCode, type ErrorKind, errorCatalogue } from '@switchyard/contract/errors';
import type { ErrorAnswer } from '../../http/app.ts';
import { neutralText } from '../../http/errors/errors.ts';
import { AppError } from '../../lib/app-error.ts';

/** An error that the Comfy API alone has, under the word that its clients know. */
export class ComfyApiRefusal extends AppError {
  readonly word: string;

  constructor(
    word: string,
    options: {
      status: number;
      message: string;
      details?: Record<string, unknown>;
      retryAfterSeconds?: number;
    },
  ) {
    super('validation_failed', options);
    this.word = word;
  }
}

/** The faults of each node, as clients of the Comfy API read them. */
export type ApiNodeErrors = Record<string, { field: string; reason: string }[]>;

export function invalidWorkflow(message: string, nodeErrors: ApiNodeErrors = {}): ComfyApiRefusal {
  return new ComfyApiRefusal('invalid_workflow', {
    status: 422,
    message,
    details: { node_errors: nodeErrors },
  });
}

/** `words` replaces the words of some errors at one address. */
export function comfyApiErrorAnswer(
  error: AppError,
  words: Partial<Record<ErrorCode, string>> = {},
): ErrorAnswer {
  const details = detailsOf(error);
  const body: ComfyApiError = {
    error: {
      code: words[error.code] ?? wordOf(error),
      message: error.faults?.[0]?.message ?? neutralText(error),
      ...(details && { details }),
    },
  };
  return {
    status: error.status,
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify(body),
  };
}

function wordOf(error: AppError): string {
  if (error instanceof ComfyApiRefusal) return error.word;
  return wordsOfCodes[error.code] ?? wordsOfKinds[errorCatalogue[error.code].kind] ?? error.code;
}

const wordsOfCodes: Partial<Record<ErrorCode, string>> = {
  validation_failed: 'invalid_request',
  ui_format_workflow: 'workflow_format_ui',
  idempotency_mismatch: 'idempotency_key_reuse',
  file_in_use: 'asset_in_use',
};

const wordsOfKinds: Partial<Record<ErrorKind, string>> = {
  unauthenticated: 'unauthorized',
  forbidden: 'forbidden',
  not_found: 'not_found',
  internal: 'upstream_error',
};

function detailsOf({ faults, details }: AppError): Record<string, unknown> | undefined {
  if (faults)
    return {
      faults: faults.map(({ in: part, path, message }) => ({ path: [part, ...path].join('.'), message })),
    };
  return details === undefined ? undefined : (details as Record<string, unknown>);
}
