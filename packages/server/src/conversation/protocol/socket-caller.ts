import type { IncomingHttpHeaders } from 'node:http';
import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import {
  openThreadSocket,
  type ProtocolCommand,
  sendCommand,
  streamThreadEvents,
} from '@switchyard/contract/conversation/protocol';
import type { Endpoint } from '@switchyard/contract/endpoint';
import type { CustomCall, DecideCall } from '../../http/access/custom-calls.ts';
import type { Identity } from '../../http/access/identity.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import type { RunCaller } from '../runs/intake/run-intake.ts';
import { runCallerOf } from '../runs/run-caller.ts';
import { ProtocolError } from './protocol-error.ts';

const changing = new Set(['run.start', 'input.respond']);

/**
 * The caller at the other end of a socket. For callers whom the operator's own authentication has let in, each command
 * counts as the HTTP request with the same meaning: the handlers decide who calls, and whether they may.
 */
export class SocketCaller {
  readonly #options;
  #identity: Identity;

  constructor(options: {
    identity: Identity;
    mount: Mount;
    threadId: string;
    /** The headers of the request that opened the socket: its credential is in them. */
    headers: IncomingHttpHeaders;
    /** Reads who is calling from that request again. Throws when they are refused. */
    identify: () => Promise<Identity>;
    /** Asks the operator's handlers; null when langgraph.json has no auth. */
    decide: DecideCall | null;
  }) {
    this.#options = options;
    this.#identity = options.identity;
  }

  get owner(): Owner {
    return { user: this.#identity.userId };
  }

  /** The gateway notices the end of such a credential in no other way. */
  get mustBeConfirmed(): boolean {
    return this.#identity.custom !== undefined;
  }

  /** Throws when the caller is no longer who opened the socket. The end of a session or a token needs no check here. */
  async confirm(): Promise<void> {
    if (!this.mustBeConfirmed) return;
    const now = await this.#options.identify();
    if (now.userId !== this.#identity.userId) throw new AppError('custom_auth_rejected');
    this.#identity = now;
  }

  /** Returns the command as the handlers leave it, and who sends it. Throws when it is refused. */
  async send(command: ProtocolCommand): Promise<{ caller: RunCaller; command: unknown }> {
    this.#requireScope(command.method);
    await this.confirm();
    const allowed = await this.#ask(sendCommand, command);
    return { caller: runCallerOf(this.#identity, { mount: this.#options.mount }), command: allowed };
  }

  /** Throws when the events are refused. A thread that does not exist yet may be waited for. */
  async subscribe(): Promise<void> {
    await this.confirm();
    await this.#ask(openThreadSocket, undefined);
  }

  /** Throws when the events of a thread that exists are refused. */
  async read(): Promise<void> {
    await this.#ask(streamThreadEvents, undefined);
  }

  async #ask(endpoint: Endpoint, body: unknown): Promise<unknown> {
    const { mount, threadId, headers, decide } = this.#options;
    const { custom } = this.#identity;
    if (!custom) return body;
    if (!decide) throw new AppError('custom_auth_unserved');
    const { method, url } = at(mount, endpoint);
    const call: CustomCall = {
      endpoint: `${method} ${url}`,
      isRest: false,
      user: custom,
      owner: this.owner,
      headers,
      params: { thread_id: threadId },
      query: {},
      body,
    };
    return decide(call).then(() => call.body);
  }

  #requireScope(method: string): void {
    const { scopes } = this.#identity;
    if (!changing.has(method) || scopes === null || scopes.includes('conversation:write')) return;
    throw new ProtocolError('permission_denied', 'The token lacks the scope conversation:write.');
  }
}
