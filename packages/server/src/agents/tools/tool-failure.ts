import { AppError } from '../../lib/app-error.ts';

/** Thrown when a tool cannot do what it was asked. The message is for the model, and through it for the user. */
export class ToolFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'ToolFailure';
    this.code = code;
  }
}

/** Returns the text for the model about a failed tool. Only texts that were written for readers are repeated. */
export function failureText(toolName: string, error: unknown): string {
  const { code, message } = explain(error);
  return `Error: Tool '${toolName}' failed with ${code}: ${message}`;
}

function explain(error: unknown): { code: string; message: string } {
  if (error instanceof ToolFailure) return error;
  if (error instanceof AppError && error.status < 500) {
    return { code: error.code, message: [error.message, detailsOf(error)].filter(Boolean).join(' ') };
  }
  return {
    code: 'internal_error',
    message: 'It stopped on an error of its own. Try again, or do without it.',
  };
}

/** The details of a refused workflow name the nodes at fault, which the model needs to correct it. */
function detailsOf({ details }: AppError): string {
  return details === undefined ? '' : JSON.stringify(details).slice(0, maxDetailsLength);
}

const maxDetailsLength = 2_000;
