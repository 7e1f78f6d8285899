import { HttpSession } from '@switchyard/dev-env/http-session';
import { WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: a test reads answers as they come, to see what is on the wire
type Answer = any;

/** A client that knows one ComfyUI: its calls, its socket, and a token of the gateway. */
export class ComfyuiCaller {
  readonly base: string;
  readonly token: string;
  readonly headers: Record<string, string>;

  constructor(base: string, token: string, headers = { authorization: `Bearer ${token}` } as object) {
    this.base = base;
    this.token = token;
    this.headers = headers as Record<string, string>;
  }

  /** A new account with a token that may use the pool and nothing else. */
  static async register(
    url: string,
    email: string,
    scopes: readonly string[] = ['dispatch:read', 'dispatch:write'],
  ): Promise<ComfyuiCaller> {
    const session = await HttpSession.register(url, { email, password: 'correct horse battery' });
    const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', { name: 'comfy', scopes });
    return new ComfyuiCaller(`${url}/comfy`, token);
  }

  /** The same for a client that takes an address and no header. */
  static async byAddress(url: string, email: string): Promise<ComfyuiCaller> {
    const { base, token } = await ComfyuiCaller.register(url, email, ['comfyui']);
    return new ComfyuiCaller(`${base}/t/${token}`, token, {});
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...this.headers, ...(init.headers as Record<string, string>) };
    return fetch(`${this.base}${path}`, { ...init, headers });
  }

  async get(path: string): Promise<Answer> {
    const answer = await this.fetch(path);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }

  /** As the npm clients send it: JSON without saying so. */
  post(path: string, body: unknown): Promise<Response> {
    return this.fetch(path, { method: 'POST', body: JSON.stringify(body) });
  }

  async queue(prompt: object, fields: object = {}): Promise<string> {
    const answer = await this.post('/prompt', { prompt, ...fields });
    const body = (await answer.json()) as Answer;
    if (!answer.ok) throw new Error(JSON.stringify(body));
    return body.prompt_id;
  }

  async upload(
    filename: string,
    bytes: Uint8Array,
    fields: Record<string, string> = {},
    path = '/upload/image',
  ): Promise<Answer> {
    const form = new FormData();
    form.append('image', new Blob([new Uint8Array(bytes)]), filename);
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const answer = await this.fetch(path, { method: 'POST', body: form });
    if (!answer.ok) throw new Error(`The upload answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }

  listen(clientId: string): Promise<ComfyuiListener> {
    return ComfyuiListener.open(this, clientId);
  }
}

/** What a socket of ComfyUI has heard so far. */
export class ComfyuiListener {
  readonly frames: Answer[] = [];
  readonly binary: Buffer[] = [];
  /** Resolves with the code with which the gateway closed the socket. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  readonly #wake = new Set<() => void>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.binary.push(data as Buffer);
      else this.frames.push(JSON.parse(String(data)));
      for (const wake of this.#wake) wake();
    });
  }

  static async open({ base, headers }: ComfyuiCaller, clientId: string): Promise<ComfyuiListener> {
    const socket = new WebSocket(`${base.replace('http', 'ws')}/ws?clientId=${clientId}`, {
      headers,
    });
    const listener = new ComfyuiListener(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return listener;
  }

  send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** Returns the first frame that fits, of those heard and those to come. */
  async next(isWanted: (frame: Answer) => boolean): Promise<Answer> {
    for (;;) {
      const found = this.frames.find(isWanted);
      if (found) return found;
      await new Promise<void>((resolve) => this.#wake.add(resolve));
      this.#wake.clear();
    }
  }

  /** Resolves when the prompt has ended: the last frame names no node. */
  async settled(promptId: string): Promise<Answer[]> {
    await this.next(
      ({ type, data }) => type === 'executing' && data.node === null && data.prompt_id === promptId,
    );
    return this.frames.filter(({ data }) => data.prompt_id === promptId);
  }

  close(): void {
    this.#socket.close();
  }
}
