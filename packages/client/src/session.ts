import { login, logout, readMe } from '@switchyard/contract/accounts/session';
import { dispatchLogin } from '@switchyard/contract/dispatch/login';
import type { Call, CallLimits } from './call.ts';
import type { Credentials } from './credentials.ts';
import type { AnswerOf } from './endpoint-types.ts';

interface NameAndPassword {
  username: string;
  password: string;
}

/** Signing in and out. All later calls of the client use the credentials of a sign-in. */
export class Session {
  readonly #call: Call;
  readonly #credentials: Credentials;

  constructor(call: Call, credentials: Credentials) {
    this.#call = call;
    this.#credentials = credentials;
  }

  /** Gets a bearer token, which opens the dispatch area. */
  async loginForToken(
    { username, password }: NameAndPassword,
    limits: CallLimits = {},
  ): Promise<AnswerOf<typeof dispatchLogin>> {
    const answer = await this.#call(dispatchLogin, { body: { username, password }, ...limits });
    this.#credentials.useToken(answer.token);
    return answer;
  }

  /** Begins a session with cookies, which opens both areas. */
  async loginWithCookies(
    { username, password, rememberMe = true }: NameAndPassword & { rememberMe?: boolean },
    limits: CallLimits = {},
  ): Promise<AnswerOf<typeof login>> {
    if (!this.#credentials.cookies) {
      throw new TypeError('This client keeps no cookies. Create it with browserCookies() or a CookieJar.');
    }
    return this.#call(login, { body: { username, password, remember_me: rememberMe }, ...limits });
  }

  /** The account that is signed in with cookies or a personal access token. */
  me(limits: CallLimits = {}): Promise<AnswerOf<typeof readMe>> {
    return this.#call(readMe, limits);
  }

  /** Ends the session at the gateway, and forgets a token here. */
  async logout(limits: CallLimits = {}): Promise<void> {
    await this.#call(logout, limits);
    this.#credentials.useToken(undefined);
  }
}
