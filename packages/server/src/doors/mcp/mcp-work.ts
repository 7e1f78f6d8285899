import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Scope } from '@switchyard/contract/endpoint';

/** The account behind a request. */
export interface McpCaller {
  userId: string;
  /** Null for a session, which may do everything that its user may. */
  scopes: readonly Scope[] | null;
  byAdmin: boolean;
  /** The origin under which the client reached the gateway, for links. */
  origin: string | undefined;
  requestId: string;
  /** Null while nothing is traced. */
  traceparent: string | null;
}

/** A question at which an agent stopped. */
export interface McpQuestion {
  /** Differs for each question of a conversation, since clients answer a key once. */
  key: string;
  message: string;
  /** True when the answer is `approve` or `reject`. */
  isApproval: boolean;
}

/** Work that a call has begun, as clients see it: a task of the pool, or a run of an agent. */
export type McpWork = {
  id: string;
  /** Place, percent and node, in a sentence. */
  message: string;
  createdAt: string;
  updatedAt: string;
} & (
  | { status: 'working' | 'cancelled' }
  | { status: 'input_required'; questions: McpQuestion[]; threadId: string }
  | { status: 'completed'; result: () => Promise<CallToolResult> }
);

/** One kind of work. Every call is for one account: the work of others does not exist for it. */
export interface McpWorks {
  /** Throws `task_not_found` for what does not exist and for what belongs to another account. */
  look(caller: McpCaller, id: string): Promise<McpWork>;
  /** Asks the work to stop. Work that has ended stays as it is. */
  cancel(caller: McpCaller, id: string): Promise<void>;
  /** Yields each change until the work no longer runs, or the signal aborts. The work goes on without its follower. */
  follow(
    caller: McpCaller,
    id: string,
    signal: AbortSignal,
  ): AsyncIterable<{ percent: number; message: string }>;
}
