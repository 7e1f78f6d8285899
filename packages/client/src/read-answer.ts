import type { ConversationError, DispatchError, DispatchFault } from '@switchyard/contract/error-bodies';
import { statusOfKind } from '@switchyard/contract/errors';
import { isRecord } from '@switchyard/contract/is-record';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { ApiError, ConnectionError } from './errors.ts';

/** Far above any answer of the gateway: a server that sends more is not one. */
const maxAnswerBytes = 64 * 1024 * 1024;
const maxErrorBytes = 1024 * 1024;

/** A successful answer without a value. */
const emptyStatuses: readonly number[] = [202, 204];

/** The value of a successful answer, without its envelope if it has one. */
export async function readValue(response: Response): Promise<unknown> {
  if (emptyStatuses.includes(response.status)) return null;
  const value = parse(await readText(response, maxAnswerBytes));
  if (value === undefined) {
    throw new ConnectionError(
      'not_understood',
      `${response.url} answered ${response.status} with something that is not JSON. Is a Switchyard gateway at this address?`,
    );
  }
  return isRecord(value) && value.code === 200 && 'data' in value ? value.data : value;
}

/** Reads both shapes of errors, and anything that a proxy on the way may have sent. */
export async function readError(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const redirect = readRedirect(response);
  if (redirect) return redirect;
  const body = parse(await readText(response, maxErrorBytes));
  const shared = {
    status,
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: readSeconds(headers.get('retry-after')),
  };
  if (isDispatchError(body)) {
    const { error: code, message, details, requestId } = body;
    return new ApiError({ ...shared, code, message, details, requestId });
  }
  if (isConversationError(body)) return new ApiError({ ...shared, ...fromBody(body, status) });
  const message = `The gateway answered ${status} without saying why; something in between may have sent it.`;
  const details = isRecord(body) ? body.data : undefined;
  return new ApiError({ ...shared, code: kindOf(status), message, details });
}

function fromBody(
  { detail, sentences }: ConversationError,
  status: number,
): { code: string; message: string; details?: DispatchFault[]; sentences?: Sentence[] } {
  if (typeof detail === 'string')
    return { code: kindOf(status), message: detail, ...(Array.isArray(sentences) && { sentences }) };
  if (!Array.isArray(detail)) return detail;
  const details = detail.map(({ loc, msg, sentences }) => ({
    path: loc.join('.'),
    message: msg,
    ...(sentences && { sentences }),
  }));
  const [first, ...others] = details;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return {
    code: 'validation_failed',
    message: first ? `${first.path}: ${first.message}${more}` : 'The request is not valid.',
    details,
  };
}

/** The gateway never redirects. Following a proxy's redirect would send it credentials that are not meant for it. */
function readRedirect({ type, status, headers, url }: Response): ApiError | undefined {
  if (type !== 'opaqueredirect' && (status < 300 || status > 399)) return undefined;
  const target = headers.get('location');
  const isReadable = target !== null && URL.canParse(target, url);
  const to = isReadable ? new URL(target, url).origin : 'another address';
  return new ApiError({
    status,
    code: 'redirected',
    message: `This address sends on to ${to}. Use that as the address of the gateway.`,
  });
}

function kindOf(status: number): string {
  const kinds = Object.entries(statusOfKind);
  return kinds.find(([, kindStatus]) => kindStatus === status)?.[0] ?? `http_${status}`;
}

/** The gateway writes seconds. A proxy may write a date, which is converted to seconds from now. */
function readSeconds(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}

async function readText({ body, url }: Response, maxBytes: number): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let sizeBytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    sizeBytes += value.byteLength;
    if (sizeBytes > maxBytes) {
      await reader.cancel();
      throw new ConnectionError(
        'not_understood',
        `${url} answered more than ${maxBytes} bytes, which no gateway does.`,
      );
    }
    text += decoder.decode(value, { stream: true });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a proxy's page, an empty body
  }
}

function isDispatchError(body: unknown): body is DispatchError {
  return isRecord(body) && typeof body.error === 'string' && typeof body.message === 'string';
}

function isConversationError(body: unknown): body is ConversationError {
  if (!isRecord(body)) return false;
  const { detail } = body;
  if (typeof detail === 'string' || Array.isArray(detail)) return true;
  return isRecord(detail) && typeof detail.code === 'string' && typeof detail.message === 'string';
}
