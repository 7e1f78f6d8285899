import type { Bus } from '../platform/bus/bus.ts';

/** What accounts need of a logger. */
export interface AccountLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export type AccountEvent =
  | 'login_succeeded'
  | 'login_failed'
  | 'login_locked'
  | 'logged_out'
  | 'registered'
  | 'initialized'
  | 'password_changed'
  | 'password_change_failed'
  | 'email_changed'
  | 'access_token_created'
  | 'access_token_deleted'
  | 'user_created'
  | 'user_disabled'
  | 'user_enabled'
  | 'user_role_changed'
  | 'user_password_reset'
  | 'user_deleted';

const warned: ReadonlySet<AccountEvent> = new Set(['login_failed', 'login_locked', 'password_change_failed']);

/** Where everything with a session (a socket, a stream) hears that it has ended. */
export const sessionsEndedTopic = 'accounts.sessions-ended';

export interface SessionsEnded {
  user_id: string;
  /** The one session or access token that ended, or null for every session of the account. */
  credential_id: string | null;
}

/** The one place that every change of an account passes: the log, and the bus where others must hear of it. */
export class AccountEvents {
  readonly #log: AccountLog;
  readonly #bus: Bus;

  constructor({ log, bus }: { log: AccountLog; bus: Bus }) {
    this.#log = log;
    this.#bus = bus;
  }

  /** Ids, addresses and roles only: never a password, a token, or what somebody typed as a name. */
  record(event: AccountEvent, fields: Record<string, string | boolean | null>): void {
    const level = warned.has(event) ? 'warn' : 'info';
    this.#log[level]({ event, ...fields }, `Account event: ${event}`);
  }

  async sessionsEnded(userId: string, credentialId: string | null): Promise<void> {
    await this.#bus.publish(sessionsEndedTopic, { user_id: userId, credential_id: credentialId });
  }
}
