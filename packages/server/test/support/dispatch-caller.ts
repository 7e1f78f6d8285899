import { HttpSession } from '@switchyard/dev-env/http-session';

// biome-ignore lint/suspicious/noExplicitAny: a test reads answers as they come, to see what is on the wire
type Answer = any;

/** A client that knows only the dispatch contract. */
export class DispatchCaller {
  readonly url: string;
  readonly token: string;

  private constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  /** The same client at another replica of the gateway. */
  at(url: string): DispatchCaller {
    return new DispatchCaller(url, this.token);
  }

  /** The first administrator of an empty gateway. */
  static async initialize(url: string): Promise<DispatchCaller> {
    await send(url, '/api/v1/auth/initialize', { email: 'admin@example.com', password });
    return DispatchCaller.login(url, 'admin@example.com');
  }

  static async register(url: string, email: string): Promise<DispatchCaller> {
    await send(url, '/api/v1/auth/register', { email, password });
    return DispatchCaller.login(url, email);
  }

  static async login(url: string, username: string): Promise<DispatchCaller> {
    const answer = await send(url, '/api/auth/login', { username, password });
    return new DispatchCaller(url, answer.data.token);
  }

  /** Returns the response with its status and headers. */
  async request(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<{ status: number; headers: Headers; body: Answer }> {
    const answer = await fetch(new URL(path, this.url), {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  }

  /** Submits a task and returns it. */
  async submit(input: object, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await this.call('POST', '/api/tasks', input, headers);
    if (answer.code !== 200) throw new Error(JSON.stringify(answer));
    return answer.data;
  }

  async task(taskId: string): Promise<Answer> {
    return (await this.call('GET', `/api/tasks/${taskId}`)).data;
  }

  /** Returns the task once it has ended. */
  async ended(taskId: string): Promise<Answer> {
    for (;;) {
      const { data } = await this.call('GET', `/api/tasks/${taskId}?wait=20`);
      if (data.phase === 'ended') return data;
    }
  }

  async instance(port: number): Promise<Answer> {
    return (await this.call('GET', `/api/instances/127.0.0.1:${port}`)).data;
  }

  /** Asks again until the response is as wanted. The test's own time limit ends the wait. */
  async until<Value>(read: () => Promise<Value>, isWanted: (value: Value) => boolean): Promise<Value> {
    for (;;) {
      const value = await read();
      if (isWanted(value)) return value;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return (await this.request(method, path, { body, headers })).body;
  }

  async upload(
    filename: string,
    bytes: Uint8Array,
  ): Promise<{ fileId: string; filename: string; url: string }> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)]), filename);
    const answer = await fetch(new URL('/api/files/upload', this.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}` },
      body: form,
    });
    const { data } = (await answer.json()) as { data: { fileId: string; filename: string; url: string } };
    return data;
  }

  /** Acts as an administrator. The contract of accounts accepts no dispatch token, so this uses its own session. */
  async deleteUser(email: string): Promise<void> {
    const session = await HttpSession.login(this.url, { email: 'admin@example.com', password });
    const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', {
      name: 'test',
      scopes: ['admin'],
    });
    const headers = { 'x-api-key': token };
    const listed = await fetch(new URL('/api/v1/users', this.url), { headers });
    const { items } = (await listed.json()) as { items: { id: string; email: string }[] };
    const id = items.find((user) => user.email === email)?.id;
    const answer = await fetch(new URL(`/api/v1/users/${id}`, this.url), { method: 'DELETE', headers });
    if (!answer.ok) throw new Error(await answer.text());
  }

  /** Makes these workers, on loopback, the only ones, and waits until all are alive. */
  async useWorkers(ports: readonly number[], server: object = {}): Promise<void> {
    const instances = ports.map((port) => ({ ip: '127.0.0.1', port }));
    const answer = await this.call('PUT', '/api/config', {
      servers: [{ id: 'test', name: 'Test', kind: 'comfyui', instances, ...server }],
      healthCheck: { interval: 1 },
    });
    if (answer.code !== 200) throw new Error(JSON.stringify(answer));
    await this.until(
      () => this.call('GET', '/api/instances'),
      ({ data }) => data.every(({ state }: { state: string }) => state === 'idle'),
    );
  }
}

const password = 'correct horse battery';

async function send(url: string, path: string, body: unknown): Promise<Answer> {
  const answer = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}
