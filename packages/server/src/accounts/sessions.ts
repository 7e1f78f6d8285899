import type { CsrfTokens } from '../http/access/csrf.ts';
import { AppError } from '../lib/app-error.ts';
import { type Clock, toIso } from '../lib/clock.ts';
import { newSecret } from '../lib/ids.ts';
import type { AccountEvents } from './account-events.ts';
import type { AccountRow } from './account-store.ts';
import type { SessionStore } from './session-store.ts';
import { type SessionClaims, type SessionKind, type SessionTokens, sessionKinds } from './session-token.ts';

export interface NewSession {
  token: string;
  /** The value that the page sends back in `X-CSRF-Token`. */
  csrf: string;
  expiresInSeconds: number;
}

/** Begins and ends sessions. A session is its token: nothing is stored while it lasts. */
export class Sessions {
  readonly #options;

  constructor(options: {
    tokens: SessionTokens;
    store: SessionStore;
    csrf: CsrfTokens;
    events: AccountEvents;
    clock: Clock;
    ttlSeconds: Record<SessionKind, number>;
  }) {
    this.#options = options;
  }

  begin(kind: SessionKind, account: Pick<AccountRow, 'id' | 'token_version'>): NewSession {
    const { tokens, csrf } = this.#options;
    const expiresInSeconds = this.#options.ttlSeconds[kind];
    const sessionId = newSecret(16);
    const claims = {
      sub: account.id,
      ver: account.token_version,
      jti: sessionId,
      ttlSeconds: expiresInSeconds,
    };
    return { token: tokens.sign(kind, claims), csrf: csrf.valueFor(sessionId), expiresInSeconds };
  }

  /** Revokes the sessions of these tokens. A token that is invalid or expired needs no action. */
  async end(tokens: readonly (string | undefined)[]): Promise<void> {
    const { store, events, clock } = this.#options;
    for (const token of tokens) {
      const claims = token === undefined ? undefined : this.#read(token);
      if (!claims) continue;
      const session = { id: claims.jti, expiresAt: toIso(claims.exp * 1_000) };
      await store.revoke({ user: claims.sub }, session, toIso(clock()));
      events.record('logged_out', { user_id: claims.sub, kind: claims.aud });
      await events.sessionsEnded(claims.sub, claims.jti);
    }
  }

  /** Returns whether a browser has brought the cookie of another gateway on this host: cookies know no ports. */
  isForeign(cookie: string | undefined): boolean {
    return cookie !== undefined && this.#options.tokens.isForeign('session', cookie);
  }

  #read(token: string): SessionClaims | undefined {
    for (const kind of sessionKinds) {
      try {
        return this.#options.tokens.verify(kind, token);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
      }
    }
    return undefined;
  }
}
