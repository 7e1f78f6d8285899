import { isRecord } from '@switchyard/contract/is-record';
import { nearest } from '../../lib/nearest.ts';
import { type AuthEvent, authKeys, authKeysOf } from './auth-events.ts';
import { type ExportPlace, wrongExport } from './load-export.ts';
import { OwnExport, type OwnExportPlace } from './own-export.ts';

/** The question that an `on` handler gets. */
export interface AuthQuestion {
  event: string;
  resource: string;
  action: string;
  value: unknown;
  permissions: readonly string[];
  user: unknown;
}

export type AuthHandler = (question: AuthQuestion) => unknown;

/** The handlers of an `Auth` of LangGraph's SDK. What they return is not checked yet. */
export interface AuthHandlers {
  authenticate: (request: Request) => unknown;
  /** Returns the handler that decides about the event; undefined when there is none, and everything is allowed. */
  on: (event: AuthEvent) => AuthHandler | undefined;
}

/** The authentication that `auth.path` of langgraph.json names. */
export type OwnAuth = OwnExport<AuthHandlers>;

export function ownAuth(named: OwnExportPlace): OwnAuth {
  return new OwnExport(named, handlersOf);
}

/** The SDK keeps the handlers here, and has no other way to them. Its class may come from another copy of the SDK. */
const cacheKey = '~handlerCache';

function handlersOf(auth: unknown, place: ExportPlace): AuthHandlers {
  const cache = isRecord(auth) ? auth[cacheKey] : undefined;
  if (!isRecord(cache)) {
    throw wrongExport(place, auth, 'export an Auth of @langchain/langgraph-sdk/auth');
  }
  const { authenticate, callbacks = {} } = cache;
  if (typeof authenticate !== 'function') {
    throw wrongExport(
      place,
      auth,
      'give it an authenticate handler: auth.authenticate(async (request) => …)',
    );
  }
  const handlers = callbacksOf(callbacks, { auth, place });
  return {
    authenticate: (request) => authenticate(request),
    on: (event) => {
      const key = authKeysOf(event).find((each) => handlers.has(each));
      return key === undefined ? undefined : handlers.get(key);
    },
  };
}

/** A handler under a name that no event has would never be asked, and what it should guard would stand open. */
function callbacksOf(
  callbacks: unknown,
  { auth, place }: { auth: unknown; place: ExportPlace },
): ReadonlyMap<string, AuthHandler> {
  const handlers = new Map<string, AuthHandler>();
  for (const [key, handler] of Object.entries(isRecord(callbacks) ? callbacks : {})) {
    if (typeof handler !== 'function') throw wrongExport(place, auth, `give on('${key}', …) a function`);
    if (!authKeys.has(key)) {
      const meant = nearest(key, authKeys);
      const hint = meant === undefined ? '' : `; do you mean '${meant}'?`;
      throw wrongExport(place, auth, `there is no event '${key}' for on()${hint}`);
    }
    handlers.set(key, handler as AuthHandler);
  }
  return handlers;
}
