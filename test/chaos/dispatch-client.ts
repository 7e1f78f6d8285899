import { randomBytes, randomUUID } from 'node:crypto';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { WebSocket } from 'ws';

const credentials = { email: 'chaos@example.com', password: 'correct horse battery' };

interface Task {
  id: string;
  status: string;
  result: { files: string[]; outputsMissing: number } | null;
}

interface Cells {
  items: { taskId: string | null }[];
  nextCursor: string | null;
}

/** The gateway went away: the result of the request is not known. */
export class ConnectionLost extends Error {}

/** A client of the dispatch area that outlives the gateway: its token has no end, and it remembers the answers. */
export class DispatchClient {
  url: string;
  readonly #token: string;
  #listensTo = '';
  /** The tasks that the gateway has accepted. */
  readonly accepted = new Set<string>();
  /** The submissions without an answer, by their key. */
  readonly unanswered = new Set<string>();
  /** The number of times that the end of a task was pushed, over all connections. */
  readonly endsPushed = new Map<string, number>();

  private constructor(url: string, token: string) {
    this.url = url;
    this.#token = token;
  }

  static async register(url: string): Promise<DispatchClient> {
    const session = await HttpSession.register(url, credentials);
    const scopes = ['dispatch:read', 'dispatch:write'];
    const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', { name: 'chaos', scopes });
    return new DispatchClient(url, token);
  }

  /** Submits under a key, so that it can be repeated after the connection was lost. */
  async submit(workflow: object, key: string = randomUUID(), params: object = {}): Promise<void> {
    this.unanswered.add(key);
    const { id } = await this.#call<Task>('POST', '/api/tasks', { body: { workflow, params }, key });
    this.unanswered.delete(key);
    this.accepted.add(id);
  }

  /** Begins a sweep with so many runs. */
  async sweep(workflow: object, { input, runs }: { input: string; runs: number }): Promise<string> {
    const { id: workflowId } = await this.#call<{ id: string }>('POST', '/api/workflows', {
      body: { name: 'swept', workflow },
    });
    const axes = [{ param: input, range: { from: 1, to: runs, step: 1 } }];
    return (await this.#call<{ id: string }>('POST', '/api/sweeps', { body: { workflowId, axes } })).id;
  }

  /** Returns the tasks of the cells that have one, which count as accepted from now on. */
  async tasksOfSweep(sweepId: string): Promise<string[]> {
    const made: string[] = [];
    for (let cursor: string | null = '0'; cursor !== null; ) {
      const page: Cells = await this.#call('GET', `/api/sweeps/${sweepId}/cells?limit=200&cursor=${cursor}`);
      made.push(...page.items.flatMap(({ taskId }) => taskId ?? []));
      cursor = page.nextCursor;
    }
    for (const taskId of made) this.accepted.add(taskId);
    return made;
  }

  /** Returns whether the task could still be cancelled. */
  async cancel(taskId: string): Promise<void> {
    await this.#call('DELETE', `/api/tasks/${taskId}`, { mayConflict: true });
  }

  /** The address is called for each task that ends. */
  async addWebhook(address: string): Promise<void> {
    await this.#call('POST', '/api/webhooks', { body: { url: address } });
  }

  /** Submits a workflow with a file of its own for this input, such as `3.image`. */
  async submitWithFile(workflow: object, input: string): Promise<void> {
    const answer = await this.#send(this.url);
    const { data } = (await answer.json()) as { data: { fileId: string } };
    await this.submit(workflow, randomUUID(), { [input]: { $file: data.fileId } });
  }

  /** Sends a small file to this replica and returns the status of the answer. */
  async upload(url: string): Promise<number> {
    const answer = await this.#send(url);
    await answer.arrayBuffer();
    return answer.status;
  }

  async #send(url: string): Promise<Response> {
    const form = new FormData();
    form.append('file', new Blob([randomBytes(1_000)]), 'note.bin');
    const headers = { authorization: `Bearer ${this.#token}` };
    return fetch(new URL('/api/files/upload', url), { method: 'POST', headers, body: form });
  }

  async countOf(status: string): Promise<number> {
    const { total } = await this.#call<{ total: number }>('GET', `/api/tasks?status=${status}&limit=1`);
    return total;
  }

  async task(taskId: string): Promise<Task> {
    return this.#call('GET', `/api/tasks/${taskId}`);
  }

  /**
   * Counts ends until the connection is lost. There is one connection to a gateway, because each connection gets every
   * end.
   */
  async listen(): Promise<void> {
    if (this.#listensTo === this.url) return;
    this.#listensTo = this.url;
    const socket = new WebSocket(`${this.url.replace('http', 'ws')}/ws`, ['bearer', this.#token]);
    socket.on('error', () => undefined);
    socket.on('message', (raw) => {
      const { type, data } = JSON.parse(String(raw)) as { type: string; data: { taskId: string } };
      if (type !== 'task_completed' && type !== 'task_failed') return;
      this.endsPushed.set(data.taskId, (this.endsPushed.get(data.taskId) ?? 0) + 1);
    });
    await new Promise((resolve) => socket.once('message', resolve).once('close', resolve));
  }

  async #call<Data>(
    method: string,
    path: string,
    { body, key, mayConflict = false }: { body?: object; key?: string; mayConflict?: boolean } = {},
  ): Promise<Data> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}` };
    if (body) headers['content-type'] = 'application/json';
    if (key) headers['idempotency-key'] = key;
    const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(new URL(path, this.url), request);
      text = await answer.text();
    } catch (cause) {
      throw new ConnectionLost(`${method} ${path}: the connection was lost.`, { cause });
    }
    // A proxy answers with a page, a gateway with JSON.
    if ([502, 503, 504].includes(answer.status))
      throw new ConnectionLost(
        `${method} ${path}: the gateway is away, ${answer.status} ${text.slice(0, 200)}`,
      );
    const envelope = JSON.parse(text) as { code: number; data: Data };
    if (answer.ok || (mayConflict && answer.status === 409)) return envelope.data;
    throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(envelope)}`);
  }
}
