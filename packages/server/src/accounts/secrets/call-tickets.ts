import type { Scope } from '@switchyard/contract/endpoint';
import { callTicketPrefix } from '../../http/access/bearer.ts';
import type { CustomUser, Identity } from '../../http/access/identity.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { newSecret } from '../../lib/ids.ts';
import { secondMs } from '../../lib/time-units.ts';

/** For whom a ticket lets one call in. */
export interface TicketHolder {
  userId: string;
  /** The user as the operator's own authentication described them; null for users with a credential of the gateway. */
  custom: CustomUser | null;
  scopes: readonly Scope[];
}

/** The account of a holder, as far as a call needs it. */
export interface HolderAccount {
  email: string;
  needs_setup: number;
  oauth_provider: string | null;
  token_version: number;
  disabled: number;
}

/** A call is sent as soon as it has its ticket, over loopback. A busy gateway may take a while to read it. */
const lifeMs = 10 * secondMs;
/** Ten times as many as requests that the gateway takes at a time. What is asked beyond that is refused. */
const maxTickets = 10_000;

/** Credentials for single calls that an operator's own code makes to its gateway. They are kept in memory alone. */
export class CallTickets {
  readonly #options;
  /** The oldest comes first, so those that have expired are together. */
  readonly #open = new Map<string, { holder: TicketHolder; untilMs: number }>();

  constructor(options: {
    accountOf: (userId: string) => Promise<HolderAccount | undefined>;
    now: Clock;
  }) {
    this.#options = options;
  }

  make(holder: TicketHolder): string {
    const now = this.#options.now();
    for (const [ticket, { untilMs }] of this.#open) {
      if (untilMs > now) break;
      this.#open.delete(ticket);
    }
    if (this.#open.size >= maxTickets) throw new AppError('overloaded');
    const ticket = callTicketPrefix + newSecret(32);
    this.#open.set(ticket, { holder, untilMs: now + lifeMs });
    return ticket;
  }

  async redeem(ticket: string): Promise<Identity> {
    const { accountOf, now } = this.#options;
    const found = this.#open.get(ticket);
    this.#open.delete(ticket);
    if (!found || found.untilMs <= now()) {
      throw new AppError('token_invalid', { message: 'This ticket is unknown, was used, or has expired.' });
    }
    const { userId, custom, scopes } = found.holder;
    const account = await accountOf(userId);
    if (!account) throw new AppError('user_not_found');
    if (account.disabled)
      throw new AppError('token_invalid', { message: 'Token revoked (account disabled)' });
    return {
      userId,
      email: account.email,
      role: 'user',
      needsSetup: account.needs_setup === 1,
      oauthProvider: account.oauth_provider,
      via: 'own_code',
      // No session of that id exists: what stays open ends with the account, or when the version of its sessions changes.
      credentialId: `own_code:${userId}`,
      sessionVersion: account.token_version,
      scopes,
      expiresAtMs: null,
      ...(custom && { custom }),
    };
  }
}
