import type { Identity } from '../http/access/identity.ts';
import type { Bus, BusMessage } from '../platform/bus/bus.ts';
import { type SessionsEnded, sessionsEndedTopic } from './account-events.ts';

/** Tells everything that outlasts a request (a socket, a stream) that its session or token has ended. */
export class SessionEnds {
  readonly #bus: Bus;
  readonly #closing = new AbortController();
  readonly #watched = new Map<AbortController, Identity>();

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  /** Resolves once no later end is missed. */
  async start(): Promise<void> {
    const events = await this.#bus.subscribe(sessionsEndedTopic, { signal: this.#closing.signal });
    void this.#follow(events);
  }

  /** Call `release` when the socket or stream is over. */
  of(identity: Identity): { signal: AbortSignal; release: () => void } {
    const controller = new AbortController();
    this.#watched.set(controller, identity);
    return { signal: controller.signal, release: () => this.#watched.delete(controller) };
  }

  close(): void {
    this.#closing.abort();
  }

  async #follow(events: Awaited<ReturnType<Bus['subscribe']>>): Promise<void> {
    for await (const event of events) {
      // After a gap it is unknown whose sessions have ended, so all users sign in again.
      const ended = event.type === 'gap' ? null : readEnded(event.message);
      for (const [controller, identity] of [...this.#watched]) {
        if (ended === null || isMeant(ended, identity)) controller.abort();
      }
    }
  }
}

function isMeant({ user_id, credential_id }: SessionsEnded, identity: Identity): boolean {
  if (user_id !== identity.userId) return false;
  return credential_id === null || credential_id === identity.credentialId;
}

function readEnded(message: BusMessage): SessionsEnded | null {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return null;
  const { user_id, credential_id } = message;
  if (typeof user_id !== 'string') return null;
  return { user_id, credential_id: typeof credential_id === 'string' ? credential_id : null };
}
