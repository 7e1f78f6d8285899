import { randomUUID } from 'node:crypto';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import type { Timer } from '../../../lib/async/timer.ts';
import type { FileToPush, OutputFile, PulledOutput, PullOptions } from '../worker-client.ts';
import { bareFileName, workerFileName, workerFolder } from '../worker-file-name.ts';
import { callFailure, failureOf, failureOfStatus } from './call-failure.ts';
import { readJson, uploaded } from './wire.ts';
import { readBody, type WorkerHttp } from './worker-http.ts';

/** A worker that stays slower than this is treated as gone. */
const slowestBytesPerMs = 64;
const baseDeadlineMs = 30_000;
const idleMs = 30_000;
const maxAnswerBytes = 65_536;

export async function pushFile(
  http: WorkerHttp,
  file: FileToPush,
  { signal, timer }: { signal: AbortSignal | undefined; timer: Timer },
): Promise<string> {
  const boundary = `switchyard-${randomUUID()}`;
  const head = Buffer.from(
    `${textPart(boundary, 'type', 'input')}${textPart(boundary, 'subfolder', workerFolder)}${textPart(boundary, 'overwrite', 'true')}` +
      `--${boundary}\r\ncontent-disposition: form-data; name="image"; filename="${bareFileName(file)}"\r\n` +
      'content-type: application/octet-stream\r\n\r\n',
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const { response } = await http.stream({
    method: 'POST',
    path: '/upload/image',
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + file.sizeBytes + tail.length),
    },
    deadlineMs: baseDeadlineMs + file.sizeBytes / slowestBytesPerMs,
    signal,
    send: (request) => sendBody(request, parts(head, file, tail)),
  });
  const failure = failureOfStatus(response.statusCode ?? 0, http.label);
  if (failure) {
    response.destroy();
    throw failure;
  }
  const body = await readAnswer(response, { label: http.label, timer });
  const { name, subfolder = '' } = readJson(body, uploaded, http.label);
  const stored = subfolder === '' ? name : `${subfolder}/${name}`;
  if (stored === workerFileName(file)) return stored;
  throw callFailure('bad_answer', http.label, { detail: 'it stored a file under another name than asked' });
}

/** The head of the answer came in time; its body has its own deadline. */
async function readAnswer(
  response: IncomingMessage,
  { label, timer, maxBytes = maxAnswerBytes }: { label: string; timer: Timer; maxBytes?: number },
): Promise<Buffer> {
  const cancel = timer(() => response.destroy(callFailure('timed_out', label)), idleMs);
  try {
    return await readBody(response, { maxBytes, label });
  } finally {
    cancel();
  }
}

/** The side that ends first ends the other too; the request's own error handling answers the caller. */
function sendBody(request: ClientRequest, parts: AsyncIterable<Buffer>): void {
  const body = Readable.from(parts);
  body.on('error', (error) => request.destroy(error));
  request.on('close', () => body.destroy());
  body.pipe(request);
}

async function* parts(head: Buffer, file: FileToPush, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  let sizeBytes = 0;
  for await (const chunk of file.open() as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > file.sizeBytes) break;
    yield chunk;
  }
  if (sizeBytes !== file.sizeBytes)
    throw new Error(`A stored file has another size than recorded: ${file.sha256}`);
  yield tail;
}

function textPart(boundary: string, name: string, value: string): string {
  return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

export async function pullOutput(
  http: WorkerHttp,
  output: OutputFile,
  { maxBytes, signal, timer }: PullOptions & { timer: Timer },
): Promise<PulledOutput | null> {
  const { filename, subfolder, folder } = output;
  const query = new URLSearchParams({ filename, subfolder, type: folder });
  const { response, release } = await http.stream({
    method: 'GET',
    path: `/view?${query}`,
    deadlineMs: baseDeadlineMs,
    signal,
  });
  const status = response.statusCode ?? 0;
  // 400 and 403 mean that the worker does not hand out files with such a name.
  const isMissing = status === 404 || status === 400 || status === 403;
  const failure = isMissing ? null : failureOfStatus(status, http.label);
  if (isMissing || failure) {
    release();
    if (failure) throw failure;
    return null;
  }
  const length = Number(response.headers['content-length'] ?? Number.NaN);
  const sizeBytes = Number.isSafeInteger(length) ? length : null;
  if (sizeBytes !== null && sizeBytes > maxBytes) {
    release();
    throw callFailure('too_large', http.label, { detail: `${sizeBytes} bytes, ${maxBytes} are allowed` });
  }
  const contentType = (response.headers['content-type'] ?? 'application/octet-stream').slice(0, 200);
  return {
    contentType,
    sizeBytes,
    body: guarded(response, { label: http.label, maxBytes, signal, timer, release }),
  };
}

/** The body with its limits: size, idle time, whole time. Destroying it ends the connection. */
function guarded(
  response: IncomingMessage,
  guard: {
    label: string;
    maxBytes: number;
    signal: AbortSignal | undefined;
    timer: Timer;
    release: () => void;
  },
): Readable {
  const { label, maxBytes, signal, timer } = guard;
  const body = new PassThrough();
  // A limit may be reached before the first read, when nothing else listens for errors: an error would then end the
  // process.
  body.on('error', () => undefined);
  let received = 0;
  const fail = (error: unknown) => body.destroy(error instanceof Error ? error : new Error(String(error)));
  const onIdle = () => fail(callFailure('timed_out', label, { detail: 'no byte for too long' }));
  const onAbort = () => fail(callFailure('aborted', label));
  let cancelIdle = timer(onIdle, idleMs);
  const cancelWhole = timer(
    () => fail(callFailure('timed_out', label, { detail: 'too slow' })),
    baseDeadlineMs + maxBytes / slowestBytesPerMs,
  );
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  response.on('data', (chunk: Buffer) => {
    cancelIdle();
    cancelIdle = timer(onIdle, idleMs);
    received += chunk.length;
    if (received > maxBytes) fail(callFailure('too_large', label, { detail: `more than ${maxBytes} bytes` }));
  });
  response.on('error', (error) => fail(failureOf(error, label, true)));
  response.pipe(body);
  body.on('close', () => {
    cancelIdle();
    cancelWhole();
    signal?.removeEventListener('abort', onAbort);
    if (!response.complete || !body.readableEnded) guard.release();
  });
  return body;
}

/** A file of the worker's page, or the answer that the known one is still right. */
export type PageFile = { contentType: string; body: Buffer; mark: FileMark };

/** By these a worker recognises the file that is known. */
export interface FileMark {
  etag: string | undefined;
  lastModified: string | undefined;
}

/** Returns `unchanged` when the known file is still right, and null when the worker has no such file or leads elsewhere. */
export async function readPageFile(
  http: WorkerHttp,
  path: string,
  { known, maxBytes, timer }: { known: FileMark | undefined; maxBytes: number; timer: Timer },
): Promise<PageFile | 'unchanged' | null> {
  const { response, release } = await http.stream({
    method: 'GET',
    path,
    headers: {
      'accept-encoding': 'identity',
      ...(known?.etag !== undefined && { 'if-none-match': known.etag }),
      ...(known?.lastModified !== undefined && { 'if-modified-since': known.lastModified }),
    },
    deadlineMs: baseDeadlineMs,
  });
  const { statusCode: status = 0, headers } = response;
  if (status === 200 && headers['content-encoding'] === undefined) {
    const body = await readAnswer(response, { label: http.label, timer, maxBytes });
    const contentType = (headers['content-type'] ?? 'application/octet-stream').slice(0, 200);
    return { contentType, body, mark: { etag: headers.etag, lastModified: headers['last-modified'] } };
  }
  release();
  if (status === 304 && known) return 'unchanged';
  const failure = failureOfStatus(status, http.label);
  if (failure && status >= 500) throw failure;
  return null;
}
