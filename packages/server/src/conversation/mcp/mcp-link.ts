import type { McpServer } from '@switchyard/contract/conversation/mcp';
import type { ExternalResult } from '../../agents/tools/external-tool.ts';
import { ToolFailure } from '../../agents/tools/tool-failure.ts';
import { deadline } from '../../lib/async/deadline.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import { reasonOf } from './mcp-failure.ts';
import type { McpNetwork } from './mcp-network.ts';
import { toolResult } from './mcp-result.ts';
import { listTools, type McpSession, type McpToolDescription, openMcpSession } from './mcp-session.ts';

/** The longest pause between two attempts to reach an unreachable server. */
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;
const closedReason = 'its configuration has changed';

/**
 * The connection to one server. It is opened when it is first needed, and again when it is needed after it was lost. Meanwhile
 * the tools that were last known stay available, so runs neither wait nor see tools come and go.
 */
export class McpLink {
  readonly name: string;
  readonly server: McpServer;
  readonly #options;
  #session: McpSession | null = null;
  #opening: Promise<McpSession> | null = null;
  #tools: readonly McpToolDescription[] = [];
  #isListing = false;
  /** The tools have changed since the list was requested. */
  #isStale = false;
  #failures = 0;
  #pauseUntilMs = 0;
  readonly #closing = new AbortController();

  constructor(
    options: Pick<ConversationParts, 'version' | 'clock' | 'log'> & {
      name: string;
      server: McpServer;
      network: McpNetwork;
      onChange: () => void;
    },
  ) {
    this.name = options.name;
    this.server = options.server;
    this.#options = options;
  }

  /** The tools as they were last listed. */
  get tools(): readonly McpToolDescription[] {
    return this.#tools;
  }

  /** Settles when the server is connected or cannot be reached now; never throws. */
  async connect(): Promise<void> {
    await this.#open().catch(() => undefined);
  }

  async call(
    tool: string,
    { input, signal }: { input: Record<string, unknown>; signal: AbortSignal | undefined },
  ): Promise<ExternalResult> {
    const session = await this.#opened();
    const timeout = this.server.tool_call_timeout * 1_000;
    try {
      const params = { name: tool, arguments: input };
      const options = { timeout, maxTotalTimeout: timeout, ...(signal && { signal }) };
      return toolResult(await session.client.request({ method: 'tools/call', params }, options));
    } catch (error) {
      if (error instanceof ToolFailure || signal?.aborted) throw error;
      // An error that the server itself reports leaves the connection as it is; any other may have ended it.
      if (!isAnswerOfServer(error)) await this.#drop(session);
      throw this.#failure(error);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error(closedReason));
    const session = this.#session ?? (await this.#opening?.catch(() => null));
    await session?.close().catch(() => undefined);
  }

  async #opened(): Promise<McpSession> {
    try {
      return await this.#open();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #open(): Promise<McpSession> {
    if (this.#session) return Promise.resolve(this.#session);
    if (this.#closing.signal.aborted) return Promise.reject(new Error(closedReason));
    if (this.#opening !== null) return this.#opening;
    if (this.#options.clock() < this.#pauseUntilMs) return Promise.reject(new Error('it cannot be reached'));
    const opening = this.#connect();
    this.#opening = opening;
    const done = () => {
      this.#opening = null;
    };
    opening.then(done, done);
    return opening;
  }

  async #connect(): Promise<McpSession> {
    const { name, server, version, network, clock, log } = this.#options;
    try {
      const session: McpSession = await openMcpSession(server, {
        version,
        fetch: network.fetch,
        signal: this.#closing.signal,
        onToolsChanged: () => this.#refresh(),
        onClosed: () => {
          if (this.#session === session) this.#session = null;
        },
      });
      this.#session = session;
      this.#failures = 0;
      this.#take(session.tools);
      return session;
    } catch (error) {
      this.#pauseUntilMs = clock() + Math.min(firstPauseMs * 2 ** this.#failures, maxPauseMs);
      this.#failures += 1;
      log.warn({ server: name, reason: reasonOf(error) }, 'An MCP server cannot be reached');
      throw error;
    }
  }

  /** Reads one list at a time: a server that reports changes again and again is read once more, and not for each report. */
  #refresh(): void {
    this.#isStale = true;
    if (this.#isListing) return;
    this.#isListing = true;
    void this.#list().finally(() => {
      this.#isListing = false;
      if (this.#isStale) this.#refresh();
    });
  }

  async #list(): Promise<void> {
    this.#isStale = false;
    const session = this.#session;
    if (!session) return;
    try {
      const timeout = this.server.session_init_timeout * 1_000;
      const { signal } = deadline(timeout, this.#closing.signal);
      const tools = await listTools(session.client, { timeout, signal });
      if (this.#session === session) this.#take(tools);
    } catch (error) {
      this.#options.log.warn(
        { server: this.name, reason: reasonOf(error) },
        'The changed tools of an MCP server cannot be listed',
      );
    }
  }

  #take(tools: readonly McpToolDescription[]): void {
    if (JSON.stringify(tools) === JSON.stringify(this.#tools)) return;
    this.#tools = tools;
    this.#options.onChange();
  }

  async #drop(session: McpSession): Promise<void> {
    if (this.#session === session) this.#session = null;
    await session.close().catch(() => undefined);
  }

  #failure(error: unknown): ToolFailure {
    return new ToolFailure('mcp_server_failed', `The MCP server '${this.name}' failed: ${reasonOf(error)}`);
  }
}

/** JSON-RPC errors have codes below zero. A request that took too long leaves the connection as it is, too. */
function isAnswerOfServer(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'REQUEST_TIMEOUT' || (typeof code === 'number' && code < 0);
}
