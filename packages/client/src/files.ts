import {
  type ArchiveForm,
  downloadFile,
  type FileFilterQuery,
  getThumbnail,
  type MaskPlace,
  type ThumbnailSize,
  uploadFile,
  zipFiles,
  zipSelectedFiles,
} from '@switchyard/contract/dispatch/file';
import { receivingStream, sendingStream } from './byte-stream.ts';
import { Deadline, withDeadline } from './deadline.ts';
import type { AnswerOf } from './endpoint-types.ts';
import { multipartBody } from './multipart.ts';
import { readValue } from './read-answer.ts';
import { buildRequest, type OutgoingRequest } from './request.ts';
import type { Transport } from './transport.ts';

/** A `File` or `Blob`, or, outside a browser, anything that yields bytes, for example a Node stream. */
export type UploadSource = Blob | AsyncIterable<Uint8Array>;

export interface UploadOptions {
  /** Not needed for a `File`, which has a name of its own. */
  filename?: string;
  contentType?: string;
  /** The size of a stream, if it is known. A stream that is too large is then refused before it is sent. */
  sizeBytes?: number;
  /** The id of the picture over which the source was painted as a mask. */
  maskOf?: string | undefined;
  maskPlace?: MaskPlace | undefined;
  signal?: AbortSignal | undefined;
  /**
   * For a `Blob` the time of the whole upload, whose progress is not visible; for a stream the silence between two
   * chunks.
   */
  timeoutMs?: number;
}

export type UploadedFile = AnswerOf<typeof uploadFile>;

export interface DownloadOptions {
  signal?: AbortSignal | undefined;
  /** The maximum silence before the first byte and between two chunks. */
  timeoutMs?: number;
}

export interface Download {
  /** The caller has to read it to its end or cancel it: until then it holds a connection. */
  stream: ReadableStream<Uint8Array>;
  sizeBytes: number | null;
  contentType: string | null;
  /** The name as the gateway keeps it. It is not yet safe as a path. */
  filename: string | null;
}

/** 200 MB, the usual limit of a file, over a line of 3 Mbit/s. */
const blobUploadTimeoutMs = 600_000;
const silenceTimeoutMs = 60_000;

export async function upload(
  transport: Transport,
  source: UploadSource,
  options: UploadOptions = {},
): Promise<UploadedFile> {
  const filename = options.filename ?? (source instanceof File ? source.name : undefined);
  if (filename === undefined) throw new TypeError('An upload needs a filename.');
  const answer =
    source instanceof Blob
      ? await uploadBlob(transport, source, { ...options, filename })
      : await uploadStream(transport, source, { ...options, filename });
  return answer as UploadedFile;
}

/** The browser, or Node, reads the content itself while it sends, and does not report its progress. */
function uploadBlob(
  transport: Transport,
  blob: Blob,
  {
    filename,
    contentType = blob.type,
    signal,
    timeoutMs = blobUploadTimeoutMs,
    maskOf,
    maskPlace,
  }: UploadOptions & { filename: string },
): Promise<unknown> {
  const body = new FormData();
  body.append('file', contentType === blob.type ? blob : new Blob([blob], { type: contentType }), filename);
  return withDeadline({ signal, timeoutMs }, (ending) =>
    transport.exchange(
      { ...buildRequest(uploadFile, { query: { maskOf, maskPlace } }), body },
      { signal: ending, read: readValue },
    ),
  );
}

async function uploadStream(
  transport: Transport,
  source: AsyncIterable<Uint8Array>,
  options: UploadOptions & { filename: string },
): Promise<unknown> {
  const {
    filename,
    contentType = 'application/octet-stream',
    sizeBytes,
    signal,
    timeoutMs = silenceTimeoutMs,
    maskOf,
    maskPlace,
  } = options;
  const deadline = new Deadline({ signal, timeoutMs });
  const { headers, chunks } = multipartBody(source, { filename, contentType, sizeBytes });
  try {
    const answer = await transport.exchange(
      {
        ...buildRequest(uploadFile, { query: { maskOf, maskPlace } }),
        headers,
        body: sendingStream(chunks, { deadline, idleTimeoutMs: timeoutMs }),
      },
      { signal: deadline.signal, read: readValue },
    );
    deadline.release();
    return answer;
  } catch (error) {
    // The gateway may refuse before it has read the whole body.
    deadline.abandon(error);
    throw error;
  }
}

/** Uses the credentials of the client. The links of a file work without credentials; they are for sharing. */
export async function download(
  transport: Transport,
  fileId: string,
  { strip, ...options }: DownloadOptions & { strip?: ArchiveForm['strip'] | undefined } = {},
): Promise<Download> {
  // The name in the address is for people who see it; the gateway uses only the id.
  const request = buildRequest(downloadFile, { params: { fileId, filename: 'file' }, query: { strip } });
  return receive(transport, request, options);
}

export interface ThumbnailOptions extends DownloadOptions {
  /** The longer side in pixels; 256 by default. */
  size?: ThumbnailSize;
}

/** A small WebP of a stored picture. In a page, the link of the file with `&size=256` behind it does the same. */
export async function downloadThumbnail(
  transport: Transport,
  fileId: string,
  { size, ...options }: ThumbnailOptions = {},
): Promise<Download> {
  return receive(transport, buildRequest(getThumbnail, { params: { fileId }, query: { size } }), options);
}

/** These files in this order, or those that fit a filter; and how their names are made, and what goes with them. */
export type ZipSelection = ({ fileIds: readonly string[] } | { filter: Partial<FileFilterQuery> }) & {
  [Choice in keyof ArchiveForm]?: ArchiveForm[Choice] | undefined;
};

/** Files as one archive. Reading it fails when it breaks off, so half an archive is never taken for a whole one. */
export async function downloadZip(
  transport: Transport,
  selection: ZipSelection,
  options: DownloadOptions = {},
): Promise<Download> {
  const { names, recipes, strip } = selection;
  const form = { names, recipes, strip };
  const request =
    'fileIds' in selection
      ? buildRequest(zipSelectedFiles, { body: { fileIds: selection.fileIds, ...form } })
      : buildRequest(zipFiles, { query: { ...selection.filter, ...form } });
  return receive(transport, request, options);
}

async function receive(
  transport: Transport,
  request: OutgoingRequest,
  { signal, timeoutMs = silenceTimeoutMs }: DownloadOptions,
): Promise<Download> {
  const deadline = new Deadline({ signal, timeoutMs });
  try {
    return await transport.exchange(request, {
      signal: deadline.signal,
      read: async ({ body, headers }) => ({
        stream: receivingStream(body ?? new Blob([]).stream(), { deadline, idleTimeoutMs: timeoutMs }),
        sizeBytes: numberOf(headers.get('content-length')),
        contentType: headers.get('content-type'),
        filename: nameOf(headers.get('content-disposition')),
      }),
    });
  } catch (error) {
    deadline.abandon(error);
    throw error;
  }
}

/** RFC 6266; the gateway always writes the form that holds every character. */
function nameOf(disposition: string | null): string | null {
  const encoded = /filename\*=UTF-8''([^;\s]+)/i.exec(disposition ?? '')?.[1];
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null; // not a header of the gateway
  }
}

function numberOf(header: string | null): number | null {
  return header !== null && /^\d+$/.test(header) ? Number(header) : null;
}
