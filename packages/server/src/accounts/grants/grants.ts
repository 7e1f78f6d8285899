import { createHash } from 'node:crypto';
import type { Consent, GrantRequest, TokenRequest } from '@switchyard/contract/accounts/client-grant';
import type { Scope } from '@switchyard/contract/endpoint';
import { accessTokenPrefix } from '../../http/access/bearer.ts';
import type { Identity } from '../../http/access/identity.ts';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { newId, newSecret } from '../../lib/ids.ts';
import type { Owner } from '../../lib/owner.ts';
import { dayMs, minuteMs } from '../../lib/time-units.ts';
import type { Actor, Audit } from '../../platform/audit/audit.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import { tokensPerAccount } from '../access-tokens.ts';
import type { AccountEvents } from '../account-events.ts';
import type { AccountTables } from '../tables.ts';
import type { Clients, GrantClient } from './clients.ts';
import {
  checkedRequest,
  isRegistered,
  isRightVerifier,
  redirectTo,
  requestedScopes,
  requireResource,
} from './grant-request.ts';
import type { GrantRow, GrantStore } from './grant-store.ts';

const codeMs = minuteMs;
const accessTokenMs = 60 * minuteMs;
/** A client that is not used for so long asks its user again. */
const refreshTokenMs = 30 * dayMs;
/** Longer than any sign-in that it has, so that a client can ask its user again. */
const clientMs = 90 * dayMs;

const refreshTokenPrefix = 'sy_ref_';
/** A family, which stays, and a secret, which is new each time. */
const refreshToken = /^(sy_ref_[\w-]{22})\.[\w-]{43}$/;
const owner: Owner = { system: 'sign-in of clients' };

interface IssuedTokens {
  access_token: string;
  token_type: string;
  expires_in: number;
  refresh_token: string;
  scope: string;
}

/** A request of a client that may be answered at its redirect address. */
interface Asked {
  client: GrantClient;
  uri: string;
  scopes: Scope[];
  challenge: string;
  /** Why the client gets nothing, whatever the user says. */
  refusal: AppError | null;
}

/** Users let clients sign in for them: a code for the consent, and tokens for the code. */
export class Grants {
  readonly #options;

  constructor(options: {
    store: GrantStore;
    clients: Pick<Clients, 'find'>;
    events: Pick<AccountEvents, 'record' | 'sessionsEnded'>;
    audit: Pick<Audit, 'part' | 'record'>;
    clock: Clock;
    /** The address of this gateway for its users. */
    issuer: () => string;
  }) {
    this.#options = options;
  }

  /** The only address for which there are tokens. */
  get resource(): string {
    return `${this.#options.issuer()}/mcp`;
  }

  async read(request: GrantRequest): Promise<Consent> {
    const { client, uri, scopes, refusal } = await this.#asked(request);
    return {
      client: client.name,
      document: client.document,
      redirect_host: new URL(uri).host,
      scopes,
      refusal: refusal && { error: refusal.code, redirect_to: this.#answer(request, uri, refused(refusal)) },
    };
  }

  /** Returns the address to which the browser of the user goes next. */
  async decide(
    { userId, sessionVersion }: Pick<Identity, 'userId' | 'sessionVersion'>,
    actor: Actor,
    { allow, ...request }: GrantRequest & { allow: boolean },
  ): Promise<string> {
    const { store, audit, events, clock } = this.#options;
    if (sessionVersion === null) throw new AppError('session_required');
    const { client, uri, scopes, challenge, refusal } = await this.#asked(request);
    if (refusal) return this.#answer(request, uri, refused(refusal));
    if (!allow) return this.#answer(request, uri, { error: 'access_denied' });
    const now = clock();
    const code = newSecret(32);
    const row = {
      id: newId(),
      user_id: userId,
      client_id: client.id,
      client_name: client.name,
      redirect_uri: uri,
      resource: this.resource,
      scopes: JSON.stringify(scopes),
      code_digest: digestOf(code),
      code_challenge: challenge,
      expires_at: toIso(now + codeMs),
    };
    const alongside = audit.part(actor, {
      action: 'access_token.granted',
      target: ['access_token', row.id],
      details: { client: client.name, client_id: client.id, redirect: uri, scopes },
    });
    const limits = { sessionVersion, maxTokens: tokensPerAccount, now: toIso(now), alongside };
    const outcome = await store.insert({ user: userId }, row, limits);
    if (outcome === 'session_over') throw new AppError('token_invalid');
    if (outcome === 'too_many') throw new AppError('access_token_limit');
    events.record('access_token_granted', { user_id: userId, access_token_id: row.id });
    return this.#answer(request, uri, { code });
  }

  /** A code is taken by the first who brings it. When anything about it is wrong, it is gone. */
  async exchange(request: TokenRequest): Promise<IssuedTokens> {
    requireResource(request.resource, this.resource);
    const family = refreshTokenPrefix + newSecret(16);
    const next = this.#newTokens(family);
    const digests = { family_digest: digestOf(family), refresh_digest: digestOf(next.refresh) };
    const taking = { codeDigest: digestOf(request.code ?? ''), ...digests };
    return this.#settle(
      this.#options.store.exchange(owner, taking, async (trx, found) => {
        if (!found) return null;
        const { row, isReplay } = found;
        if (isReplay) return this.#end(trx, row, 'its code was used twice');
        const isRight =
          row.client_id === request.client_id &&
          row.redirect_uri === request.redirect_uri &&
          row.resource === this.resource &&
          isRightVerifier(request.code_verifier, row.code_challenge);
        if (!isRight) return this.#end(trx, row, 'its code was brought with the wrong proof');
        if (this.#isOver(row)) return this.#end(trx, row, 'its code has expired');
        return this.#issue(trx, row, { scopes: JSON.parse(row.scopes) as Scope[], ...next });
      }),
    );
  }

  async refresh(request: TokenRequest): Promise<IssuedTokens> {
    requireResource(request.resource, this.resource);
    const presented = request.refresh_token ?? '';
    const family = refreshToken.exec(presented)?.[1];
    if (family === undefined) throw new AppError('invalid_grant');
    const next = this.#newTokens(family);
    const digests = {
      family_digest: digestOf(family),
      presented: digestOf(presented),
      next: digestOf(next.refresh),
    };
    return this.#settle(
      this.#options.store.refresh(owner, digests, async (trx, found) => {
        if (!found) return null;
        const { row, isReplay } = found;
        if (isReplay) return this.#end(trx, row, 'a refresh token was used twice');
        // These leave the refresh token as it was: a mistake of the client is not a theft.
        if (row.client_id !== request.client_id) throw new AppError('invalid_grant');
        const scopes = requestedScopes(request.scope, JSON.parse(row.scopes) as Scope[]);
        if (this.#isOver(row)) return this.#end(trx, row, 'it was not used for too long');
        return this.#issue(trx, row, { scopes, ...next });
      }),
    );
  }

  /** Ends the grant of a refresh token. A token that is not known needs no action. */
  async revoke(token: string): Promise<void> {
    const family = refreshToken.exec(token)?.[1];
    if (family === undefined) return;
    const tokens = { family_digest: digestOf(family), presented: digestOf(token), next: '' };
    const ended = await this.#options.store.refresh(owner, tokens, async (trx, found) =>
      found ? this.#end(trx, found.row, 'the client has signed out') : null,
    );
    if (ended) await this.#announceEnd(ended);
  }

  /** Throws what only the user may see: a client or an address that is not known gets no answer. */
  async #asked(request: GrantRequest): Promise<Asked> {
    const { client_id: id = '', redirect_uri: uri } = request;
    const client = await this.#options.clients.find(id);
    if (uri === undefined || !isRegistered(uri, client.redirectUris))
      throw new AppError('invalid_redirect_uri');
    try {
      return { client, uri, refusal: null, ...checkedRequest(request, this.resource) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { client, uri, scopes: [], challenge: '', refusal: error };
    }
  }

  /** Names the gateway, so that a client with several of them does not mix up their answers (RFC 9207). */
  #answer({ state }: GrantRequest, uri: string, fields: Record<string, string>): string {
    return redirectTo(uri, { ...fields, state, iss: this.#options.issuer() });
  }

  #newTokens(family: string): { access: string; refresh: string } {
    return { access: accessTokenPrefix + newSecret(32), refresh: `${family}.${newSecret(32)}` };
  }

  #isOver({ expires_at }: GrantRow): boolean {
    return Date.parse(expires_at) <= this.#options.clock();
  }

  async #issue(
    trx: WriteTransaction<AccountTables>,
    grant: GrantRow,
    { scopes, access, refresh }: { scopes: Scope[]; access: string; refresh: string },
  ): Promise<IssuedTokens> {
    const now = this.#options.clock();
    const row = {
      id: grant.id,
      user_id: grant.user_id,
      name: grant.client_name,
      digest: digestOf(access),
      scopes: JSON.stringify(scopes),
      created_at: toIso(now),
      expires_at: toIso(now + accessTokenMs),
      last_used_at: null,
      client: new URL(grant.redirect_uri).host,
      resource: grant.resource,
    };
    await this.#options.store.writeToken(trx, row, {
      grantEnd: toIso(now + refreshTokenMs),
      clientId: grant.client_id,
      clientEnd: toIso(now + clientMs),
    });
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: accessTokenMs / 1_000,
      refresh_token: refresh,
      scope: scopes.join(' '),
    };
  }

  /** Part of the unit, which is not undone by the answer that follows. */
  async #end(trx: WriteTransaction<AccountTables>, grant: GrantRow, because: string): Promise<Ended> {
    const { store, audit } = this.#options;
    await store.end(trx, grant.id);
    const actor = {
      id: grant.user_id,
      name: grant.client_name,
      via: 'access_token',
      requestId: null,
    } as const;
    await audit.record(trx, actor, {
      action: 'access_token.deleted',
      target: ['access_token', grant.id],
      details: { client: grant.client_name, client_id: grant.client_id, because },
    });
    return { userId: grant.user_id, tokenId: grant.id };
  }

  /** What the unit did is on disk before anybody hears of it. */
  async #settle(unit: Promise<IssuedTokens | Ended | null>): Promise<IssuedTokens> {
    const outcome = await unit;
    if (outcome !== null && 'access_token' in outcome) return outcome;
    if (outcome !== null) await this.#announceEnd(outcome);
    throw new AppError('invalid_grant');
  }

  async #announceEnd({ userId, tokenId }: Ended): Promise<void> {
    const { events } = this.#options;
    events.record('access_token_deleted', { user_id: userId, access_token_id: tokenId });
    await events.sessionsEnded(userId, tokenId);
  }
}

interface Ended {
  userId: string;
  tokenId: string;
}

function refused(error: AppError): Record<string, string> {
  return { error: error.code, error_description: error.message };
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
