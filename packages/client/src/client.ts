import type { Endpoint } from '@switchyard/contract/endpoint';
import { gatewayUrl } from './base-url.ts';
import type { Call } from './call.ts';
import { Runs } from './conversation/runs.ts';
import { type CredentialOptions, Credentials } from './credentials.ts';
import { withDeadline } from './deadline.ts';
import type { AnswerOf } from './endpoint-types.ts';
import { ConnectionError } from './errors.ts';
import {
  type Download,
  type DownloadOptions,
  download,
  downloadThumbnail,
  downloadZip,
  type ThumbnailOptions,
  type UploadedFile,
  type UploadOptions,
  type UploadSource,
  upload,
  type ZipSelection,
} from './files.ts';
import { Push } from './push/push.ts';
import type { WebSocketConstructor } from './push/web-socket.ts';
import { readValue } from './read-answer.ts';
import { buildRequest } from './request.ts';
import { defaultRetryPolicy, type RetryPolicy } from './retry.ts';
import { Session } from './session.ts';
import { type Fetch, Transport } from './transport.ts';

export interface ClientOptions extends CredentialOptions {
  /** The address of the gateway: `http://127.0.0.1:7300`, with the path that a proxy may put before it. */
  baseUrl: string;
  /** By default the one of the runtime. */
  fetch?: Fetch;
  /** By default the one of the runtime. Node 20 has none: pass the one of `ws`. */
  WebSocket?: WebSocketConstructor | undefined;
  retry?: RetryPolicy;
  /** The time limit of each call, including its retries, unless the call has its own. */
  timeoutMs?: number;
}

export interface Client {
  baseUrl: string;
  /** Calls an endpoint of the contract; the types of input and answer are those of its constant. */
  call: Call;
  upload(source: UploadSource, options?: UploadOptions): Promise<UploadedFile>;
  download(fileId: string, options?: Parameters<typeof download>[2]): Promise<Download>;
  downloadThumbnail(fileId: string, options?: ThumbnailOptions): Promise<Download>;
  downloadZip(selection: ZipSelection, options?: DownloadOptions): Promise<Download>;
  session: Session;
  push: Push;
  runs: Runs;
}

const defaultTimeoutMs = 30_000;

export function createClient(options: ClientOptions): Client {
  const baseUrl = gatewayUrl(options.baseUrl);
  const credentials = new Credentials(options);
  const fetch: Fetch = options.fetch ?? ((url, request) => globalThis.fetch(url, request));
  const transport = new Transport({
    baseUrl,
    credentials,
    fetch,
    retry: options.retry ?? defaultRetryPolicy,
  });
  // A stream reconnects by rules of its own.
  const streams = new Transport({ baseUrl, credentials, fetch, retry: { maxTries: 1, maxWaitMs: 0 } });
  const call: Call = async (endpoint, ...[input]) => {
    const { signal, timeoutMs = options.timeoutMs ?? defaultTimeoutMs, ...parts } = input ?? {};
    const request = buildRequest(endpoint, parts);
    const value = await withDeadline({ signal, timeoutMs }, (ending) =>
      transport.exchange(request, { signal: ending, read: readValue }),
    );
    requireOutline(endpoint, value, baseUrl);
    return value as AnswerOf<typeof endpoint>;
  };
  return {
    baseUrl,
    call,
    upload: (source, uploadOptions) => upload(transport, source, uploadOptions),
    download: (fileId, downloadOptions) => download(transport, fileId, downloadOptions),
    downloadThumbnail: (fileId, thumbnailOptions) => downloadThumbnail(transport, fileId, thumbnailOptions),
    downloadZip: (selection, downloadOptions) => downloadZip(transport, selection, downloadOptions),
    session: new Session(call, credentials),
    push: new Push({ baseUrl, credentials, WebSocket: options.WebSocket }),
    runs: new Runs(streams),
  };
}

/** The part of a JSON schema that this file uses. */
interface Outline {
  type?: string;
  properties?: Record<string, Outline>;
  required?: readonly string[];
  const?: unknown;
}

/**
 * Another server may answer with JSON as well. The outline of an answer shows whether it comes from the gateway: it is
 * a list or an object as expected, and has the fields that the endpoint always returns. The values are not checked,
 * because the gateway writes its answers by the same schema, and a newer gateway may know more.
 */
function requireOutline({ schema }: Endpoint, value: unknown, url: string): void {
  const outline = Object.entries(schema.response).find(([status]) => status.startsWith('2'))?.[1] as
    | Outline
    | undefined;
  if (outline === undefined || fits(withoutEnvelope(outline), value)) return;
  throw new ConnectionError(
    'not_understood',
    `${url} answered something that no Switchyard gateway answers. Is a gateway at this address?`,
  );
}

function withoutEnvelope(outline: Outline): Outline {
  const { code, data } = outline.properties ?? {};
  return code?.const === 200 && data ? data : outline;
}

function fits({ type, required = [] }: Outline, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type !== 'object') return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return required.every((name) => Object.hasOwn(value, name));
}
