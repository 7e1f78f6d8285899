import { mounts } from '@switchyard/contract/conversation/mounts';
import { isRecord } from '@switchyard/contract/is-record';
import type { OwnAuth } from '../../agents/loading/own-auth.ts';
import type {
  CustomAuthenticator,
  CustomUser,
  Identity,
  UnknownRequest,
} from '../../http/access/identity.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Timer } from '../../lib/async/timer.ts';
import { Shares } from '../../lib/shares.ts';
import { storable } from '../../lib/storable-text.ts';
import { webRequestOf } from '../own-routes/web-request.ts';
import { inTime } from './in-time.ts';
import { answerToThrown, nonsense } from './thrown.ts';

/** The width of the column. */
const maxIdentityLength = 128;
const maxNameLength = 256;
const maxPermissions = 200;
/** It is stored with every run. */
const maxUserBytes = 8_192;

/** The account of an identity, as far as a request needs it. */
export interface CustomAccount {
  id: string;
  email: string;
  oauth_provider: string | null;
  token_version: number;
}

/** At most this many requests wait for the handler. Strangers must not take every request that the gateway serves. */
const waiting = { each: 100, together: 200 };

/** Lets callers in whom the `authenticate` handler of langgraph.json accepts. Nothing is remembered between requests. */
export class CustomAuthentication implements CustomAuthenticator {
  readonly #options;
  readonly #waiting = new Shares(waiting);

  constructor(options: {
    auth: Pick<OwnAuth, 'value'>;
    /** Returns the account of an identity, and makes it at the first request. */
    accountOf: (identity: string, requestId: string) => Promise<CustomAccount>;
    timer: Timer;
  }) {
    this.#options = options;
  }

  async authenticate(request: UnknownRequest): Promise<Identity> {
    // No route has this method, and the `Request` that the handler gets cannot have it.
    if (request.method === 'TRACE') throw new AppError('method_not_allowed');
    const user = await this.#inShare(request.network, () => this.#ask(request));
    const account = await this.#options.accountOf(user.identity, request.id);
    return {
      userId: account.id,
      email: account.email,
      role: 'user',
      needsSetup: false,
      oauthProvider: account.oauth_provider,
      via: 'custom_auth',
      // No session of that id exists: what stays open ends with the account, or when the version of its sessions changes.
      credentialId: `custom:${account.id}`,
      sessionVersion: account.token_version,
      scopes: ['conversation:read', 'conversation:write'],
      expiresAtMs: null,
      custom: user,
    };
  }

  async #inShare<Result>(network: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#waiting.take(network) !== 'taken')
      throw new AppError('custom_auth_busy', { retryAfterSeconds: 1 });
    try {
      return await work();
    } finally {
      this.#waiting.give(network);
    }
  }

  async #ask(request: UnknownRequest): Promise<CustomUser> {
    const { auth, timer } = this.#options;
    const { method, url, rawHeaders, origin } = request;
    const over = new AbortController();
    try {
      const { authenticate } = await auth.value();
      const asked = webRequestOf(
        { method, url, body: null, raw: { rawHeaders } },
        { origin, prefix: mounts[1], userId: null, signal: over.signal },
      );
      return readUser(await inTime(() => authenticate(asked), timer));
    } catch (error) {
      throw answerToThrown(error, request.headers);
    } finally {
      over.abort();
    }
  }
}

/** Reads whom an `authenticate` handler names: a text, or an object with an identity. Throws when that cannot be used. */
function readUser(answer: unknown): CustomUser {
  const given = typeof answer === 'string' ? { identity: answer } : answer;
  if (!isRecord(given)) throw nonsense('authenticate returned neither a text nor an object with an identity');
  const { is_authenticated: isAuthenticated = true } = given;
  if (isAuthenticated === false) throw new AppError('custom_auth_rejected');
  if (isAuthenticated !== true) throw nonsense('is_authenticated of authenticate must be true or false');
  const identity = identityOf(given.identity);
  return copyOf({
    ...given,
    identity,
    display_name: nameOf(given.display_name ?? identity),
    permissions: permissionsOf(given.permissions ?? []),
    is_authenticated: true,
  });
}

function identityOf(value: unknown): string {
  const isUsable = typeof value === 'string' && value !== '' && value.length <= maxIdentityLength;
  if (isUsable && storable(value) === value) return value;
  throw nonsense(`identity of authenticate must be a text of 1 to ${maxIdentityLength} characters`);
}

function nameOf(value: unknown): string {
  if (typeof value === 'string' && value.length <= maxNameLength) return value;
  throw nonsense(`display_name of authenticate must be a text of at most ${maxNameLength} characters`);
}

function permissionsOf(value: unknown): string[] {
  const isList = Array.isArray(value) && value.length <= maxPermissions;
  if (isList && value.every((each) => typeof each === 'string')) return value;
  throw nonsense(`permissions of authenticate must be a list of at most ${maxPermissions} texts`);
}

/** Only JSON can be stored with a run. */
function copyOf(user: CustomUser): CustomUser {
  const text = textOf(user);
  if (Buffer.byteLength(text) > maxUserBytes) {
    throw nonsense(`what authenticate returns has more than ${maxUserBytes} bytes as JSON`);
  }
  return JSON.parse(text) as CustomUser;
}

function textOf(user: CustomUser): string {
  try {
    return JSON.stringify(user);
  } catch {
    throw nonsense('what authenticate returns cannot be written as JSON');
  }
}
