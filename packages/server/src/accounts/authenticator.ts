import type { Area } from '@switchyard/contract/areas';
import { doorScope } from '@switchyard/contract/endpoint';
import { isCallTicket } from '../http/access/bearer.ts';
import type { Authenticator, Credentials, Identity } from '../http/access/identity.ts';
import { AppError } from '../lib/app-error.ts';
import { type AccessTokens, isAccessToken } from './access-tokens.ts';
import type { AccountStore } from './account-store.ts';
import type { CallTickets } from './secrets/call-tickets.ts';
import type { SessionTokens, TokenKind } from './session-token.ts';

/** Finds out whose credentials these are, from their signature and one read of the database. */
export class AccountAuthenticator implements Authenticator {
  readonly #options;

  constructor(options: {
    accounts: AccountStore;
    tokens: SessionTokens;
    accessTokens: AccessTokens;
    callTickets: CallTickets;
  }) {
    this.#options = options;
  }

  async authenticate(credentials: Exclude<Credentials, { kind: 'none' }>, area: Area): Promise<Identity> {
    if (credentials.kind === 'cookie') return this.#session('session', credentials.token);
    if (credentials.kind === 'page_cookie') return this.#page(credentials.token);
    if (isAccessToken(credentials.token)) return this.#options.accessTokens.identify(credentials.token);
    if (area === 'dispatch') return this.#session('dispatch', credentials.token);
    if (isCallTicket(credentials.token)) return this.#options.callTickets.redeem(credentials.token);
    throw new AppError('token_invalid', {
      message:
        'This area takes the session cookie or a personal access token (sy_pat_…), which POST /api/v1/auth/tokens makes.',
    });
  }

  /** Scripts of workers run on the page, so its cookie opens the door alone, whatever its user may do. */
  async #page(token: string): Promise<Identity> {
    return { ...(await this.#session('page', token)), scopes: [doorScope] };
  }

  async #session(kind: TokenKind, token: string): Promise<Identity> {
    const claims = this.#options.tokens.verify(kind, token);
    const account = await this.#options.accounts.bySession(claims.sub, claims.jti);
    if (!account) throw new AppError('user_not_found');
    if (account.disabled) throw revoked('account disabled');
    if (account.token_version !== claims.ver) throw revoked('password changed');
    if (account.revoked !== null) throw revoked('signed out');
    return {
      userId: account.id,
      email: account.email,
      role: account.system_role,
      needsSetup: account.needs_setup === 1,
      oauthProvider: account.oauth_provider,
      via: kind === 'dispatch' ? 'bearer' : 'cookie',
      credentialId: claims.jti,
      sessionVersion: claims.ver,
      scopes: null,
      expiresAtMs: claims.exp * 1_000,
    };
  }
}

function revoked(reason: string): AppError {
  return new AppError('token_invalid', { message: `Token revoked (${reason})` });
}
