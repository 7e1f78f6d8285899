import { Agent, type IncomingMessage, request } from 'node:http';

/** The part of a `messages` frame that the measures use: its text. */
export interface Frame {
  event: string;
  data: string;
}

export interface RunRequest {
  threadId: string;
  graph: string;
  streamMode?: string[];
}

const input = { messages: [{ role: 'user', content: 'hello' }] };

/**
 * A client for the protocol of both servers: it uses only node:http, with one connection for each parallel request. A stream of
 * protocol v2 has a connection of its own, which ends with it.
 */
export class AgentClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  /** Servers close a connection after five idle seconds. A client that sends on it at that moment would see it break. */
  readonly #agent = new Agent({ keepAlive: true, timeout: 3_000 });

  constructor({ url, headers = {} }: { url: string; headers?: Record<string, string> }) {
    this.#url = url;
    this.#headers = headers;
  }

  async createThread(): Promise<string> {
    return (await this.post<{ thread_id: string }>('/threads', {})).thread_id;
  }

  /** Returns the text of the graph. */
  async wait({ threadId, graph }: RunRequest): Promise<string> {
    const values = await this.post<{ messages?: { content: string }[] }>(`/threads/${threadId}/runs/wait`, {
      assistant_id: graph,
      input,
    });
    return values.messages?.at(-1)?.content ?? JSON.stringify(values);
  }

  /** Resolves when the stream has ended cleanly. */
  async stream(
    { threadId, graph, streamMode = ['values'] }: RunRequest,
    onFrame: (frame: Frame) => void,
  ): Promise<void> {
    const body = { assistant_id: graph, input, stream_mode: streamMode };
    const response = await this.#send(`/threads/${threadId}/runs/stream`, body);
    let unread = '';
    for await (const text of response) {
      const blocks = `${unread}${text}`.split(/\r?\n\r?\n/);
      unread = blocks.pop() ?? '';
      for (const block of blocks) readFrame(block, onFrame);
    }
  }

  /** Starts a run over protocol v2 and follows it to its end; the stream would go on beyond it. */
  async follow({ threadId, graph }: RunRequest, onFrame: (frame: Frame) => void): Promise<void> {
    await this.#start(threadId, graph);
    await this.#readRun(await this.#events(threadId), onFrame);
  }

  /** The same as a page does in a thread that it shows: it follows the thread already when it asks for the run. */
  async followBefore(
    { threadId, graph }: RunRequest,
    onRequest: () => void,
    onFrame: (frame: Frame) => void,
  ): Promise<void> {
    const response = await this.#events(threadId);
    onRequest();
    await Promise.all([this.#start(threadId, graph), this.#readRun(response, onFrame)]);
  }

  /** The same as the official client does with the first message of a thread: it asks for the events, and at once for the run. */
  async followFirst({ threadId, graph }: RunRequest, onFrame: (frame: Frame) => void): Promise<void> {
    const [response] = await Promise.all([this.#events(threadId), this.#start(threadId, graph)]);
    await this.#readRun(response, onFrame);
  }

  #start(threadId: string, graph: string): Promise<unknown> {
    const params = { assistant_id: graph, input };
    return this.post(`/threads/${threadId}/commands`, { id: 1, method: 'run.start', params });
  }

  #events(threadId: string): Promise<IncomingMessage> {
    const body = { channels: ['messages', 'values', 'lifecycle'] };
    return this.#send(`/threads/${threadId}/stream/events`, body, { agent: false });
  }

  async #readRun(response: IncomingMessage, onFrame: (frame: Frame) => void): Promise<void> {
    let unread = '';
    let isOver = false;
    for await (const text of response) {
      const blocks = `${unread}${text}`.split('\n\n');
      unread = blocks.pop() ?? '';
      for (const block of blocks)
        readFrame(block, (frame) => {
          onFrame(frame);
          isOver ||= frame.event === 'lifecycle' && !frame.data.includes('"event":"running"');
        });
      if (isOver) break;
    }
  }

  async post<Answer>(path: string, body: unknown): Promise<Answer> {
    return JSON.parse(await textOf(await this.#send(path, body))) as Answer;
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(
    path: string,
    body: unknown,
    { agent }: { agent: Agent | false } = { agent: this.#agent },
  ): Promise<IncomingMessage> {
    const content = JSON.stringify(body);
    const headers = {
      ...this.#headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(content),
    };
    return new Promise((resolve, reject) => {
      const call = request(this.#url + path, { method: 'POST', headers, agent });
      call.once('error', reject);
      call.once('response', (response) => {
        response.setEncoding('utf8');
        if (response.statusCode === 200) resolve(response);
        else
          textOf(response).then(
            (text) => reject(new Error(`POST ${path} answered ${response.statusCode}: ${text}`)),
            reject,
          );
      });
      call.end(content);
    });
  }
}

/** Comments, which keep a connection alive, have no event. */
function readFrame(block: string, onFrame: (frame: Frame) => void): void {
  let event = '';
  let data = '';
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith('event: ')) event = line.slice(7);
    else if (line.startsWith('data: ')) data = line.slice(6);
  }
  if (event !== '') onFrame({ event, data });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of response) text += part;
  return text;
}
