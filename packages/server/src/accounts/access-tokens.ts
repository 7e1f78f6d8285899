import { createHash } from 'node:crypto';
import type { NewAccessToken } from '@switchyard/contract/accounts/access-token';
import { doorScope, type Scope } from '@switchyard/contract/endpoint';
import { say } from '@switchyard/contract/sentences/sentences';
import { accessTokenPrefix } from '../http/access/bearer.ts';
import type { Identity } from '../http/access/identity.ts';
import { AppError } from '../lib/app-error.ts';
import type { Timer } from '../lib/async/timer.ts';
import { type Clock, toIso } from '../lib/clock.ts';
import { newId, newSecret } from '../lib/ids.ts';
import { dayMs } from '../lib/time-units.ts';
import type { Actor, Audit } from '../platform/audit/audit.ts';
import type { AccessTokenRow, AccessTokenStore, TokenAccount } from './access-token-store.ts';
import type { AccountEvents, AccountLog } from './account-events.ts';
import type { AccountParts } from './account-parts.ts';

/** More than a person uses, and few enough to list in one response. */
export const tokensPerAccount = 100;
const defaultLifetimeDays = 90;

/** The precision of "last used", and how long uses are collected before one write stores them all. */
const lastUsedGrainMs = 60_000;
const lastUsedDelayMs = 5_000;

export function isAccessToken(token: string): boolean {
  return token.startsWith(accessTokenPrefix);
}

export type ShownAccessToken = Omit<AccessTokenRow, 'scopes' | 'digest' | 'user_id' | 'resource'> & {
  scopes: Scope[];
};

export class AccessTokens {
  readonly #store: AccessTokenStore;
  readonly #events: AccountEvents;
  readonly #audit: Pick<Audit, 'part'>;
  readonly #log: AccountLog;
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #resource: () => string | null;
  readonly #uses = new Map<string, string>();
  #cancelTimer: (() => void) | undefined;

  constructor({
    store,
    events,
    audit,
    log,
    clock,
    timer,
    resource,
  }: Pick<AccountParts, 'events' | 'audit' | 'log' | 'clock' | 'timer'> & {
    store: AccessTokenStore;
    /** The address for which clients have tokens; null while none may sign in. */
    resource: () => string | null;
  }) {
    this.#store = store;
    this.#events = events;
    this.#audit = audit;
    this.#log = log;
    this.#clock = clock;
    this.#timer = timer;
    this.#resource = resource;
  }

  async identify(token: string): Promise<Identity> {
    const account = await this.#store.byDigest(digestOf(token));
    if (!account) throw new AppError('token_invalid', { message: 'The access token is not known.' });
    if (account.expires_at !== null && Date.parse(account.expires_at) <= this.#clock()) {
      throw new AppError('token_expired', { message: 'The access token has expired.' });
    }
    if (account.disabled)
      throw new AppError('token_invalid', { message: 'Token revoked (account disabled)' });
    if (account.resource !== null && account.resource !== this.#resource())
      throw new AppError('token_invalid', { message: 'The token was given for another address.' });
    this.#noteUse(account);
    return {
      userId: account.id,
      email: account.email,
      role: account.system_role,
      needsSetup: account.needs_setup === 1,
      oauthProvider: account.oauth_provider,
      via: 'access_token',
      credentialId: account.token_id,
      sessionVersion: null,
      scopes: JSON.parse(account.scopes) as Scope[],
      expiresAtMs: account.expires_at === null ? null : Date.parse(account.expires_at),
      ...(account.resource !== null && { client: account.name }),
    };
  }

  /** The result holds the token itself, which is stored nowhere. */
  async create(
    maker: Pick<Identity, 'role'>,
    input: NewAccessToken,
    actor: Actor,
  ): Promise<ShownAccessToken & { token: string }> {
    if (input.scopes.includes('admin') && maker.role !== 'admin') throw new AppError('admin_required');
    requireDoorAlone(input.scopes);
    const now = this.#clock();
    const token = accessTokenPrefix + newSecret(32);
    const row: AccessTokenRow = {
      id: newId(),
      user_id: actor.id,
      name: input.name,
      digest: digestOf(token),
      scopes: JSON.stringify(input.scopes),
      created_at: toIso(now),
      expires_at: expiryOf(input, now),
      last_used_at: null,
      client: null,
      resource: null,
    };
    const alongside = this.#audit.part(actor, {
      action: 'access_token.created',
      target: ['access_token', row.id],
      details: { name: row.name, scopes: input.scopes, expires: row.expires_at },
    });
    if (!(await this.#store.insert({ user: actor.id }, row, { limit: tokensPerAccount, alongside }))) {
      throw new AppError('access_token_limit');
    }
    this.#events.record('access_token_created', { user_id: actor.id, access_token_id: row.id });
    return { ...shown(row), token };
  }

  async list(userId: string): Promise<ShownAccessToken[]> {
    return (await this.#store.list({ user: userId })).map(shown);
  }

  async delete(actor: Actor, tokenId: string): Promise<void> {
    if (!(await this.#remove(actor, tokenId))) throw new AppError('access_token_not_found');
  }

  /** Signs a token out. An unknown token needs no action. */
  async end(token: string): Promise<void> {
    const account = isAccessToken(token) ? await this.#store.byDigest(digestOf(token)) : undefined;
    if (!account) return;
    const actor = { id: account.id, name: account.email, via: 'access_token', requestId: null } as const;
    await this.#remove(actor, account.token_id);
  }

  /** Stores the uses that are still in memory. */
  async close(): Promise<void> {
    this.#cancelTimer?.();
    await this.#writeUses();
  }

  async #remove(actor: Actor, tokenId: string): Promise<boolean> {
    const userId = actor.id;
    const entry = { action: 'access_token.deleted', target: ['access_token', tokenId] } as const;
    if (!(await this.#store.delete({ user: userId }, tokenId, this.#audit.part(actor, entry)))) return false;
    this.#events.record('access_token_deleted', { user_id: userId, access_token_id: tokenId });
    await this.#events.sessionsEnded(userId, tokenId);
    return true;
  }

  #noteUse({ token_id, last_used_at }: TokenAccount): void {
    const now = this.#clock();
    if (last_used_at !== null && now - Date.parse(last_used_at) < lastUsedGrainMs) return;
    this.#uses.set(token_id, toIso(now));
    this.#cancelTimer ??= this.#timer(() => void this.#writeUses(), lastUsedDelayMs);
  }

  /** Uses that cannot be stored are dropped, because the next use is recorded again. */
  async #writeUses(): Promise<void> {
    this.#cancelTimer = undefined;
    const uses = [...this.#uses];
    this.#uses.clear();
    if (uses.length === 0) return;
    try {
      await this.#store.writeLastUsed({ system: 'access token use' }, uses);
    } catch (error) {
      this.#log.warn({ err: error }, 'The last use of access tokens could not be stored.');
    }
  }
}

function requireDoorAlone(scopes: readonly Scope[]): void {
  if (scopes.length === 1 || !scopes.includes(doorScope)) return;
  const fault = { message: say('scope_alone', { scope: doorScope }), type: 'value_error', input: scopes };
  throw new AppError('validation_failed', { faults: [{ in: 'body', path: ['scopes'], ...fault }] });
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function expiryOf({ expires_in_days }: NewAccessToken, now: number): string | null {
  if (expires_in_days === null) return null;
  return toIso(now + (expires_in_days ?? defaultLifetimeDays) * dayMs);
}

function shown({ user_id, digest, resource, scopes, ...row }: AccessTokenRow): ShownAccessToken {
  return { ...row, scopes: JSON.parse(scopes) as Scope[] };
}
