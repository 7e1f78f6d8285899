import type { NewClient } from '@switchyard/contract/accounts/client-grant';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { AppError, wordingOf } from '../../lib/app-error.ts';
import { boundedFetch, type Fetch } from '../../lib/bounded-fetch.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { newSecret } from '../../lib/ids.ts';
import type { Owner } from '../../lib/owner.ts';
import { dayMs, secondMs } from '../../lib/time-units.ts';
import { safeDisplayName } from '../../platform/files/display-name.ts';
import { isRedirectUri } from './grant-request.ts';
import type { GrantStore } from './grant-store.ts';

/** A program of somebody else that asks users to let it sign in for them. */
export interface GrantClient {
  id: string;
  /** The name that it gives itself. */
  name: string;
  redirectUris: readonly string[];
  /** The host of the document that describes it; null for one that has registered itself. */
  document: string | null;
}

/** More than all clients in use, and a table of a few megabytes. */
const maxClients = 5_000;
/** Clients register right before they ask their user. */
const unusedMs = dayMs;
/** Documents are a few hundred bytes, and a user waits for them. */
const maxDocumentBytes = 16_384;
const documentTimeoutMs = 5 * secondMs;
const owner: Owner = { system: 'clients that sign in' };

export class Clients {
  readonly #options;
  readonly #fetch: Fetch;

  /** `fetch` reads addresses that strangers choose, so it must be a guarded one. */
  constructor(options: { store: GrantStore; clock: Clock; fetch: Fetch }) {
    this.#options = options;
    this.#fetch = boundedFetch(options.fetch, { maxBytes: maxDocumentBytes });
  }

  async register({ client_name, redirect_uris }: NewClient): Promise<GrantClient> {
    const { store, clock } = this.#options;
    const [first = ''] = redirect_uris;
    if (!redirect_uris.every(isRedirectUri)) throw new AppError('invalid_redirect_uri');
    const client = { id: newSecret(16), name: nameOf(client_name, first), redirectUris: redirect_uris };
    const now = clock();
    const row = {
      id: client.id,
      name: client.name,
      redirect_uris: JSON.stringify(redirect_uris),
      expires_at: toIso(now + unusedMs),
    };
    if (!(await store.insertClient(owner, row, { limit: maxClients, now: toIso(now) })))
      throw new AppError('overloaded', { retryAfterSeconds: 3_600 });
    return { ...client, document: null };
  }

  async find(id: string): Promise<GrantClient> {
    if (id.startsWith('https:')) return this.#described(id);
    const { store, clock } = this.#options;
    const row = await store.findClient(owner, id, toIso(clock()));
    if (!row) throw new AppError('invalid_client');
    const redirectUris = JSON.parse(row.redirect_uris) as string[];
    return { id, name: row.name, redirectUris, document: null };
  }

  /** The id is the address of a document that the client publishes about itself. */
  async #described(id: string): Promise<GrantClient> {
    if (!isDocumentAddress(id)) throw unusable(say('client_address'));
    const document = await this.#read(id);
    const { client_id, client_name, redirect_uris, token_endpoint_auth_method: method = 'none' } = document;
    if (client_id !== id) throw unusable(say('client_other_id'));
    if (method !== 'none') throw unusable(say('client_authenticates'));
    if (!isTextList(redirect_uris) || redirect_uris.length === 0) throw unusable(say('client_redirects'));
    return {
      id,
      name: nameOf(typeof client_name === 'string' ? client_name : undefined, id),
      redirectUris: redirect_uris,
      document: new URL(id).host,
    };
  }

  async #read(url: string): Promise<Record<string, unknown>> {
    let text: string;
    try {
      const answer = await this.#fetch(url, {
        headers: { accept: 'application/json' },
        signal: AbortSignal.timeout(documentTimeoutMs),
      });
      text = await answer.text();
      if (answer.status !== 200) throw new Error(`The address answered ${answer.status}.`);
    } catch (error) {
      throw unusable(wordingOf(error));
    }
    const document = parsed(text);
    if (document === undefined) throw unusable(say('client_no_json'));
    return document;
  }
}

/** One spelling for each document: what a URL parser would change is refused. */
function isDocumentAddress(id: string): boolean {
  if (!URL.canParse(id)) return false;
  const { href, pathname, username, password, hash } = new URL(id);
  return href === id && pathname !== '/' && username + password + hash === '';
}

function nameOf(given: string | undefined, address: string): string {
  return safeDisplayName(given?.slice(0, 100) ?? '', new URL(address).host);
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // The caller says that it is not JSON.
  }
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function unusable(cause: Wording): AppError {
  return new AppError('invalid_client_metadata', { message: say('client_document', { cause }) });
}
