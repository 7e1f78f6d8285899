import { type Static, Type } from 'typebox';
import { type Bus, busTopic } from '../platform/bus/bus.ts';

/** The methods of a logger that accounts use. */
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
  | 'access_token_granted'
  | 'access_token_deleted'
  | 'user_created'
  | 'user_disabled'
  | 'user_enabled'
  | 'user_role_changed'
  | 'user_password_reset'
  | 'user_deleted';

const warned: ReadonlySet<AccountEvent> = new Set(['login_failed', 'login_locked', 'password_change_failed']);

const sessionsEnded = Type.Object({
  user_id: Type.String(),
  /** The one session or access token that ended, or null for every session of the account. */
  credential_id: Type.Union([Type.String(), Type.Null()]),
});
export type SessionsEnded = Static<typeof sessionsEnded>;

/** Everything with a session (a socket, a stream) listens here for the end of the session. */
export const sessionsEndedTopic = busTopic('accounts.sessions-ended', sessionsEnded);

/** Every change of an account passes here. It is logged, and published on the bus if others must know about it. */
export class AccountEvents {
  readonly #log: AccountLog;
  readonly #bus: Bus;

  constructor({ log, bus }: { log: AccountLog; bus: Bus }) {
    this.#log = log;
    this.#bus = bus;
  }

  /** Ids, addresses and roles only: never a password, a token, or text that a caller typed as a name. */
  record(event: AccountEvent, fields: Record<string, string | boolean | null>): void {
    const level = warned.has(event) ? 'warn' : 'info';
    this.#log[level]({ event, ...fields }, `Account event: ${event}`);
  }

  async sessionsEnded(userId: string, credentialId: string | null): Promise<void> {
    await this.#bus.publish(sessionsEndedTopic, { user_id: userId, credential_id: credentialId });
  }
}
