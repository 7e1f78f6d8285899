import type { McpServer } from '@switchyard/contract/conversation/mcp';
import { isRecord } from '@switchyard/contract/is-record';
import { isStoppedForGood } from '../../agents/run-contract/run-handle.ts';
import type { ExternalCall, ExternalResult } from '../../agents/tools/external-tool.ts';
import { ToolFailure } from '../../agents/tools/tool-failure.ts';
import { deadline } from '../../lib/async/deadline.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import type { McpTaskRow } from '../tables.ts';
import { reasonOf } from './mcp-failure.ts';
import type { McpNetwork } from './mcp-network.ts';
import { toolResult } from './mcp-result.ts';
import {
  listTools,
  type McpSession,
  type McpToolDescription,
  openMcpSession,
  taskKey,
} from './mcp-session.ts';
import { answersTo, followTask, openQuestions } from './mcp-task.ts';
import type { McpTaskStore } from './mcp-task-store.ts';

type Json = Record<string, unknown>;

/** The longest pause between two attempts to reach an unreachable server. */
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;
const closedReason = 'its configuration has changed';
/** A tool may ask a human so many times before it answers. */
const maxQuestions = 20;

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
      tasks: McpTaskStore;
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

  async call(tool: string, input: Record<string, unknown>, call: ExternalCall): Promise<ExternalResult> {
    const { run } = call;
    const known = run && (await this.#options.tasks.find(run.key));
    if (run && known) {
      await this.#options.tasks.takeOver(run.key, run.runId);
      return this.#follow(known, call);
    }
    // The call of the tool is on disk before it acts, so that after a crash the same call comes back.
    await run?.beforeActing();
    const result = await this.#ask(tool, input, call);
    const task = taskIn(result);
    if (task === null) return toolResult(result);
    const row = {
      call_key: run?.key ?? task,
      thread_id: run?.threadId ?? '',
      run_id: run?.runId ?? '',
      server: this.name,
      task_id: task,
      answers: 0,
      created_at: new Date().toISOString(),
    };
    if (run) await this.#options.tasks.add(row);
    return this.#follow(row, call);
  }

  /** Tells the server that no one waits for the task any more. It need not be reached. */
  async cancelTask(taskId: string): Promise<void> {
    await this.#request('tasks/cancel', { taskId }).catch((error: unknown) =>
      this.#options.log.warn(
        { server: this.name, reason: reasonOf(error) },
        'A task on an MCP server could not be cancelled',
      ),
    );
  }

  /** Calls the tool, and again with the answers where the server wants to know something from a human first. */
  async #ask(tool: string, input: Record<string, unknown>, call: ExternalCall): Promise<Json> {
    const traceparent = call.run?.traceparent;
    let params: Json = { name: tool, arguments: input, ...(traceparent && { _meta: { traceparent } }) };
    for (let round = 0; round < maxQuestions; round += 1) {
      const result = await this.#request('tools/call', params, call.signal);
      if (result.resultType !== 'input_required') return result;
      const inputResponses = Object.fromEntries(answersTo(openQuestions(result.inputRequests), call));
      params = { ...params, inputResponses, requestState: result.requestState };
    }
    throw new ToolFailure('mcp_tool_failed', `The tool asked more than ${maxQuestions} times.`);
  }

  async #follow(row: McpTaskRow, call: ExternalCall): Promise<ExternalResult> {
    const { tasks } = this.#options;
    const { call_key: key, task_id: taskId, answers } = row;
    try {
      const result = await followTask({
        taskId,
        request: (method, params) => this.#request(method, params, call.signal),
        isPassing: (error) => error instanceof ServerAway,
        call,
        answers,
        noteAnswer: (count) => tasks.noteAnswer(key, count),
      });
      await tasks.remove(key);
      return toolResult(result);
    } catch (error) {
      const isStopped = call.signal !== undefined && isStoppedForGood(call.signal);
      if (isStopped) await this.cancelTask(taskId);
      if (isStopped || error instanceof ToolFailure) await tasks.remove(key);
      throw error;
    }
  }

  async #request(method: string, params: Json, signal?: AbortSignal): Promise<Json> {
    const session = await this.#opened();
    const timeout = this.server.tool_call_timeout * 1_000;
    try {
      const options = {
        timeout,
        maxTotalTimeout: timeout,
        allowInputRequired: true,
        ...(signal && { signal }),
      };
      return (await session.client.request({ method, params }, anyResult, options)) as Json;
    } catch (error) {
      if (signal?.aborted) throw error;
      // An error that the server itself reports leaves the connection as it is; any other may have ended it.
      if (isAnswerOfServer(error)) throw new ToolFailure(failureCode, this.#whyFailed(error));
      if (!isTimeout(error)) await this.#drop(session);
      throw new ServerAway(failureCode, this.#whyFailed(error));
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
      throw new ServerAway(failureCode, this.#whyFailed(error));
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

  #whyFailed(error: unknown): string {
    return `The MCP server '${this.name}' failed: ${reasonOf(error)}`;
  }
}

const failureCode = 'mcp_server_failed';

/** The server gave no answer; it may give one later. */
class ServerAway extends ToolFailure {}

/** JSON-RPC errors have codes below zero. */
function isAnswerOfServer(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' && code < 0;
}

/** A call that takes too long leaves the connection open. */
function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'REQUEST_TIMEOUT';
}

/** Null when the result is the answer itself. */
function taskIn({ _meta: about }: Json): string | null {
  const task = isRecord(about) ? about[taskKey] : undefined;
  return isRecord(task) && typeof task.taskId === 'string' ? task.taskId : null;
}

/** Results are read here by hand, field by field. */
const anyResult = {
  '~standard': { version: 1 as const, vendor: 'switchyard', validate: (value: unknown) => ({ value }) },
};
