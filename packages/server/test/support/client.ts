import type { InjectOptions, LightMyRequestResponse as Response } from 'fastify';
import type { AccountsServer } from './accounts-server.ts';

export interface Sent {
  body?: object;
  form?: Record<string, string> | string;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the gateway answered; the test says what it must be
  body: any;
  headers: Record<string, string | string[] | number | undefined>;
}

interface ClientOptions {
  ip?: string;
  headers?: Record<string, string>;
}

/** Acts like a browser: keeps cookies and sends the CSRF header that belongs to them. */
export class Client {
  readonly #server: AccountsServer;
  readonly #options: ClientOptions;
  readonly cookies = new Map<string, string>();

  constructor(server: AccountsServer, options: ClientOptions = {}) {
    this.#server = server;
    this.#options = options;
  }

  get(url: string, sent: Sent = {}): Promise<Answer> {
    return this.send('GET', url, sent);
  }

  post(url: string, sent: Sent = {}): Promise<Answer> {
    return this.send('POST', url, sent);
  }

  async send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, sent: Sent): Promise<Answer> {
    const { body, form } = sent;
    const csrf = this.cookies.get('csrf_token');
    const answer = await this.#inject({
      method,
      url,
      remoteAddress: this.#options.ip ?? '127.0.0.1',
      headers: {
        ...(this.cookies.size > 0 && { cookie: this.cookieHeader() }),
        ...(csrf !== undefined && method !== 'GET' && { 'x-csrf-token': csrf }),
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...this.#options.headers,
        ...sent.headers,
      },
      ...(body !== undefined && { payload: body }),
      ...(form !== undefined && { payload: new URLSearchParams(form).toString() }),
    });
    this.#keepCookies([answer.headers['set-cookie'] ?? []].flat());
    const parsed: unknown = answer.body === '' ? undefined : JSON.parse(answer.body);
    return { status: answer.statusCode, body: parsed, headers: answer.headers };
  }

  cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  register(email: string, password = rightPassword): Promise<Answer> {
    return this.post('/api/v1/auth/register', { body: { email, password } });
  }

  login(username: string, password = rightPassword, headers: Record<string, string> = {}): Promise<Answer> {
    return this.post('/api/v1/auth/login/local', { form: { username, password }, headers });
  }

  dispatchLogin(username: string, password = rightPassword): Promise<Answer> {
    return this.post('/api/auth/login', { body: { username, password } });
  }

  me(): Promise<Answer> {
    return this.get('/api/v1/auth/me');
  }

  #inject(request: InjectOptions): Promise<Response> {
    return this.#server.app.inject(request);
  }

  #keepCookies(lines: string[]): void {
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split('; ');
      const name = pair.slice(0, pair.indexOf('='));
      if (attributes.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, pair.slice(name.length + 1));
    }
  }
}

export const rightPassword = 'correct horse battery';

/** A client that is signed in to a new account. */
export async function newUser(
  server: AccountsServer,
  email: string,
  options: ClientOptions = {},
): Promise<Client> {
  const client = new Client(server, options);
  const answer = await client.register(email);
  if (answer.status !== 201)
    throw new Error(`register answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return client;
}

/** A client that is signed in as the first administrator. */
export async function firstAdmin(server: AccountsServer, email = 'root@example.com'): Promise<Client> {
  const client = new Client(server);
  const answer = await client.post('/api/v1/auth/initialize', { body: { email, password: rightPassword } });
  if (answer.status !== 201)
    throw new Error(`initialize answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return client;
}

/** A client that sends one credential header and no cookies. */
export function withToken(server: AccountsServer, token: string): Client {
  return new Client(server, { headers: { authorization: `Bearer ${token}` } });
}
