import { ApiError, ConnectionError } from '@switchyard/client/errors';
import { AppError } from '@switchyard/server/lib/app-error';
import { CommandError } from './exit-codes.ts';
import { plainText } from './plain-text.ts';
import { colorsFor, type Terminal } from './terminal.ts';

/**
 * Returns what went wrong, and what to do about it. An error that was raised on purpose is a sentence. Any other error is a
 * defect, and its stack helps the person who reports it.
 */
export function explainError(error: unknown, { stderr, env }: Pick<Terminal, 'stderr' | 'env'>): string {
  const colors = colorsFor(stderr, env);
  if (!(error instanceof Error)) return colors.red(String(error));
  if (error instanceof ApiError) {
    return [
      colors.red(errorText(error)),
      ...faultsOf(error),
      ...hintFor(error.code),
      ...waitFor(error.retryAfterSeconds),
    ].join('\n');
  }
  if (error instanceof ConnectionError) {
    return [colors.red(plainText(error.message)), ...hintFor(error.fault)].join('\n');
  }
  if (error instanceof CommandError) return colors.red(plainText(error.message));
  if (error instanceof TypeError || error instanceof ReferenceError) return error.stack ?? error.message;
  // The message for the wire hides the cause, but the person who starts the gateway needs it.
  const cause = error instanceof AppError && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return colors.red(error.message + cause);
}

/** The faults follow one by one, so the sentence does not repeat the first one. */
function errorText(error: ApiError): string {
  const { status, message, requestId } = error;
  if (faultsOf(error).length > 0) return 'The gateway refused the request:';
  const reference = status >= 500 && requestId !== null ? ` (request ${requestId})` : '';
  return plainText(message + reference);
}

function faultsOf({ details }: ApiError): string[] {
  if (!Array.isArray(details) || details.length < 2) return [];
  return details.flatMap((fault: { path?: unknown; message?: unknown } | null) =>
    typeof fault?.message === 'string' ? [`  ${plainText(`${fault.path}: ${fault.message}`)}`] : [],
  );
}

const signIn = 'Sign in with: switchyard login';

const hints: Record<string, string> = {
  not_authenticated: signIn,
  token_invalid: `${signIn}, or give a token that is valid with --token or SWITCHYARD_TOKEN.`,
  token_expired: signIn,
  user_not_found: signIn,
  invalid_credentials:
    'The first password of an administrator stands in admin_initial_credentials.txt in the data home of the gateway.',
  admin_required: 'Sign in as an administrator: switchyard login',
  scope_missing: 'Use a token with this scope, or sign in with: switchyard login',
  task_not_found: 'See which there are: switchyard tasks list',
  instance_not_found: 'See which there are: switchyard instances list',
  workflow_not_found: 'See which there are: switchyard workflows list',
  workflow_exists: 'A new version of it: switchyard workflows import --replace',
  share_not_found: 'See which there are: switchyard share list',
  collection_not_found: 'See which there are: switchyard collections list',
  webhook_not_found: 'See which there are: switchyard webhooks list',
  delivery_not_found: 'See which there are: switchyard webhooks deliveries ID',
  account_not_found: 'See which there are: switchyard users list',
  access_token_not_found: 'See which there are: switchyard tokens list',
  job_not_found: 'See which are dead: switchyard system',
  file_not_found: 'See which there are: switchyard files list',
  config_version_mismatch: 'Somebody changes the configuration at the same time. Try again.',
  unreachable: 'Start a gateway with: switchyard up. Or say where it is: --url, SWITCHYARD_URL.',
  not_understood: 'Say where the gateway is: --url, SWITCHYARD_URL.',
};

function waitFor(seconds: number | null): string[] {
  if (seconds === null) return [];
  return [`The gateway asks to wait ${seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`}.`];
}

function hintFor(code: string): string[] {
  const hint = hints[code];
  return hint === undefined ? [] : [hint];
}
