import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { textOf } from '@switchyard/contract/sentences/sentences';
import type { Timer } from '../../../lib/async/timer.ts';
import { bareHost, whyHostDenied } from '../../../platform/outbound/host-rules.ts';
import { noProxies, type ProxySettings, proxyFor } from '../../../platform/outbound/proxy-rules.ts';
import { tunnelAgent } from '../../../platform/outbound/tunnel-agent.ts';
import { WorkerCallError } from '../worker-client.ts';
import { callFailure, failureOf } from './call-failure.ts';

export interface WorkerAddress {
  host: string;
  port: number;
  /** Stands in front of every path; empty when the worker has the whole address. */
  basePath: string;
  tls: false | { verify: boolean; ca: string | null };
  /** Sent with every request, such as a proxy's credentials. */
  headers: Readonly<Record<string, string>>;
}

export interface CallRequest {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: string;
  deadlineMs: number;
  /** The limit for the answer's body. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
  /**
   * Asked once the connection is there, directly before the request is written. When the answer is false, nothing is sent and
   * the call fails as one that was broken off by its caller.
   */
  maySend?: (() => boolean) | undefined;
}

export interface CallAnswer {
  status: number;
  body: Buffer;
}

export interface StreamRequest {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  /** The time until the answer's head has arrived, including the time to send the body. */
  deadlineMs: number;
  signal?: AbortSignal | undefined;
  /** Writes the body and ends the request; without it the request has no body. */
  send?: (request: http.ClientRequest) => void;
}

export type ConnectOptions = {
  host: string;
  port: number;
  lookup: LookupFunction;
  /** Set when connections go through a proxy. */
  agent?: http.Agent;
} & Pick<https.RequestOptions, 'rejectUnauthorized' | 'ca'>;

/** Headers that the connection itself depends on cannot be configured. */
const ownHeaders = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'expect',
  'te',
]);
/**
 * Shorter than the keep-alive of common servers, so that a call seldom meets a connection that is just being closed.
 */
const idleSocketMs = 4_000;
/** Longer than the usual time between two probes. A question that meets a closed connection is asked again. */
const idleQuestionMs = 15_000;

/**
 * HTTP to one worker over connections that stay open. Every call ends, at the latest at its deadline, and with a body
 * of at most the allowed size. Redirects are treated as answers and not followed, and nothing of a user's request is
 * passed on. Files have their own connections, so that they never hold up a submission, and so have questions, whose
 * connections are kept for longer than is safe for what must not be sent twice.
 */
export class WorkerHttp {
  readonly label: string;
  readonly headers: Record<string, string>;
  readonly isSecure: boolean;
  readonly #connect: ConnectOptions;
  readonly #basePath: string;
  readonly #denied: Sentence[] | null;
  readonly #timer: Timer;
  readonly #calls: http.Agent;
  readonly #questions: http.Agent;
  readonly #streams: http.Agent;
  readonly #proxy: string | null;
  readonly #socketAgent: http.Agent | null = null;

  constructor(
    address: WorkerAddress,
    {
      timer,
      lookup,
      proxies = noProxies,
    }: { timer: Timer; lookup: LookupFunction; proxies?: ProxySettings | undefined },
  ) {
    const { port, basePath, tls } = address;
    const host = bareHost(address.host);
    const secure = tls ? { rejectUnauthorized: tls.verify, ...(tls.ca ? { ca: tls.ca } : {}) } : {};
    this.#connect = { host, port, lookup, ...secure };
    this.#denied = whyHostDenied(host, { allowPrivate: true });
    this.#timer = timer;
    this.#basePath = basePath;
    this.label = `${host.includes(':') ? `[${host}]` : host}:${port}${basePath}`;
    this.isSecure = tls !== false;
    this.headers = Object.fromEntries(
      Object.entries(address.headers).filter(([name]) => !ownHeaders.has(name.toLowerCase())),
    );
    const authority = isIP(host) === 6 ? `[${host}]` : host;
    this.#proxy = proxyFor(new URL(`${this.isSecure ? 'https' : 'http'}://${authority}:${port}`), proxies);
    this.#calls = this.#newAgent();
    this.#questions = this.#newAgent(idleQuestionMs);
    this.#streams = this.#newAgent();
    if (this.#proxy !== null) this.#socketAgent = this.#newAgent();
  }

  /** Throws when the host may not be called. */
  get connectOptions(): ConnectOptions {
    if (this.#denied === null)
      return { ...this.#connect, ...(this.#socketAgent && { agent: this.#socketAgent }) };
    throw callFailure('host_not_allowed', this.label, {
      mayHaveArrived: false,
      detail: textOf(this.#denied),
    });
  }

  /** A question that meets a closed connection is asked once more, for at most its deadline again. */
  call(request: CallRequest): Promise<CallAnswer> {
    return request.method === 'GET'
      ? this.#callOver(this.#questions, request, () => this.#callOver(this.#calls, request))
      : this.#callOver(this.#calls, request);
  }

  #callOver(agent: http.Agent, request: CallRequest, again?: () => Promise<CallAnswer>): Promise<CallAnswer> {
    return new Promise((resolve, reject) => {
      const { maySend, body: sent } = request;
      const sending = this.#start(request, agent, {
        reject: (error) => {
          if (again && sending.request.reusedSocket && isBrokenOff(error)) again().then(resolve, reject);
          else reject(error);
        },
        maySend,
        onConnected: (connected) => connected.end(sent),
      });
      sending.request.on('response', (response) => {
        readBody(response, { maxBytes: request.maxBytes, label: this.label })
          .then((body) => {
            sending.settle();
            resolve({ status: response.statusCode ?? 0, body });
          })
          .catch(sending.fail);
      });
    });
  }

  /** The answer with its body unread: the caller reads it, or destroys it. */
  async stream(request: StreamRequest): Promise<{ response: http.IncomingMessage; release: () => void }> {
    return new Promise((resolve, reject) => {
      const sending = this.#start(request, this.#streams, { reject });
      sending.request.on('response', (response) => {
        sending.settle();
        resolve({ response, release: () => sending.request.destroy() });
      });
      if (request.send) request.send(sending.request);
      else sending.request.end();
    });
  }

  close(): void {
    this.#calls.destroy();
    this.#questions.destroy();
    this.#streams.destroy();
    this.#socketAgent?.destroy();
  }

  #start(sent: CallRequest | StreamRequest, agent: http.Agent, steps: SendingSteps): Sending {
    const { method, path, deadlineMs, signal } = sent;
    const body = 'body' in sent ? sent.body : undefined;
    const extra = sent.headers;
    const request = (this.isSecure ? https : http).request({
      method,
      path: `${this.#basePath}${path}`,
      headers: { ...this.headers, ...jsonHeaders(body), ...extra },
      ...this.connectOptions,
      agent,
    });
    return new Sending(request, { label: this.label, timer: this.#timer, deadlineMs, signal, ...steps });
  }

  #newAgent(timeout = idleSocketMs): http.Agent {
    const options = { keepAlive: true, maxSockets: 4, scheduling: 'lifo', timeout } as const;
    if (this.#proxy !== null) {
      const { host, port } = this.#connect;
      const target = { host, port, policy: { allowPrivate: true } };
      return tunnelAgent(this.#proxy, target, { ...options, isSecure: this.isSecure });
    }
    return this.isSecure ? new https.Agent(options) : new http.Agent(options);
  }
}

function isBrokenOff(error: unknown): boolean {
  return error instanceof WorkerCallError && error.workerCause === 'broken_off';
}

interface SendingSteps {
  reject: (error: unknown) => void;
  maySend?: CallRequest['maySend'];
  /** Called when the request has its connection and may be sent. */
  onConnected?: (request: http.ClientRequest) => void;
}

/** One request under way. It is settled once: by its answer, an error, the deadline or the caller. */
class Sending {
  readonly request: http.ClientRequest;
  readonly #label: string;
  readonly #reject: (error: unknown) => void;
  readonly #cancelDeadline: () => void;
  readonly #signal: AbortSignal | undefined;
  #mayHaveArrived = false;
  #isSettled = false;

  constructor(
    request: http.ClientRequest,
    options: {
      label: string;
      timer: Timer;
      deadlineMs: number;
      signal: AbortSignal | undefined;
    } & SendingSteps,
  ) {
    this.request = request;
    this.#label = options.label;
    this.#reject = options.reject;
    this.#signal = options.signal;
    this.#cancelDeadline = options.timer(() => this.fail(this.#own('timed_out')), options.deadlineMs);
    request.on('error', this.fail);
    request.on('socket', (socket) => {
      const connected = (): void => {
        if (this.#isSettled) return;
        if (options.maySend?.() === false) {
          this.#abort();
          return;
        }
        this.#mayHaveArrived = true;
        options.onConnected?.(request);
      };
      if (!socket.connecting) connected();
      else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connected);
    });
    if (options.signal?.aborted) queueMicrotask(this.#abort);
    else options.signal?.addEventListener('abort', this.#abort, { once: true });
  }

  readonly fail = (error: unknown): void => {
    if (this.#isSettled) return;
    this.settle();
    this.request.destroy();
    this.#reject(failureOf(error, this.#label, this.#mayHaveArrived));
  };

  settle(): void {
    this.#isSettled = true;
    this.#cancelDeadline();
    this.#signal?.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.fail(this.#own('aborted'));

  #own(cause: 'timed_out' | 'aborted'): WorkerCallError {
    return callFailure(cause, this.#label, { mayHaveArrived: this.#mayHaveArrived });
  }
}

/** Returns the whole body, or throws as soon as it is larger than allowed. */
export async function readBody(
  body: Readable,
  { maxBytes, label }: { maxBytes: number; label: string },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    body.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        reject(callFailure('too_large', label, { detail: `more than ${maxBytes} bytes` }));
        body.destroy();
      } else chunks.push(chunk);
    });
    body.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)));
    body.on('error', reject);
    body.on('close', () => {
      if (!body.readableEnded) reject(callFailure('broken_off', label));
    });
  });
}

function jsonHeaders(body: string | undefined): Record<string, string | number> {
  if (body === undefined) return {};
  return { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
}
