import type { Identity } from '../http/access/identity.ts';
import type { AccessTokenStore } from './access-token-store.ts';
import type { SessionStore } from './session-store.ts';

export type Credential = Pick<Identity, 'userId' | 'credentialId' | 'sessionVersion'>;

/** Keeps a statement well below the maximum number of parameters. */
const askedAtOnce = 500;

/** Asks the database which of the sessions and tokens that are open have ended. */
export class OpenCredentials {
  readonly #options;

  constructor(options: {
    sessions: Pick<SessionStore, 'revoked' | 'versions'>;
    accessTokens: Pick<AccessTokenStore, 'stillThere'>;
  }) {
    this.#options = options;
  }

  /** Returns the ids of those that have ended. */
  async ended(open: readonly Credential[]): Promise<Set<string>> {
    const each = [...new Map(open.map((credential) => [credential.credentialId, credential])).values()];
    const ended = new Set<string>();
    for (let from = 0; from < each.length; from += askedAtOnce) {
      for (const id of await this.#endedOf(each.slice(from, from + askedAtOnce))) ended.add(id);
    }
    return ended;
  }

  async #endedOf(some: readonly Credential[]): Promise<string[]> {
    const { sessions, accessTokens } = this.#options;
    const ofSessions = some.filter(({ sessionVersion }) => sessionVersion !== null);
    const ofTokens = some.filter(({ sessionVersion }) => sessionVersion === null);
    const [revoked, versions, tokens] = await Promise.all([
      sessions.revoked(ofSessions.map(({ credentialId }) => credentialId)),
      sessions.versions([...new Set(ofSessions.map(({ userId }) => userId))]),
      accessTokens.stillThere(ofTokens.map(({ credentialId }) => credentialId)),
    ]);
    const endedSessions = ofSessions.filter(
      ({ userId, credentialId, sessionVersion }) =>
        revoked.has(credentialId) || versions.get(userId) !== sessionVersion,
    );
    const endedTokens = ofTokens.filter(({ credentialId }) => !tokens.has(credentialId));
    return [...endedSessions, ...endedTokens].map(({ credentialId }) => credentialId);
  }
}
