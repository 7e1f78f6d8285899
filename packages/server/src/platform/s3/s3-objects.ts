import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { S3Calls, type S3CallsOptions } from './s3-calls.ts';
import { S3Fault } from './s3-fault.ts';

export interface ListedObject {
  key: string;
  modifiedMs: number;
}

export interface ListedUpload {
  key: string;
  uploadId: string;
  begunMs: number;
}

export interface StoredPart {
  number: number;
  etag: string;
}

/** The objects of one bucket below one prefix, by keys without the prefix. */
export class S3Objects {
  readonly #calls: S3Calls;
  readonly #place: S3CallsOptions;

  constructor(options: S3CallsOptions) {
    this.#calls = new S3Calls(options);
    this.#place = options;
  }

  /** Names the place to people. */
  get shown(): string {
    return `s3://${this.#place.bucket}/${this.#place.prefix}`;
  }

  get silentMs(): number {
    return this.#calls.silentMs;
  }

  get aheadMs(): number {
    return this.#calls.aheadMs;
  }

  async put(
    key: string,
    body: Buffer,
    { sha256, signal }: { sha256: string; signal?: AbortSignal | undefined },
  ) {
    const call = { operation: 'put', method: 'PUT', key: this.#full(key) } as const;
    await this.#calls.ask({ ...call, body, bodySha256: sha256, signal });
  }

  /** Returns the size, or null when there is no such object. */
  async sizeOf(key: string, signal?: AbortSignal): Promise<number | null> {
    const answer = await this.#calls.ask({ operation: 'head', method: 'HEAD', key: this.#full(key), signal });
    return answer && Number(answer.headers['content-length']);
  }

  async open(key: string, range?: { start: number; end: number }): Promise<IncomingMessage | null> {
    const headers = range && { range: `bytes=${range.start}-${range.end}` };
    return this.#calls.open({
      operation: 'get',
      method: 'GET',
      key: this.#full(key),
      ...(headers && { headers }),
    });
  }

  /** Returns a small object as text. */
  async read(key: string): Promise<string | null> {
    const answer = await this.#calls.ask({ operation: 'get', method: 'GET', key: this.#full(key) });
    return answer?.text ?? null;
  }

  async delete(key: string): Promise<void> {
    await this.#calls.ask({ operation: 'delete', method: 'DELETE', key: this.#full(key) });
  }

  async beginParts(key: string, signal?: AbortSignal): Promise<string> {
    const call = { operation: 'begin_parts', method: 'POST', key: this.#full(key) } as const;
    const answer = await this.#calls.ask({ ...call, query: { uploads: '' }, signal });
    const uploadId = textOf(answer?.text ?? '', 'UploadId');
    if (!uploadId) throw new S3Fault('rejected', `S3 has begun no upload in parts below ${this.shown}.`);
    return uploadId;
  }

  async putPart(
    { key, uploadId, number }: { key: string; uploadId: string; number: number },
    body: Buffer<ArrayBuffer>,
    signal?: AbortSignal,
  ): Promise<StoredPart> {
    // Threads of the pool hash it: the main thread has hashed these bytes once already.
    const bodySha256 = Buffer.from(await crypto.subtle.digest('SHA-256', body)).toString('hex');
    const answer = await this.#calls.ask({
      operation: 'put_part',
      method: 'PUT',
      key: this.#full(key),
      query: { partNumber: String(number), uploadId },
      body,
      bodySha256,
      signal,
    });
    const etag = answer?.headers.etag;
    if (!etag) throw new S3Fault('damaged', `S3 has lost an upload in parts below ${this.shown}.`);
    return { number, etag };
  }

  /** Puts the parts together. Throws when the object is not as large as the parts were. */
  async endParts(
    { key, uploadId }: { key: string; uploadId: string },
    {
      parts,
      sizeBytes,
      signal,
    }: { parts: StoredPart[]; sizeBytes: number; signal?: AbortSignal | undefined },
  ): Promise<void> {
    const list = parts.map(
      ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
    );
    const body = Buffer.from(`<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`);
    await this.#calls.ask({
      operation: 'end_parts',
      method: 'POST',
      key: this.#full(key),
      query: { uploadId },
      headers: { 'content-type': 'application/xml' },
      body,
      bodySha256: createHash('sha256').update(body).digest('hex'),
      signal,
    });
    // It also finds the object whose first answer was lost, since the upload is unknown the second time.
    const found = await this.sizeOf(key, signal);
    if (found === sizeBytes) return;
    const now = found === null ? 'is missing' : `has ${found} bytes`;
    throw new S3Fault(
      'damaged',
      `S3 has lost parts: an object of ${sizeBytes} bytes below ${this.shown} ${now}.`,
    );
  }

  async abortParts({ key, uploadId }: { key: string; uploadId: string }): Promise<void> {
    const call = { operation: 'abort_parts', method: 'DELETE', key: this.#full(key) } as const;
    await this.#calls.ask({ ...call, query: { uploadId } });
  }

  /** Yields pages of all objects whose key begins so, with the time of the service when it made the page. */
  async *pages(
    beginning: string,
    signal?: AbortSignal,
  ): AsyncGenerator<{ objects: ListedObject[]; theirNowMs: number }> {
    let token: string | undefined;
    do {
      const query = {
        'list-type': '2',
        prefix: this.#full(beginning),
        ...(token !== undefined && { 'continuation-token': token }),
      };
      const { text, theirNowMs } = await this.#list(query, signal);
      const objects = elementsOf(text, 'Contents').map((entry) => ({
        key: this.#withoutPrefix(textOf(entry, 'Key')),
        modifiedMs: Date.parse(textOf(entry, 'LastModified')),
      }));
      yield { objects, theirNowMs };
      token = textOf(text, 'IsTruncated') === 'true' ? textOf(text, 'NextContinuationToken') : undefined;
    } while (token !== undefined);
  }

  /**
   * Returns up to a thousand uploads in parts that have not ended. Returns none from a service that does not list them; a rule of
   * the bucket has to remove them there.
   */
  async uploads(
    beginning: string,
    signal?: AbortSignal,
  ): Promise<{ found: ListedUpload[]; theirNowMs: number }> {
    try {
      const query = { uploads: '', prefix: this.#full(beginning) };
      const { text, theirNowMs } = await this.#list(query, signal);
      const found = elementsOf(text, 'Upload').map((entry) => ({
        key: this.#withoutPrefix(textOf(entry, 'Key')),
        uploadId: textOf(entry, 'UploadId'),
        begunMs: Date.parse(textOf(entry, 'Initiated')),
      }));
      return { found, theirNowMs };
    } catch (error) {
      if (error instanceof S3Fault && error.kind === 'rejected') return { found: [], theirNowMs: 0 };
      throw error;
    }
  }

  /** Returns an address from which anyone can load the object until it expires, with these headers of the answer. */
  presign(
    key: string,
    { contentType, disposition, seconds }: { contentType: string; disposition: string; seconds: number },
  ): Promise<string> {
    const query = { 'response-content-type': contentType, 'response-content-disposition': disposition };
    return this.#calls.presign(this.#full(key), query, seconds);
  }

  close(): void {
    this.#calls.close();
  }

  async #list(query: Record<string, string>, signal: AbortSignal | undefined) {
    const answer = await this.#calls.ask({ operation: 'list', method: 'GET', key: '', query, signal });
    const theirs = Date.parse(answer?.headers.date ?? '');
    return {
      text: answer?.text ?? '',
      theirNowMs: Number.isFinite(theirs) ? theirs : this.#place.now() + this.aheadMs,
    };
  }

  #full(key: string): string {
    return `${this.#place.prefix}${key}`;
  }

  #withoutPrefix(key: string): string {
    return key.startsWith(this.#place.prefix) ? key.slice(this.#place.prefix.length) : '';
  }
}

/** Returns what stands in each element of this name, as XML. The answers of S3 nest no element in one of the same name. */
function elementsOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, 'g'))].map(([, inner = '']) => inner);
}

function textOf(xml: string, name: string): string {
  return unescaped(elementsOf(xml, name)[0] ?? '');
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#34': '"' };

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos|#34);/g, (_, name: string) => entities[name] ?? '');
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? '');
}
