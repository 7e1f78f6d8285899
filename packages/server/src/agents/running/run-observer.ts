import { BaseCallbackHandler, type HandleLLMNewTokenCallbackFields } from '@langchain/core/callbacks/base';
import type { LLMResult } from '@langchain/core/outputs';
import { type Clock, steadyClock } from '../../lib/clock.ts';
import { modelNameKey } from '../models/model-name-key.ts';
import type { RunMeter } from '../run-contract/agent-run.ts';
import type { Origin } from '../run-contract/event-origin.ts';
import type { NewRunEvent, RunRecord } from '../run-contract/run-record.ts';
import { wireValue } from '../state/wire-values.ts';
import { subagentTaskKey } from '../subagents/subagent-events.ts';
import { GrowingAnswer } from './growing-answer.ts';
import { KnownIds } from './known-ids.ts';
import { callerOf } from './model-caller.ts';
import {
  answerEvent,
  answerIn,
  configuredModel,
  errorText,
  type ObservedCall,
  requestEvent,
  responseEvent,
} from './observed-calls.ts';
import {
  isCommand,
  isMadeMessage,
  isObject,
  kindOf,
  type Message,
  messagesIn,
  named,
  nameRecords,
  recordOf,
  toolMessageIn,
} from './observed-messages.ts';
import { middlewareEvents } from './observed-middleware.ts';
import { ObservedSpans } from './observed-spans.ts';
import { answerStep, toolStep } from './subagent-steps.ts';
import { graphOf, namespaceOf, type TaskMetadata, TaskOrigins } from './task-origins.ts';
import type { ToolTasks } from './tool-tasks.ts';

interface ObservedTool {
  name: string;
  callId: string | null;
  metadata: TaskMetadata;
}

interface ObservedNode {
  name: string;
  input: unknown;
  /** The messages in the state when the node began. They are copied, because a node may add to the list that it is given. */
  messagesBefore: Message[];
  metadata: TaskMetadata;
}

const maxArgumentsLength = 2_000;
const hiddenTag = 'langsmith:hidden';

/**
 * Watches a graph and records what happens in it. It goes into `callbacks` of one run's config. It needs
 * LANGCHAIN_CALLBACKS_BACKGROUND=false, so that an event is recorded before the checkpoint that covers it is made.
 */
export class RunObserver extends BaseCallbackHandler {
  override readonly name = 'RunObserver';
  /** An event that cannot be recorded ends the run, because no message may be missing without notice. */
  override raiseError = true;
  override awaitHandlers = true;
  readonly #recorder: RunRecord;
  readonly #now: Clock;
  readonly #signal: AbortSignal | undefined;
  readonly #toolTasks: ToolTasks | undefined;
  readonly #meter: RunMeter | undefined;
  readonly #origins = new TaskOrigins();
  readonly #spans: ObservedSpans;
  readonly #calls = new Map<string, ObservedCall>();
  /** Answers of the lead agent that are being streamed, and those that the end of the run has cut off. */
  readonly #growing = new Map<string, GrowingAnswer>();
  /** Whole answers of the run's own agent whose nodes have not ended yet, so that no state has them. */
  readonly #unsaved = new Map<string, Message>();
  readonly #tools = new Map<string, ObservedTool>();
  readonly #nodes = new Map<string, ObservedNode>();
  /** Results of tools that returned no message; their node has yet to make one. */
  readonly #unanswered = new Map<ObservedTool, { content: string; status: 'success' | 'error' }>();
  /** Graphs in which the lead agent has answered: what their tools return belongs to the conversation. */
  readonly #leadGraphs = new Set(['']);
  /** Keyed by graph, because each graph has a conversation of its own. */
  readonly #ids = new Map<string, KnownIds>();
  /** Ids of recorded messages. */
  readonly #recorded = new Set<string>();

  constructor(
    recorder: RunRecord,
    {
      now = steadyClock,
      signal,
      toolTasks,
      meter,
    }: {
      now?: Clock;
      /** The signal of the run. With it, answers that its end cuts off are kept for `recordCutOff`. */
      signal?: AbortSignal;
      /** Gets each tool that begins. */
      toolTasks?: ToolTasks;
      meter?: RunMeter | undefined;
    } = {},
  ) {
    super();
    this.#recorder = recorder;
    this.#signal = signal;
    this.#toolTasks = toolTasks;
    this.#meter = meter;
    this.#spans = new ObservedSpans(recorder);
    this.#now = now;
  }

  override handleChatModelStart(
    _model: unknown,
    messages: unknown[][],
    runId: string,
    parentRunId?: string,
    extra?: Record<string, unknown>,
    tags: string[] = [],
    metadata?: Record<string, unknown>,
  ): void {
    this.#idsOf(metadata).see((messages[0] ?? []) as Message[]);
    const call: ObservedCall = {
      index: this.#recorder.nextCallIndex(),
      caller: callerOf({ tags, metadata, toolNamespaces: this.#toolNamespaces() }),
      model: configuredModel(metadata, extra),
      startedMs: this.#now(),
      metadata,
    };
    this.#calls.set(runId, call);
    this.#spans.beginModel(runId, { parentId: parentRunId, model: call.model });
    if (call.caller === 'lead_agent') this.#leadGraphs.add(graphOf(namespaceOf(metadata)));
    this.#record(requestEvent(call, (messages[0] ?? []) as Message[]), metadata);
  }

  /** Handles models without messages; their prompt counts as one message. */
  override handleLLMStart(
    model: unknown,
    prompts: string[],
    runId: string,
    parentRunId?: string,
    extra?: Record<string, unknown>,
    tags?: string[],
    metadata?: Record<string, unknown>,
  ): void {
    const messages = prompts.map((content) => ({ type: 'human', content }));
    this.handleChatModelStart(model, [messages], runId, parentRunId, extra, tags, metadata);
  }

  override handleLLMNewToken(
    _token: string,
    _index: unknown,
    runId: string,
    _parentRunId?: string,
    _tags?: string[],
    fields?: HandleLLMNewTokenCallbackFields,
  ): void {
    const call = this.#calls.get(runId);
    const piece = fields?.chunk && 'message' in fields.chunk ? fields.chunk.message : undefined;
    if (!piece || call?.caller !== 'lead_agent' || this.#signal?.aborted) return;
    let answer = this.#growing.get(runId);
    if (!answer) {
      answer = new GrowingAnswer(call);
      this.#growing.set(runId, answer);
      this.#meter?.answerBegins();
    }
    answer.add(piece as unknown as Message);
  }

  override handleLLMEnd(output: LLMResult, runId: string): void {
    const call = this.#calls.get(runId);
    if (!call) return;
    this.#calls.delete(runId);
    // The graph of a stopped run takes no answer any more.
    const isCutOff = this.#signal?.aborted === true && this.#growing.has(runId);
    if (!isCutOff) this.#growing.delete(runId);
    const given = answerIn(output);
    if (given && isOfGateway(call) && !isCutOff) this.#idsOf(call.metadata).complete(given);
    const endedMs = this.#now();
    const response = responseEvent(call, output, endedMs);
    this.#record(response, call.metadata);
    const { usage, model_name: model = null } = response.metadata;
    const outcome = isCutOff ? 'stopped' : 'ok';
    this.#meter?.modelCall({ model: call.model, outcome, tookMs: endedMs - call.startedMs, usage });
    this.#spans.end(runId, 'success', { usage, model });
    if (given && call.caller === 'lead_agent' && !isCutOff) {
      this.#recordAnswer(given, call);
      const node = nodeOfRoot(call.metadata);
      if (node !== null) this.#unsaved.set(node, given);
    }
    const task = subagentTaskOf(call.metadata);
    if (given && task !== null && call.caller.startsWith('subagent:')) {
      this.#record(answerStep(this.#nextStep(task), { message: given, usage, model }), call.metadata);
    }
  }

  override handleLLMError(error: unknown, runId: string): void {
    const call = this.#calls.get(runId);
    if (!call) return;
    this.#calls.delete(runId);
    const isStopped = this.#signal?.aborted === true;
    // A model that fails is asked again, and its new answer takes the place of this one.
    if (!isStopped) this.#growing.delete(runId);
    const outcome = isStopped ? 'stopped' : 'error';
    this.#meter?.modelCall({
      model: call.model,
      outcome,
      tookMs: this.#now() - call.startedMs,
      usage: null,
    });
    this.#spans.end(runId, 'error');
    const metadata = { caller: call.caller, llm_call_index: call.index };
    this.#record(
      { event_type: 'llm_error', category: 'trace', content: errorText(error), metadata },
      call.metadata,
    );
  }

  /**
   * Called once for a run that is stopped for good: records the answers that the stop has cut off, and returns them with the nodes
   * that asked for them.
   */
  recordCutOff(): { message: Message; node: string | null }[] {
    const answers = [...this.#growing.values()].flatMap((answer) => {
      const { call } = answer;
      const message = answer.cutOff();
      if (!message) return [];
      if (isOfGateway(call)) this.#idsOf(call.metadata).complete(message);
      const withId = named(message);
      this.#recordAnswer(withId, call);
      return [{ message: withId, node: nodeOfRoot(call.metadata) }];
    });
    this.#growing.clear();
    const whole = [...this.#unsaved].map(([node, message]) => ({ message, node }));
    this.#unsaved.clear();
    return [...whole, ...answers];
  }

  /** Records results that the run's own graph got for calls that a stop has ended. */
  recordResults(messages: readonly Message[]): void {
    for (const message of messages) {
      this.#recordToolMessage(message, { name: null, callId: null, metadata: undefined });
    }
  }

  override handleToolStart(
    _tool: unknown,
    input: string,
    runId: string,
    parentRunId?: string,
    _tags?: string[],
    metadata?: Record<string, unknown>,
    runName = 'tool',
    toolCallId?: string,
  ): void {
    const tool = { name: runName, callId: toolCallId ?? null, metadata };
    this.#tools.set(runId, tool);
    this.#toolTasks?.begin(tool.callId, metadata);
    this.#spans.beginTool(runId, { parentId: parentRunId, ...tool });
    const args = input.slice(0, maxArgumentsLength);
    this.#recordTool('tool_start', tool, { content: '', metadata: { args } });
  }

  override handleToolEnd(output: unknown, runId: string): void {
    const tool = this.#tools.get(runId);
    if (!tool) return;
    this.#tools.delete(runId);
    const message = toolMessageIn(output);
    const content = message ? contentText(message.content) : contentText(output);
    const status = message?.status === 'error' ? 'error' : 'success';
    this.#spans.end(runId, status);
    this.#recordTool('tool_end', tool, { content, metadata: { status } });
    this.#recordToolStep(tool, { text: content, status });
    if (!this.#isOfConversation(tool)) return;
    if (message) this.#recordToolMessage(named(message), tool);
    else this.#unanswered.set(tool, { content, status });
  }

  override handleToolError(error: unknown, runId: string): void {
    const tool = this.#tools.get(runId);
    if (!tool) return;
    this.#tools.delete(runId);
    // This is not a failure: the graph waits for a human, or continues elsewhere.
    const isWaiting = isObject(error) && error.is_bubble_up === true;
    this.#spans.end(runId, isWaiting ? 'interrupted' : 'error');
    if (isWaiting) return;
    const text = errorText(error);
    this.#recordTool('tool_error', tool, { content: text, metadata: {} });
    this.#recordToolStep(tool, { text, status: 'error' });
    if (this.#isOfConversation(tool)) {
      this.#unanswered.set(tool, { content: `Error: ${text}`, status: 'error' });
    }
  }

  /** LangChain passes the type of the run and its name last, in another order than its declaration has. */
  override handleChainStart(
    _chain: unknown,
    input: unknown,
    runId: string,
    parentRunId?: string,
    tags: string[] = [],
    metadata?: Record<string, unknown>,
    _runType?: string,
    name?: string,
  ): void {
    this.#origins.begin(metadata);
    this.#spans.enter(runId, parentRunId);
    if (name === undefined || name !== metadata?.langgraph_node || tags.includes(hiddenTag)) return;
    if (!this.#leadGraphs.has(graphOf(namespaceOf(metadata)))) return;
    const messagesBefore = messagesIn(input);
    if (nodeOfRoot(metadata) === name) this.#recorder.nameQuestion(messagesBefore);
    this.#nodes.set(runId, { name, input, messagesBefore, metadata });
  }

  override handleChainEnd(given: unknown, runId: string): void {
    this.#spans.leave(runId);
    const node = this.#nodes.get(runId);
    if (!node) return;
    this.#nodes.delete(runId);
    if (nodeOfRoot(node.metadata) === node.name) this.#unsaved.delete(node.name);
    const output = commandsIn(given) ?? given;
    this.#recordAdded(node, output);
    this.#recordUnanswered(node, messagesIn(output));
    for (const event of middlewareEvents(node, output)) this.#record(event, node.metadata);
  }

  override handleChainError(_error: unknown, runId: string): void {
    this.#spans.leave(runId);
    const node = this.#nodes.get(runId);
    if (!node) return;
    this.#nodes.delete(runId);
    this.#recordUnanswered(node, []);
  }

  override handleCustomEvent(
    name: string,
    data: unknown,
    runId: string,
    _tags?: string[],
    metadata?: Record<string, unknown>,
  ): void {
    this.#spans.note(runId, name, data);
    const payload = wireValue(data);
    const isPlain = isObject(payload) && !Array.isArray(payload);
    this.#record(
      { event_type: name, category: 'trace', content: '', metadata: isPlain ? payload : { data: payload } },
      metadata,
    );
  }

  /**
   * Records messages that reach the conversation without a model call or tool of the lead agent. A node may make them itself, or
   * an agent may run as a node.
   */
  #recordAdded(node: ObservedNode, output: unknown): void {
    const before = node.messagesBefore;
    if (before.length > 0 && before.every(isMadeMessage)) nameRecords(output);
    const known = new Set<unknown>([...before, ...before.map(({ id }) => id)]);
    for (const message of messagesIn(output)) {
      const withId = named(message);
      if (known.has(message) || known.has(withId.id)) continue;
      const { metadata } = node;
      const kind = kindOf(message);
      if (kind === 'ai') this.#recordAnswer(withId, { caller: 'lead_agent', model: null, metadata });
      if (kind === 'tool') this.#recordToolMessage(withId, { name: null, callId: null, metadata });
    }
  }

  #recordAnswer(
    message: Message,
    call: { caller: string; model: string | null; metadata: TaskMetadata },
  ): void {
    const withId = named(message);
    if (this.#isNew(String(withId.id))) this.#record(answerEvent(withId, call), call.metadata);
  }

  #recordToolMessage(
    message: Message,
    tool: { name: string | null; callId: string | null; metadata: TaskMetadata },
  ): void {
    const record = recordOf(message);
    if (!this.#isNew(String(record.id))) return;
    const status = record.status === 'error' ? 'error' : 'success';
    const name = textOr(record.name, tool.name);
    this.#record(
      {
        event_type: 'tool_result',
        category: 'message',
        // The record names the call that began, even when the tool does not name the call that it answers.
        content: { ...record, tool_call_id: textOr(record.tool_call_id, tool.callId), name, status },
        metadata: { tool_name: name, status },
      },
      tool.metadata,
    );
  }

  /** Records tools whose node made no message of their results; most likely one of them made the node fail. */
  #recordUnanswered(node: ObservedNode, added: Message[]): void {
    const answers = added.filter((message) => kindOf(message) === 'tool');
    for (const [tool, result] of this.#unanswered) {
      if (namespaceOf(tool.metadata) !== namespaceOf(node.metadata)) continue;
      this.#unanswered.delete(tool);
      const isAnswered =
        tool.callId === null
          ? answers.length > 0
          : answers.some((message) => message.tool_call_id === tool.callId);
      // The stop of a run gives its calls results; what its tools throw then is not an answer.
      if (isAnswered || this.#signal?.aborted) continue;
      const message = { type: 'tool', tool_call_id: tool.callId, name: tool.name, ...result };
      this.#recordToolMessage(named(message), tool);
    }
  }

  #recordTool(
    type: 'tool_start' | 'tool_end' | 'tool_error',
    tool: ObservedTool,
    { content, metadata }: { content: string; metadata: Record<string, unknown> },
  ): void {
    this.#record(
      {
        event_type: type,
        category: 'trace',
        content,
        metadata: { tool_name: tool.name, tool_call_id: tool.callId, ...metadata },
      },
      tool.metadata,
    );
  }

  #recordToolStep(tool: ObservedTool, result: { text: string; status: string }): void {
    const task = subagentTaskOf(tool.metadata);
    if (task === null) return;
    const { name, callId } = tool;
    this.#record(toolStep(this.#nextStep(task), { name, callId, ...result }), tool.metadata);
  }

  #nextStep(taskId: string): { taskId: string; index: number } {
    return { taskId, index: this.#recorder.nextStepIndex(taskId) };
  }

  #idsOf(metadata: TaskMetadata): KnownIds {
    const graph = graphOf(namespaceOf(metadata));
    const ids = this.#ids.get(graph) ?? new KnownIds();
    this.#ids.set(graph, ids);
    return ids;
  }

  #isOfConversation({ metadata }: ObservedTool): boolean {
    return this.#leadGraphs.has(graphOf(namespaceOf(metadata)));
  }

  #isNew(key: string): boolean {
    if (this.#recorded.has(key)) return false;
    this.#recorded.add(key);
    return true;
  }

  *#toolNamespaces(): Generator<string> {
    for (const { metadata } of this.#tools.values()) yield namespaceOf(metadata);
  }

  #record(event: NewRunEvent, metadata: TaskMetadata): void {
    const origin: Origin | null = this.#origins.of(metadata);
    this.#recorder.record({ ...withSubagent(event, metadata), origin });
  }
}

/** Returns the node of the run's own graph; null for a node of a graph inside it. */
function nodeOfRoot(metadata: TaskMetadata): string | null {
  const node = metadata?.langgraph_node;
  return typeof node === 'string' && graphOf(namespaceOf(metadata)) === '' ? node : null;
}

/** Answers in graphs of users go into the state unchanged, because such a graph may already have made its own from the stream. */
function isOfGateway({ metadata }: ObservedCall): boolean {
  return metadata?.[modelNameKey] !== undefined;
}

/** Reads several commands of a node, which LangChain reports as an object with one key that is not a channel of the graph. */
function commandsIn(output: unknown): unknown[] | null {
  if (!isObject(output) || !Array.isArray(output.output) || !output.output.some(isCommand)) return null;
  return output.output;
}

/** Sub-agents of one kind run at the same time; the tool call that began one distinguishes it from the others. */
function withSubagent(event: NewRunEvent, metadata: TaskMetadata): NewRunEvent {
  const task = metadata?.[subagentTaskKey];
  return task === undefined ? event : { ...event, metadata: { ...event.metadata, [subagentTaskKey]: task } };
}

function subagentTaskOf(metadata: TaskMetadata): string | null {
  const task = metadata?.[subagentTaskKey];
  return typeof task === 'string' ? task : null;
}

function contentText(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(wireValue(content));
}

function textOr(value: unknown, otherwise: string | null): string | null {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
