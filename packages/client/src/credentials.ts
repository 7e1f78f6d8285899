import type { Cookies } from './cookies.ts';
import { ApiError } from './errors.ts';

export interface CredentialOptions {
  /** From the dispatch login, or a personal access token: sent as `Authorization: Bearer`. */
  token?: string | undefined;
  /** A personal access token, sent as `x-api-key`. */
  apiKey?: string | undefined;
  /** A session with cookies: `browserCookies()` in a page, a `CookieJar` elsewhere. */
  cookies?: Cookies | undefined;
}

/** The credentials that a client sends with every request. */
export class Credentials {
  readonly #apiKey: string | undefined;
  #token: string | undefined;
  readonly cookies: Cookies | undefined;

  constructor({ token, apiKey, cookies }: CredentialOptions) {
    if ([token, apiKey, cookies].filter((given) => given !== undefined).length > 1) {
      throw new TypeError('Give one of token, apiKey and cookies: the gateway takes one at a time.');
    }
    this.#token = token === undefined ? undefined : checkedToken(token);
    this.#apiKey = apiKey === undefined ? undefined : checkedToken(apiKey);
    this.cookies = cookies;
  }

  /** Sends this token from now on. */
  useToken(token: string | undefined): void {
    this.#token = token === undefined ? undefined : checkedToken(token);
  }

  headersFor(method: string): Record<string, string> {
    if (this.#token !== undefined) return { authorization: `Bearer ${this.#token}` };
    if (this.#apiKey !== undefined) return { 'x-api-key': this.#apiKey };
    const cookie = this.cookies?.header();
    const csrf = method === 'GET' ? undefined : this.cookies?.csrfToken();
    return { ...(cookie !== undefined && { cookie }), ...(csrf !== undefined && { 'x-csrf-token': csrf }) };
  }

  /** For a WebSocket, which cannot send a header in a browser. */
  socketProtocols(): string[] {
    const token = this.#token ?? this.#apiKey;
    return token === undefined ? [] : ['bearer', token];
  }
}

/** A text that cannot stand in a header or in the list of a WebSocket's protocols is not a token of the gateway. */
function checkedToken(token: string): string {
  if (/^[\w.~+-]{1,4096}$/.test(token)) return token;
  throw new ApiError({
    status: 401,
    code: 'token_invalid',
    message: 'The token has characters that no token has. Was it copied whole, and alone?',
  });
}
