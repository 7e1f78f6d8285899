import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { AwsV4Signer } from 'aws4fetch';
import { type Deadline, deadline } from '../../lib/async/deadline.ts';
import { sleepWithSignal } from '../../lib/async/sleep-with-signal.ts';
import type { Clock } from '../../lib/clock.ts';
import { faultOfAnswer, faultOfConnection, S3Fault } from './s3-fault.ts';

/** The address of the objects, and the key with which calls are signed. */
export interface S3Place {
  /** Scheme, host and port. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Begins the name of every object. It ends with a slash. */
  prefix: string;
  /** True when the bucket is the first part of the path, false when it is part of the host name. */
  pathStyle: boolean;
  accessKeyId: string;
  secretAccessKey: string;
}

export type S3Operation =
  | 'put'
  | 'get'
  | 'head'
  | 'delete'
  | 'list'
  | 'begin_parts'
  | 'put_part'
  | 'end_parts'
  | 'abort_parts';

export interface S3Limits {
  /** The time that one try of a call may take until the answer begins, its body sent. */
  answerMs: number;
  /** The time for which a body that is being read may bring nothing. */
  silentMs: number;
  tries: number;
  firstRetryMs: number;
}

const defaultS3Limits: S3Limits = { answerMs: 30_000, silentMs: 30_000, tries: 4, firstRetryMs: 250 };

export interface S3CallsOptions extends S3Place {
  limits?: Partial<S3Limits>;
  now: Clock;
  /** Called after each try. */
  onTried?: (operation: S3Operation, outcome: S3Outcome, seconds: number) => void;
}

export type S3Outcome = 'ok' | 'missing' | S3Fault['kind'];

export interface S3Call {
  operation: S3Operation;
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Empty for the bucket itself. */
  key: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Buffer;
  /** The hash of the body, which the store compares with what has arrived. */
  bodySha256?: string;
  signal?: AbortSignal | undefined;
}

export interface S3Answer {
  headers: IncomingHttpHeaders;
  text: string;
}

/** No answer in XML is larger: a page of a list has a thousand names. */
const maxTextBytes = 4 * 1024 * 1024;
const mayBeMissing: ReadonlySet<S3Operation> = new Set([
  'get',
  'head',
  'delete',
  'put_part',
  'end_parts',
  'abort_parts',
]);
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
/** Downloads last as long as their clients are slow, so they do not share connections with the rest. */
const connections = { downloads: 512, others: 64 };

/** Signed calls to an S3 service: with a time limit, repeated where that can help, and each failure as one sentence. */
export class S3Calls {
  readonly #options: S3CallsOptions;
  readonly #limits: S3Limits;
  readonly #base: URL;
  readonly #agents: { downloads: HttpAgent; others: HttpAgent };
  /** Derived keys, one a day. */
  readonly #signingKeys = new Map<string, ArrayBuffer>();
  /**
   * The time by which the clock of the service is ahead of this one; learnt when it refuses a signature for its time.
   */
  #aheadMs = 0;

  constructor(options: S3CallsOptions) {
    this.#options = options;
    this.#limits = { ...defaultS3Limits, ...options.limits };
    this.#base = baseOf(options);
    const Agent = this.#base.protocol === 'https:' ? HttpsAgent : HttpAgent;
    const agentFor = (maxSockets: number) => new Agent({ keepAlive: true, maxSockets, timeout: 0 });
    this.#agents = {
      downloads: agentFor(connections.downloads),
      others: agentFor(connections.others),
    };
  }

  get silentMs(): number {
    return this.#limits.silentMs;
  }

  /** The time by which the clock of the service is ahead of the clock of this machine, as far as it is known. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** Returns the whole answer, or null when there is no such object. */
  async ask(call: S3Call): Promise<S3Answer | null> {
    return this.#patiently(call, async (limit) => {
      const incoming = await this.#send(call, { agent: this.#agents.others, limit });
      const text = await textOf(incoming, call);
      return this.#isThere(call, incoming, text) ? { headers: incoming.headers, text } : null;
    });
  }

  /** Returns the answer once it has begun, or null when there is no such object. The caller reads or destroys it. */
  async open(call: S3Call): Promise<IncomingMessage | null> {
    return this.#patiently(call, async (limit) => {
      const incoming = await this.#send(call, { agent: this.#agents.downloads, limit });
      if ((incoming.statusCode ?? 0) < 300) return incoming;
      const text = await textOf(incoming, call);
      return this.#isThere(call, incoming, text) ? incoming : null;
    });
  }

  /** Returns an address with which anyone may load the object until it expires. */
  async presign(key: string, query: Record<string, string>, seconds: number): Promise<string> {
    const url = this.#urlOf(key, { ...query, 'X-Amz-Expires': String(seconds) });
    const { url: signed } = await this.#signer({ method: 'GET', url: url.href, signQuery: true }).sign();
    return signed.href;
  }

  close(): void {
    this.#agents.downloads.destroy();
    this.#agents.others.destroy();
  }

  /** Returns false for an object that does not exist. Throws for an answer that reports a fault. */
  #isThere(call: S3Call, incoming: IncomingMessage, text: string): boolean {
    const status = incoming.statusCode ?? 0;
    // An upload that is put together may fail after the status was sent.
    const isFailed = status >= 300 || (call.operation === 'end_parts' && /<Error>/.test(text));
    if (!isFailed) return true;
    if (status === 404 && mayBeMissing.has(call.operation) && !/<Code>NoSuchBucket</.test(text)) return false;
    const fault = faultOfAnswer({ status, text, headers: incoming.headers }, this.#options);
    if (fault.kind === 'clock') this.#learnClock(incoming.headers.date);
    throw fault;
  }

  #learnClock(date: string | undefined): void {
    const theirs = Date.parse(date ?? '');
    if (Number.isFinite(theirs)) this.#aheadMs = theirs - this.#options.now();
  }

  async #patiently<Answer>(
    call: S3Call,
    attempt: (limit: Deadline) => Promise<Answer | null>,
  ): Promise<Answer | null> {
    const { tries, firstRetryMs } = this.#limits;
    for (let tried = 1; ; tried += 1) {
      const fault = await this.#once(call, attempt);
      if ('answer' in fault) return fault.answer;
      if (tried >= tries || !fault.isPassing) throw fault;
      // Jitter keeps replicas from coming back together.
      await sleepWithSignal(firstRetryMs * 2 ** (tried - 1) * (0.5 + Math.random()), call);
    }
  }

  async #once<Answer>(
    call: S3Call,
    attempt: (limit: Deadline) => Promise<Answer | null>,
  ): Promise<S3Fault | { answer: Answer | null }> {
    const { onTried } = this.#options;
    const began = performance.now();
    const note = (outcome: S3Outcome) =>
      onTried?.(call.operation, outcome, (performance.now() - began) / 1000);
    const limit = deadline(this.#limits.answerMs, call.signal);
    try {
      const answer = await attempt(limit);
      note(answer === null ? 'missing' : 'ok');
      return { answer };
    } catch (error) {
      if (call.signal?.aborted) throw call.signal.reason;
      const fault = error instanceof S3Fault ? error : faultOfConnection(error, this.#options);
      note(fault.kind);
      return fault;
    } finally {
      limit.release();
    }
  }

  async #send(
    call: S3Call,
    { agent, limit }: { agent: HttpAgent; limit: Deadline },
  ): Promise<IncomingMessage> {
    const { method, key, query = {}, body } = call;
    const url = this.#urlOf(key, query);
    const signed = await this.#signer({
      method,
      url: url.href,
      headers: { ...call.headers, 'x-amz-content-sha256': call.bodySha256 ?? emptySha256 },
    }).sign();
    const headers = {
      ...Object.fromEntries(signed.headers),
      ...((body || method === 'PUT' || method === 'POST') && { 'content-length': body?.length ?? 0 }),
    };
    return exchange(url, { options: { method, headers, agent, signal: limit.signal }, body });
  }

  #signer(what: { method: string; url: string; headers?: Record<string, string>; signQuery?: boolean }) {
    const { accessKeyId, secretAccessKey, region, now } = this.#options;
    const datetime = new Date(now() + this.#aheadMs).toISOString().replace(/[:-]|\.\d{3}/g, '');
    if (this.#signingKeys.size > 2) this.#signingKeys.clear();
    return new AwsV4Signer({
      ...what,
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
      datetime,
      cache: this.#signingKeys,
    });
  }

  #urlOf(key: string, query: Record<string, string>): URL {
    const url = new URL(this.#base);
    url.pathname = `${url.pathname}${key}`;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }
}

/** Returns the address of the bucket, with a slash at its end. */
function baseOf({ endpoint, bucket, pathStyle }: S3Place): URL {
  const url = new URL(endpoint);
  if (pathStyle) url.pathname = `/${bucket}/`;
  else url.hostname = `${bucket}.${url.hostname}`;
  return url;
}

function exchange(
  url: URL,
  { options, body }: { options: RequestOptions; body: Buffer | undefined },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options);
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function textOf(incoming: IncomingMessage, { method }: S3Call): Promise<string> {
  if (method === 'HEAD') {
    incoming.resume();
    return '';
  }
  let text = '';
  incoming.setEncoding('utf8');
  for await (const chunk of incoming as AsyncIterable<string>) {
    text += chunk;
    if (text.length > maxTextBytes) throw new Error('The answer is larger than any of S3.');
  }
  return text;
}
