import type { IncomingHttpHeaders } from 'node:http';
import { isRecord } from '@switchyard/contract/is-record';
import type { AuthEvent } from '../../agents/loading/auth-events.ts';
import type { OwnAuth } from '../../agents/loading/own-auth.ts';
import type { CustomUser } from '../../http/access/identity.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Timer } from '../../lib/async/timer.ts';
import { type AuthFilter, readFilter } from './auth-filter.ts';
import { inTime } from './in-time.ts';
import { answerToThrown, nonsense } from './thrown.ts';

export interface AskedAbout {
  event: AuthEvent;
  value: Record<string, unknown>;
  user: CustomUser;
  /** The headers of the request, so that no credential of it gets into the log. */
  headers: IncomingHttpHeaders;
}

export interface Decision {
  /** The metadata that things must have to be seen or changed; null when the handler narrows nothing. */
  filter: AuthFilter | null;
  /** The value as the handler has left it. */
  value: Record<string, unknown>;
}

/** Asks the `on` handlers of the operator. An event without a handler is allowed, as LangGraph's server allows it. */
export class CustomDecisions {
  readonly #auth: Pick<OwnAuth, 'value'>;
  readonly #timer: Timer;

  constructor({ auth, timer }: { auth: Pick<OwnAuth, 'value'>; timer: Timer }) {
    this.#auth = auth;
    this.#timer = timer;
  }

  /** Throws when the handler refuses, fails, or returns something that is not an answer. */
  async ask({ event, value, user, headers }: AskedAbout): Promise<Decision> {
    try {
      const handler = (await this.#auth.value()).on(event);
      if (!handler) return { filter: null, value };
      const [resource = '', action = ''] = event.split(':');
      // Copies, so that a handler changes nothing but what is read from the value afterwards.
      const asked = structuredClone(value);
      const { permissions, ...given } = structuredClone(user);
      const question = {
        event,
        resource,
        action,
        value: asked,
        permissions,
        user: { ...given, permissions },
      };
      const answer = await inTime(() => handler(question), this.#timer);
      return { filter: filterIn(answer, event), value: asked };
    } catch (error) {
      throw answerToThrown(error, headers);
    }
  }
}

function filterIn(answer: unknown, event: AuthEvent): AuthFilter | null {
  if (answer === undefined || answer === null || answer === true) return null;
  if (answer === false) throw new AppError('custom_auth_denied');
  if (!isRecord(answer)) throw nonsense(`the handler of ${event} returned neither true, false nor a filter`);
  const filter = readFilter(answer);
  if (filter && event.startsWith('store:')) {
    throw nonsense(
      `the handler of ${event} returned a filter, and items of the store have no metadata. Give the store a handler of its own that returns true or false, or changes value.namespace`,
    );
  }
  return filter;
}
