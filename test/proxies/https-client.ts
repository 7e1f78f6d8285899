import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { Agent, request } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';

export interface Call {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** 2 as a browser speaks, unless the test is about the other. */
  http?: 1 | 2;
  /** Another address of loopback, for a client at another machine. HTTP/1.1 alone. */
  from?: string;
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
}

/** A request whose body is still to come, and an answer whose body is still to be read. */
export interface Exchange {
  sent: Writable;
  answer: Promise<Answer & { body: Readable }>;
  /** What a reader does who closes the page. */
  leave(): void;
}

/** Every name leads to this machine. */
const lookup: LookupFunction = (_name, options, done) => {
  if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

/** A browser without the browser: HTTP/2, HTTP/1.1 and WebSockets to one name over TLS, with its cookies. */
export class HttpsClient {
  readonly origin: string;
  readonly #ca: string;
  readonly #http1: Agent;
  readonly #http2: ClientHttp2Session;
  #cookies = new Map<string, string>();

  constructor(origin: string, ca: string) {
    this.origin = origin;
    this.#ca = ca;
    this.#http1 = new Agent({ ca, lookup });
    this.#http2 = connect(origin, { ca, lookup, ALPNProtocols: ['h2'] } as object);
    // What it means stands at the request that it breaks.
    this.#http2.on('error', () => undefined);
  }

  get cookieHeader(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  close(): void {
    this.#http2.destroy();
    this.#http1.destroy();
  }

  /** Sends a request as a page of this origin does, and reads the whole answer. */
  async call(path: string, call: Call = {}): Promise<Answer & { text: string }> {
    const { body, method = body === undefined ? 'GET' : 'POST' } = call;
    const headers = { ...(body !== undefined && { 'content-type': 'application/json' }), ...call.headers };
    const exchange = this.begin(path, { ...call, method, headers: this.#asPage(method, headers) });
    exchange.sent.end(body);
    const answer = await exchange.answer;
    for (const cookie of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    return { ...answer, text: await text(answer.body) };
  }

  async json<Body>(path: string, content?: unknown): Promise<Body> {
    const answer = await this.call(path, content === undefined ? {} : { body: JSON.stringify(content) });
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return JSON.parse(answer.text) as Body;
  }

  /** Begins a request with what a page sends along. */
  beginAsPage(path: string, call: Call & { method: string }): Exchange {
    return this.begin(path, { ...call, headers: this.#asPage(call.method, call.headers ?? {}) });
  }

  begin(path: string, { method = 'GET', headers = {}, http = 2, from }: Call): Exchange {
    return http === 1
      ? this.#beginHttp1(path, { method, headers, from })
      : this.#beginHttp2(path, { method, headers });
  }

  socket(path: string): WebSocket {
    return new WebSocket(this.origin.replace('https', 'wss') + path, {
      ca: this.#ca,
      lookup,
      headers: { cookie: this.cookieHeader, origin: this.origin },
    } as WebSocket.ClientOptions);
  }

  #asPage(method: string, headers: Record<string, string>): Record<string, string> {
    const changing = { origin: this.origin, 'x-csrf-token': this.#cookies.get('csrf_token') ?? '' };
    return { cookie: this.cookieHeader, ...(method !== 'GET' && changing), ...headers };
  }

  #beginHttp1(
    path: string,
    { method, headers, from }: { method: string; headers: Record<string, string>; from: string | undefined },
  ): Exchange {
    const sent = request(new URL(path, this.origin), {
      method,
      headers,
      agent: this.#http1,
      ...(from !== undefined && { localAddress: from }),
    });
    const answer = new Promise<Answer & { body: Readable }>((resolve, reject) => {
      sent.once('response', (body) => {
        resolve({ status: body.statusCode ?? 0, headers: body.headers, body });
      });
      sent.once('error', reject);
    });
    return { sent, answer, leave: () => sent.destroy() };
  }

  #beginHttp2(
    path: string,
    { method, headers }: { method: string; headers: Record<string, string> },
  ): Exchange {
    const stream = this.#http2.request(
      { ':method': method, ':path': path, ...headers },
      { endStream: method === 'GET' },
    );
    const answer = new Promise<Answer & { body: Duplex }>((resolve, reject) => {
      stream.once('response', (received) => {
        resolve({ status: Number(received[':status']), headers: received, body: stream });
      });
      stream.once('error', reject);
    });
    return { sent: stream, answer, leave: () => stream.close(constants.NGHTTP2_CANCEL) };
  }
}
