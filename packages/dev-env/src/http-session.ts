interface Credentials {
  email: string;
  password: string;
}

/** A signed-in browser without the browser: keeps the cookies and sends the CSRF header that belongs to them. */
export class HttpSession {
  readonly #url: string;
  readonly #cookies: ReadonlyMap<string, string>;

  private constructor(url: string, cookies: ReadonlyMap<string, string>) {
    this.#url = url;
    this.#cookies = cookies;
  }

  static async register(url: string, { email, password }: Credentials): Promise<HttpSession> {
    const body = JSON.stringify({ email, password });
    const headers = { 'content-type': 'application/json' };
    return HttpSession.#fromAnswer(url, await post(url, '/api/v1/auth/register', { headers, body }));
  }

  static async login(url: string, { email, password }: Credentials): Promise<HttpSession> {
    const body = new URLSearchParams({ username: email, password });
    return HttpSession.#fromAnswer(url, await post(url, '/api/v1/auth/login/local', { body }));
  }

  /** For tests that send requests in another way. */
  get cookieHeader(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Uses the same cookies at another address, as a browser does when the gateway comes back on a new port. */
  at(url: string): HttpSession {
    return new HttpSession(url, this.#cookies);
  }

  async get<Answer>(path: string): Promise<Answer> {
    return answerOf(await fetch(new URL(path, this.#url), { headers: { cookie: this.cookieHeader } }));
  }

  post<Answer>(path: string, content: unknown, more: Record<string, string> = {}): Promise<Answer> {
    return this.#send('POST', path, { content, more });
  }

  put<Answer>(path: string, content: unknown, more: Record<string, string> = {}): Promise<Answer> {
    return this.#send('PUT', path, { content, more });
  }

  patch<Answer>(path: string, content: unknown): Promise<Answer> {
    return this.#send('PATCH', path, { content, more: {} });
  }

  delete<Answer>(path: string): Promise<Answer> {
    return this.#send('DELETE', path, { more: {} });
  }

  async #send<Answer>(
    method: string,
    path: string,
    { content, more }: { content?: unknown; more: Record<string, string> },
  ): Promise<Answer> {
    const body = content === undefined ? null : JSON.stringify(content);
    const headers = {
      ...more,
      cookie: this.cookieHeader,
      ...(body !== null && { 'content-type': 'application/json' }),
      'x-csrf-token': this.#cookies.get('csrf_token') ?? '',
    };
    return answerOf(await fetch(new URL(path, this.#url), { method, headers, body }));
  }

  static async #fromAnswer(url: string, answer: Response): Promise<HttpSession> {
    await answerOf(answer);
    const pairs = answer.headers.getSetCookie().map((cookie) => {
      const pair = cookie.slice(0, cookie.indexOf(';'));
      const split = pair.indexOf('=');
      return [pair.slice(0, split), pair.slice(split + 1)] as const;
    });
    return new HttpSession(url, new Map(pairs));
  }
}

function post(
  url: string,
  path: string,
  request: { headers?: Record<string, string>; body: RequestInit['body'] & {} },
): Promise<Response> {
  return fetch(new URL(path, url), { method: 'POST', ...request });
}

/** Reads the whole answer before it returns. Throws for every status but 2xx, with the gateway's message. */
async function answerOf<Answer>(answer: Response): Promise<Answer> {
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as Answer;
}
