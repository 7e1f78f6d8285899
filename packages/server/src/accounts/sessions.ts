import type { CsrfTokens } from '../http/access/csrf.ts';
import type { Identity } from '../http/access/identity.ts';
import { AppError } from '../lib/app-error.ts';
import { type Clock, toIso } from '../lib/clock.ts';
import { newSecret } from '../lib/ids.ts';
import type { AccountEvents } from './account-events.ts';
import type { AccountRow, AccountStore } from './account-store.ts';
import type { SessionStore } from './session-store.ts';
import { type SessionClaims, type SessionKind, type SessionTokens, sessionKinds } from './session-token.ts';

export interface NewSession {
  token: string;
  /** The value that the page sends back in `X-CSRF-Token`. */
  csrf: string;
  expiresInSeconds: number;
}

/** The browser opens the page at once. */
const ticketSeconds = 60;

/** Begins and ends sessions. A session is its token: nothing is stored while it lasts. */
export class Sessions {
  readonly #options;

  constructor(options: {
    tokens: SessionTokens;
    store: SessionStore;
    accounts: Pick<AccountStore, 'bySession'>;
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

  /**
   * Returns a ticket that carries a session over to a page on another origin. It is a token, so nothing is kept until it is used, and
   * its use revokes it, so every replica knows of it.
   */
  ticketFor({
    userId,
    credentialId,
    sessionVersion,
    expiresAtMs,
  }: Pick<Identity, 'userId' | 'credentialId' | 'sessionVersion' | 'expiresAtMs'>): string {
    if (sessionVersion === null || expiresAtMs === null) throw new AppError('session_required');
    return this.#options.tokens.sign('page_ticket', {
      sub: userId,
      ver: sessionVersion,
      jti: newSecret(16),
      session: { jti: credentialId, exp: Math.floor(expiresAtMs / 1_000) },
      ttlSeconds: ticketSeconds,
    });
  }

  /** Returns the token of the page's cookie. It has the id of the session, so what ends the session ends the page too. */
  async redeem(ticket: string): Promise<{ token: string; expiresInSeconds: number }> {
    const { tokens, accounts, store, clock } = this.#options;
    const { sub, ver, jti, session, exp } = tokens.verify('page_ticket', ticket);
    const account = session && (await accounts.bySession(sub, session.jti));
    const isOver = !account || account.disabled || account.token_version !== ver || account.revoked !== null;
    if (isOver) throw new AppError('token_invalid', { message: 'The session has ended.' });
    const used = { id: jti, expiresAt: toIso(exp * 1_000) };
    if (!(await store.revoke({ user: sub }, used, toIso(clock()))))
      throw new AppError('token_invalid', { message: 'This ticket was used.' });
    const expiresInSeconds = session.exp - Math.floor(clock() / 1_000);
    if (expiresInSeconds <= 0) throw new AppError('token_expired');
    const claims = { sub, ver, jti: session.jti, ttlSeconds: expiresInSeconds };
    return { token: tokens.sign('page', claims), expiresInSeconds };
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
