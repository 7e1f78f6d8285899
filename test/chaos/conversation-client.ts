import { HttpSession } from '@switchyard/dev-env/http-session';
import { ConversationStream, type Frame } from '../../packages/server/test/support/conversation-stream.ts';

const password = 'correct horse battery';
const ended = new Set(['success', 'error', 'timeout', 'interrupted']);

export interface Message {
  id: string;
  type: string;
  content: string;
}

export interface RunOnWire {
  run_id: string;
  status: string;
  attempt: number;
  error: string | null;
}

/** The present gateway, for all clients that call it. */
export class Line {
  readonly token: string;
  #url: Promise<string>;
  #cameBack: (url: string) => void = () => undefined;

  private constructor(url: string, token: string) {
    this.#url = Promise.resolve(url);
    this.token = token;
  }

  static async register(url: string, email = 'chaos@example.com'): Promise<Line> {
    const session = await HttpSession.register(url, { email, password });
    const scopes = ['conversation:read', 'conversation:write'];
    const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', { name: 'chaos', scopes });
    return new Line(url, token);
  }

  /** From now on all clients wait for the next gateway. */
  cut(): void {
    this.#url = new Promise((resolve) => {
      this.#cameBack = resolve;
    });
  }

  connect(url: string): void {
    this.#cameBack(url);
    this.#url = Promise.resolve(url);
  }

  /** Repeats a request until a gateway has answered; only for requests that may be sent twice. */
  async ask<Body>(method: string, path: string, body?: object): Promise<Body> {
    for (;;) {
      const answer = await this.open(method, path, body && { body }).catch(lost);
      const text = await answer?.text().catch(lost);
      if (answer === undefined || text === undefined || isAway(answer)) await pause();
      else if (answer.ok) return JSON.parse(text) as Body;
      else throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    }
  }

  /** Fails when the connection fails. */
  async open(
    method: string,
    path: string,
    { body, headers, signal }: { body?: object; headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<Response> {
    return fetch(new URL(path, await this.#url), {
      method,
      headers: { 'x-api-key': this.token, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  }
}

/** Starts a run, streams it, and reconnects whenever the stream breaks, as a chat interface does. */
export class StreamingClient {
  readonly threadId: string;
  readonly #line: Line;
  runId = '';
  /** The shown messages. Each state replaces them, as the last state does at the end. */
  messages: Message[] = [];
  /** The pieces of messages by message id, together for each connection. */
  readonly pieces = new Map<string, string[]>();
  reconnects = 0;
  gaps = 0;
  #lastEventId = '';
  #connection = new AbortController();

  constructor(line: Line, threadId: string) {
    this.#line = line;
    this.threadId = threadId;
  }

  /** Resolves at the clean end of the stream. */
  async converse(body: object): Promise<void> {
    let answer = await this.#begin(body);
    for (;;) {
      if (answer && (await this.#read(answer))) return this.#expectEnded();
      this.reconnects += 1;
      for (const parts of this.pieces.values()) parts.push('');
      answer = this.runId === '' ? await this.#begin(body) : await this.#resume();
    }
  }

  /** Ends the connection, as a client does that has heard nothing for too long. It connects again. */
  breakOff(): void {
    this.#connection.abort(new TypeError('terminated'));
    this.#connection = new AbortController();
  }

  /** A request without an answer may have started its run, so the client looks for it before it asks again. */
  async #begin(body: object): Promise<Response | undefined> {
    const mark = (body as { metadata: { mark: string } }).metadata.mark;
    if (this.reconnects > 0) {
      type Marked = RunOnWire & { metadata: { mark: string } };
      const runs = await this.#line.ask<Marked[]>('GET', `/api/threads/${this.threadId}/runs`);
      this.runId = runs.find(({ metadata }) => metadata.mark === mark)?.run_id ?? '';
      if (this.runId !== '') return this.#resume();
    }
    const answer = await this.#line
      .open('POST', `/api/threads/${this.threadId}/runs/stream`, {
        body,
        signal: this.#connection.signal,
      })
      .catch(lost);
    if (answer && isAway(answer)) return refused(answer);
    if (answer && !answer.ok)
      throw new Error(`The run was answered ${answer.status}: ${await answer.text()}`);
    this.runId = /\/runs\/([^/]+)$/.exec(answer?.headers.get('content-location') ?? '')?.[1] ?? '';
    return answer;
  }

  async #resume(): Promise<Response | undefined> {
    const headers = this.#lastEventId === '' ? {} : { 'last-event-id': this.#lastEventId };
    const { signal } = this.#connection;
    const answer = await this.#line.open('GET', this.#path('/stream'), { headers, signal }).catch(lost);
    if (answer && isAway(answer)) return refused(answer);
    if (answer && !answer.ok)
      throw new Error(`The stream was answered ${answer.status}: ${await answer.text()}`);
    return answer;
  }

  /** True when the stream ended cleanly. */
  async #read(answer: Response): Promise<boolean> {
    const stream = new ConversationStream(answer, new AbortController());
    try {
      for (let frame = await stream.next(); frame; frame = await stream.next()) this.#take(frame);
      return true;
    } catch (error) {
      if (!isLoss(error)) throw error;
      return false;
    }
  }

  #take({ event, data, id }: Frame): void {
    if (id !== undefined) this.#lastEventId = id;
    if (event === 'gap') this.gaps += 1;
    if (event === 'error') throw new Error(`The run ${this.runId} failed: ${JSON.stringify(data)}`);
    if (event === 'values') this.messages = data.messages ?? [];
    if (event !== 'messages') return;
    const [{ id: messageId, type, content }] = data as [Message];
    if (type !== 'ai') return;
    const parts = this.pieces.get(messageId) ?? [''];
    this.pieces.set(messageId, [...parts.slice(0, -1), `${parts.at(-1) ?? ''}${content}`]);
  }

  /** A stream that was cut must not look like a complete one. */
  async #expectEnded(): Promise<void> {
    const { status } = await this.#line.ask<RunOnWire>('GET', this.#path(''));
    if (!ended.has(status)) throw new Error(`The stream of ${this.runId} ended while the run was ${status}.`);
  }

  #path(rest: string): string {
    return `/api/threads/${this.threadId}/runs/${this.runId}${rest}`;
  }
}

function lost(error: unknown): undefined {
  if (!isLoss(error)) throw error;
}

async function refused(answer: Response): Promise<undefined> {
  await answer.text().catch(lost);
  await pause();
}

/** A gateway that is asked to stop answers 503. A proxy answers 502 or 504 for one that is gone. */
function isAway({ status }: Response): boolean {
  return [502, 503, 504].includes(status);
}

/** Longer than a turn of the event loop, and short beside a start. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

/** fetch says "fetch failed" with a cause, or "terminated" when the answer breaks off half way. */
function isLoss(error: unknown): boolean {
  return error instanceof TypeError && (error.cause !== undefined || error.message === 'terminated');
}
