import type { TrustedProxies } from '../http/access/client-ip.ts';
import type { Timer } from '../lib/async/timer.ts';
import type { Clock } from '../lib/clock.ts';
import type { Audit } from '../platform/audit/audit.ts';
import type { Counters } from '../platform/counters/counters.ts';
import type { AccountEvents, AccountLog } from './account-events.ts';
import type { AccountStore } from './account-store.ts';
import type { LoginGuard } from './passwords/login-guard.ts';
import type { Passwords } from './passwords/passwords.ts';

/** The parts that several files of the area need. Each takes its share: `Pick<AccountParts, 'clock' | 'log'>`. */
export interface AccountParts {
  store: AccountStore;
  passwords: Passwords;
  guard: LoginGuard;
  events: AccountEvents;
  audit: Pick<Audit, 'part'>;
  counters: Counters;
  proxies: TrustedProxies;
  clock: Clock;
  timer: Timer;
  log: AccountLog;
}
