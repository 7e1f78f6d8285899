import { AsyncLocalStorage } from 'node:async_hooks';
import { newId } from '../../lib/ids.ts';

/** The user for whom an operator's own code works. */
export interface CodeCaller {
  userId: string;
  /** The user as the operator's own authentication described them; null for users with a credential of the gateway. */
  authUser: Record<string, unknown> | null;
  mayWrite: boolean;
}

/** Sends a request of own code to the gateway that runs the code. The path is one below LangGraph's mount. */
export type SendForCaller = (caller: CodeCaller, path: string, request: RequestInit) => Promise<Response>;

/** Own code while it works for a caller. */
interface OwnWork {
  /** Everything that this calls, and what that calls, works for the caller. */
  run<Result>(work: () => Result): Result;
  /** Calls that begin later are refused. */
  end(): void;
}

/** The names under which `Client` of LangGraph's SDK looks for the server that runs it, when it is given no address. */
const fetchKey = Symbol.for('langgraph_api:fetch');
const urlKey = Symbol.for('langgraph_api:url');

/** No name server knows a name that ends so. */
const addressDomain = '.own-code.invalid';

/** The address that stands for the work that is done at the moment. */
const currentAddress = new AsyncLocalStorage<string>();

/**
 * A text that reads as the address of the work which reads it. The SDK reads it where a method of its client is called. When it
 * sends the request, it may be too late to ask: a call that waited in the client's queue begins in the context of another call,
 * which can be another user's.
 */
class CallerAddress extends String {
  override toString(): string {
    const address = currentAddress.getStore();
    if (address !== undefined) return address;
    throw new Error(
      'new Client() without an address works inside a run of a graph and inside a route of http.app. ' +
        'Elsewhere give it apiUrl and apiKey.',
    );
  }

  override valueOf(): string {
    return this.toString();
  }
}

const callerAddress: string = new CallerAddress() as string;

/** Several gateways may live in a process. Each work knows the way into its own, and stands here until it ends. */
const works = new Map<string, (path: string, request: RequestInit) => Promise<Response>>();

/** Lets `new Client()` in graphs and own routes reach this gateway, for the user for whom the code works. */
export class OwnCode {
  readonly #send: SendForCaller;

  constructor(send: SendForCaller) {
    this.#send = send;
    const names = globalThis as { [fetchKey]?: typeof fetchForWork; [urlKey]?: string };
    names[fetchKey] = fetchForWork;
    names[urlKey] = callerAddress;
  }

  begin(caller: CodeCaller): OwnWork {
    const host = `${newId()}${addressDomain}`;
    works.set(host, (path, request) => this.#send(caller, path, request));
    return {
      run: (work) => currentAddress.run(`http://${host}`, work),
      end: () => void works.delete(host),
    };
  }

  async during<Result>(caller: CodeCaller, work: () => Promise<Result>): Promise<Result> {
    const own = this.begin(caller);
    try {
      return await own.run(work);
    } finally {
      own.end();
    }
  }
}

async function fetchForWork(input: string | URL, request: RequestInit = {}): Promise<Response> {
  const { host, pathname, search } = new URL(input);
  const send = works.get(host);
  if (!send) throw new Error('The run or the request for which this client works has ended.');
  return send(pathname + search, request);
}

/** The entries of `configurable` that say to a graph who has started its run. No client can set them. */
export function authEntries(
  userId: string,
  authUser: Record<string, unknown> | null | undefined,
): Record<string, unknown> {
  const user: Record<string, unknown> = authUser ?? { identity: userId, permissions: [] };
  return {
    langgraph_auth_user_id: user.identity,
    langgraph_auth_user: user,
    langgraph_auth_permissions: user.permissions,
  };
}
