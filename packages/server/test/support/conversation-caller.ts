import type { HttpSession } from '@switchyard/dev-env/http-session';
import { expect } from 'vitest';
import { ConversationStream, type Frame } from './conversation-stream.ts';

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads answers as they come, to see what is on the wire
  body: any;
  text: string;
}

interface Sent {
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** A user with a personal access token, who knows only the conversation contract. */
export class ConversationCaller {
  readonly url: string;
  readonly mount: string;
  readonly token: string;
  readonly userId: string;

  private constructor(caller: Pick<ConversationCaller, 'url' | 'mount' | 'token' | 'userId'>) {
    this.url = caller.url;
    this.mount = caller.mount;
    this.token = caller.token;
    this.userId = caller.userId;
  }

  static async of(
    url: string,
    session: HttpSession,
    further: readonly string[] = [],
  ): Promise<ConversationCaller> {
    const { id } = await session.get<{ id: string }>('/api/v1/auth/me');
    const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', {
      name: 'test',
      scopes: ['conversation:read', 'conversation:write', ...further],
    });
    return new ConversationCaller({ url, mount: '/api', token, userId: id });
  }

  /** A caller with a credential of somebody else's authentication, at the mount where that counts. */
  static withKey(url: string, token: string): ConversationCaller {
    return new ConversationCaller({ url, mount: '/api/langgraph', token, userId: '' });
  }

  /** The same user at the other mount. */
  at(mount: '/api' | '/api/langgraph'): ConversationCaller {
    return new ConversationCaller({ url: this.url, token: this.token, userId: this.userId, mount });
  }

  /** The same user at another replica. */
  atReplica(url: string): ConversationCaller {
    return new ConversationCaller({ url, token: this.token, userId: this.userId, mount: this.mount });
  }

  /** `path` is relative to the mount. */
  async call(method: string, path: string, { body, headers = {}, signal }: Sent = {}): Promise<Answer> {
    const answer = await this.#fetch(method, path, { body, headers, ...(signal && { signal }) });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: parse(text), text };
  }

  get(path: string): Promise<Answer> {
    return this.call('GET', path);
  }

  post(path: string, body: unknown = {}): Promise<Answer> {
    return this.call('POST', path, { body });
  }

  /** Returns the body of a call that has to succeed. */
  async ok(method: string, path: string, body?: unknown): Promise<Answer['body']> {
    const answer = await this.call(method, path, { ...(body !== undefined && { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  }

  async thread(body: object = {}): Promise<string> {
    return (await this.ok('POST', '/threads', body)).thread_id;
  }

  /** Waits for the end of a run and returns its values. */
  async wait(threadId: string, body: object): Promise<Answer['body']> {
    return this.ok('POST', `/threads/${threadId}/runs/wait`, body);
  }

  async run(threadId: string, body: object): Promise<Answer['body']> {
    return this.ok('POST', `/threads/${threadId}/runs`, body);
  }

  /** Returns the run once it has ended. */
  async ended(threadId: string, runId: string): Promise<Answer['body']> {
    await this.ok('GET', `/threads/${threadId}/runs/${runId}/join`);
    return this.ok('GET', `/threads/${threadId}/runs/${runId}`);
  }

  /** Opens a stream and returns it with its headers read. */
  async open(method: string, path: string, { body, headers = {} }: Sent = {}): Promise<ConversationStream> {
    const abort = new AbortController();
    const answer = await this.#fetch(method, path, { body, headers, signal: abort.signal });
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return new ConversationStream(answer, abort);
  }

  stream(threadId: string, body: object): Promise<ConversationStream> {
    return this.open('POST', `/threads/${threadId}/runs/stream`, { body });
  }

  /** All frames of a run that exists. */
  async replay(threadId: string, runId: string, lastEventId?: string): Promise<Frame[]> {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    return (await this.open('GET', `/threads/${threadId}/runs/${runId}/stream`, { headers })).rest();
  }

  /** Asks until the response is as wanted, for changes without an event. The test's own time limit ends it. */
  async until<Value>(read: () => Promise<Value>, isWanted: (value: Value) => boolean): Promise<Value> {
    for (;;) {
      const value = await read();
      if (isWanted(value)) return value;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  #fetch(method: string, path: string, { body, headers, signal }: Sent): Promise<Response> {
    return fetch(new URL(this.mount + path, this.url), {
      method,
      headers: {
        'x-api-key': this.token,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Matches what either mount says of a thread that the caller does not have. */
export function threadIsMissing(threadId: string): unknown {
  return expect.stringMatching(new RegExp(`Thread (with ID )?${threadId} not found$`));
}

/** A message of a person, as input of a run. */
export function says(text: string): { messages: { role: string; content: string }[] } {
  return { messages: [{ role: 'user', content: text }] };
}
