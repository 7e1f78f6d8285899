import type { ErrorAnswer } from '../../http/app.ts';
import { neutralText } from '../../http/errors/errors.ts';
import type { AppError } from '../../lib/app-error.ts';
import { refusal } from './prompt-refusals.ts';

/** ComfyUI explains what it refuses in plain text, with 400 for every mistake of the caller. */
export function comfyuiErrorText(error: AppError): ErrorAnswer {
  const status = statusOf(error);
  return { status, contentType: 'text/plain; charset=utf-8', body: `${status}: ${textOf(error)}` };
}

/** Returns ComfyUI's answer about a prompt, which has fields. */
export function comfyuiPromptError(error: AppError): ErrorAnswer {
  const status = statusOf(error);
  const { body } = refusal(error.code, textOf(error));
  return { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(body) };
}

/** Returns ComfyUI's answer about jobs, which is one sentence in JSON. */
export function comfyuiJobError(error: AppError): ErrorAnswer {
  const body = JSON.stringify({ error: textOf(error) });
  return { status: statusOf(error), contentType: 'application/json; charset=utf-8', body };
}

function statusOf({ status }: AppError): number {
  return status === 422 ? 400 : status;
}

function textOf(error: AppError): string {
  return error.faults?.[0]?.message ?? neutralText(error);
}
