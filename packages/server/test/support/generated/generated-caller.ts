import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { HttpSession } from '@switchyard/dev-env/http-session';
import type { GeneratedRequest } from './generated-request.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface Account {
  email: string;
  password: string;
}

/** `status` is undefined when the caller disconnected first, or the connection was cut. */
export interface Outcome {
  status: number | undefined;
  text: string;
}

interface CallerOptions {
  url: string;
  scopes: readonly string[];
  /** Creates another account, for when a request has locked the caller out of its own. */
  makeAccount: () => Promise<Account>;
}

const maxTries = 5;
const hangUpAfterMs = 250;
/** Shorter than a test may last, so that a request without an answer is named. */
export const giveUpAfterMs = 60_000;
const readAtMostBytes = 200_000;

/** Sends requests as one user, with each kind of credentials, and signs in again when a request has signed it out. */
export class GeneratedCaller {
  readonly #options: CallerOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4 });
  #account: Account | undefined;
  #signingIn: Promise<void> | undefined;
  #token = '';
  #cookie = '';

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  /** Requests that discover at the same time that they are signed out share one sign-in. */
  signIn(): Promise<void> {
    this.#signingIn ??= this.#signInAgain(maxTries).finally(() => {
      this.#signingIn = undefined;
    });
    return this.#signingIn;
  }

  /** A request that is still in flight may end the session that was just made, and an account has only so many tokens. */
  async #signInAgain(triesLeft: number): Promise<void> {
    try {
      await this.#signInOnce();
    } catch (error) {
      if (triesLeft === 1) throw error;
      this.#account = undefined;
      await this.#signInAgain(triesLeft - 1);
    }
  }

  async #signInOnce(): Promise<void> {
    const session = await this.#session();
    const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', {
      name: 'generated',
      scopes: this.#options.scopes,
      expires_in_days: 1,
    });
    this.#token = token;
    this.#cookie = session.cookieHeader;
  }

  async send(generated: GeneratedRequest, random: SeededRandom): Promise<Outcome> {
    const { headers, isOwn } = this.#credentials(random);
    const outcome = await this.#exchange({ ...generated, headers: { ...generated.headers, ...headers } });
    if (isOwn && outcome.status === 401) await this.signIn();
    return outcome;
  }

  /** Returns its token after a request with it has succeeded. */
  async workingToken(): Promise<string> {
    const answer = await fetch(new URL('/api/v1/auth/me', this.#options.url), {
      headers: { 'x-api-key': this.#token },
    });
    if (!answer.ok) await this.signIn();
    return this.#token;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #session(): Promise<HttpSession> {
    const { url, makeAccount } = this.#options;
    try {
      if (this.#account) return await HttpSession.login(url, this.#account);
    } catch {
      // The account is deleted, disabled or a different one by now.
    }
    this.#account = await makeAccount();
    return HttpSession.login(url, this.#account);
  }

  #credentials(random: SeededRandom): { headers: Record<string, string>; isOwn: boolean } {
    const csrf = /csrf_token=([^;]+)/.exec(this.#cookie)?.[1] ?? '';
    const own = [
      { 'x-api-key': this.#token },
      { 'x-api-key': this.#token },
      { authorization: `Bearer ${this.#token}` },
      { cookie: this.#cookie, 'x-csrf-token': csrf },
      { cookie: this.#cookie, 'x-csrf-token': csrf },
    ];
    if (random.chance(0.92)) return { headers: random.pick<Record<string, string>>(own), isOwn: true };
    const others = [
      {},
      { cookie: this.#cookie },
      { cookie: this.#cookie.replace(/\w{5}(;|$)/, 'xxxxx$1'), 'x-csrf-token': csrf },
      { authorization: 'Bearer' },
      { authorization: 'Basic eDp5' },
      { authorization: `Bearer ${this.#token}x` },
      { 'x-api-key': '' },
      { cookie: 'access_token=; csrf_token==;;;' },
    ];
    return { headers: random.pick<Record<string, string>>(others), isOwn: false };
  }

  #exchange({ method, path, headers, body, isHeld }: GeneratedRequest): Promise<Outcome> {
    const { hostname, port } = new URL(this.#options.url);
    return new Promise((resolve, reject) => {
      const length = body ? { 'content-length': String(body.length) } : {};
      const options = {
        hostname,
        port,
        method,
        path,
        headers: { ...headers, ...length },
        agent: this.#agent,
      };
      const asked = httpRequest(options, (answer) => {
        readSome(answer).then((text) => finish({ status: answer.statusCode, text }), reject);
      });
      const timer = isHeld
        ? setTimeout(() => finish({ status: undefined, text: '' }), hangUpAfterMs)
        : setTimeout(() => reject(unanswered({ method, path, headers, body })), giveUpAfterMs);
      const finish = (outcome: Outcome): void => {
        clearTimeout(timer);
        resolve(outcome);
        if (outcome.status === undefined || isHeld) asked.destroy();
      };
      asked.on('error', (error: NodeJS.ErrnoException) => {
        // A body that is refused while it arrives may end its connection.
        if (error.code === 'ECONNRESET' || error.code === 'EPIPE') finish({ status: undefined, text: '' });
        else reject(error);
      });
      asked.end(body);
    });
  }
}

function unanswered({
  method,
  path,
  headers,
  body,
}: Pick<GeneratedRequest, 'method' | 'path' | 'headers' | 'body'>): Error {
  const sent = `${JSON.stringify(headers)} ${body?.toString().slice(0, 600) ?? ''}`;
  return new Error(`No answer: ${method} ${path} ${sent}`);
}

/** Returns the beginning of a response. A stream is left after its first frame. */
async function readSome(answer: IncomingMessage): Promise<string> {
  const isStream = String(answer.headers['content-type']).startsWith('text/event-stream');
  let text = '';
  try {
    for await (const chunk of answer) {
      text += String(chunk);
      if (isStream || text.length > readAtMostBytes) break;
    }
  } catch {
    return text; // The stream was left, or broken off.
  }
  return text;
}
