import type { Identity } from '../http/access/identity.ts';
import { AppError } from '../lib/app-error.ts';
import { sleepWithSignal } from '../lib/async/sleep-with-signal.ts';
import { systemTimer, type Timer } from '../lib/async/timer.ts';
import type { Clock } from '../lib/clock.ts';
import { minuteMs, secondMs } from '../lib/time-units.ts';
import type { Bus, BusEvent } from '../platform/bus/bus.ts';
import { type AccountLog, type SessionsEnded, sessionsEndedTopic } from './account-events.ts';
import type { OpenCredentials } from './open-credentials.ts';

const retryMs = secondMs;
/** After so many attempts, which take a minute and more, it is safer to have all users connect again. */
const maxAttempts = minuteMs / retryMs;

/** Tells everything that outlasts a request (a socket, a stream, a request that waits) that its session or token has ended. */
export class SessionEnds {
  readonly #options;
  readonly #timer: Timer;
  readonly #closing = new AbortController();
  readonly #watched = new Map<AbortController, Identity>();
  #checking: Promise<void> | undefined;
  #mustCheckAgain = false;

  constructor(options: {
    bus: Pick<Bus, 'subscribe'>;
    credentials: Pick<OpenCredentials, 'ended'>;
    log: Pick<AccountLog, 'warn'>;
    /** The clock that decides whether a token has expired. */
    clock: Clock;
    timer?: Timer;
  }) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
  }

  /** Resolves once no later end is missed. */
  async start(): Promise<void> {
    const events = await this.#options.bus.subscribe(sessionsEndedTopic, { signal: this.#closing.signal });
    void this.#follow(events);
  }

  /** The signal aborts with `token_invalid` or `token_expired`. Call `release` when the socket or stream is over. */
  of(identity: Identity): { signal: AbortSignal; release: () => void } {
    const { expiresAtMs } = identity;
    const controller = new AbortController();
    this.#watched.set(controller, identity);
    const cancelExpiry =
      expiresAtMs === null
        ? () => undefined
        : this.#timer(
            () => controller.abort(new AppError('token_expired')),
            expiresAtMs - this.#options.clock(),
          );
    return {
      signal: controller.signal,
      release: () => {
        cancelExpiry();
        this.#watched.delete(controller);
      },
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#checking;
  }

  async #follow(events: AsyncIterable<BusEvent<SessionsEnded>>): Promise<void> {
    for await (const event of events) {
      // After a gap only the database knows whose sessions have ended.
      if (event.type === 'gap') this.#check();
      else this.#end((identity) => isMeant(event.message, identity));
    }
  }

  #end(isOver: (identity: Identity) => boolean): void {
    for (const [controller, identity] of [...this.#watched])
      if (isOver(identity)) controller.abort(new AppError('token_invalid'));
  }

  /** One check at a time. A gap during a check is followed by another one. */
  #check(): void {
    if (this.#checking !== undefined) {
      this.#mustCheckAgain = true;
      return;
    }
    this.#mustCheckAgain = false;
    this.#checking = this.#endWhatHasEnded().finally(() => {
      this.#checking = undefined;
      if (this.#mustCheckAgain) this.#check();
    });
  }

  async #endWhatHasEnded(): Promise<void> {
    const { credentials, log } = this.#options;
    for (let attempt = 1; !this.#closing.signal.aborted; attempt += 1) {
      try {
        const ended = await credentials.ended([...this.#watched.values()]);
        this.#end(({ credentialId }) => ended.has(credentialId));
        return;
      } catch (err) {
        if (attempt === 1) log.warn({ err }, 'The database cannot say which sessions have ended');
        if (attempt >= maxAttempts) {
          log.warn(
            { err },
            'No one could say which sessions have ended: all sockets and streams connect again',
          );
          this.#end(() => true);
          return;
        }
      }
      await sleepWithSignal(retryMs, { signal: this.#closing.signal, timer: this.#timer }).catch(
        () => undefined, // It is closed, and the loop ends.
      );
    }
  }
}

function isMeant({ user_id, credential_id }: SessionsEnded, identity: Identity): boolean {
  if (user_id !== identity.userId) return false;
  return credential_id === null || credential_id === identity.credentialId;
}
