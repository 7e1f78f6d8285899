import { dispatchCustomEvent } from '@langchain/core/callbacks/dispatch';
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import { linkedAbort } from '../../lib/async/linked-abort.ts';
import type { Timer } from '../../lib/async/timer.ts';
import type { Log } from '../../lib/log.ts';
import type { AgentGraph } from '../loading/agents.ts';
import {
  type CustomEvent,
  handleWithin,
  isStoppedForGood,
  type RunHandle,
  runHandleKey,
} from '../run-contract/run-handle.ts';
import { wireError, wireValue } from '../state/wire-values.ts';
import { outcomeTexts, type SubagentEvent, type SubagentUsage, subagentTaskKey } from './subagent-events.ts';
import type { SubagentType } from './subagent-settings.ts';

export interface SubagentTask {
  type: SubagentType;
  graph: AgentGraph;
  /** The tool call that started it. */
  taskId: string;
  run: RunHandle;
  description: string;
  prompt: string;
  timer: Timer;
  log: Pick<Log, 'warn'>;
}

export interface SubagentOutcome {
  status: 'success' | 'error';
  /** Text for the lead agent's model. */
  text: string;
  /** Virtual paths of the files that it made, including those made before it failed. */
  artifacts: readonly string[];
  spent: Spent;
}

/** The cost of a sub-agent's answers, including those that its state has left behind. */
class Spent {
  readonly #byAnswer = new Map<string, SubagentUsage>();
  #modelName: string | undefined;

  add({ id = '', usage_metadata: usage, response_metadata: response }: AIMessage): void {
    const { model_name: name } = response as { model_name?: unknown };
    if (typeof name === 'string') this.#modelName = name;
    if (usage) this.#byAnswer.set(id, usage);
  }

  /** The model that gave the last answer. */
  get modelName(): string | undefined {
    return this.#modelName;
  }

  /** Undefined while the model has reported nothing. */
  get usage(): SubagentUsage | undefined {
    const all = [...this.#byAnswer.values()];
    if (all.length === 0) return undefined;
    const sum = (name: keyof SubagentUsage) => all.reduce((total, usage) => total + usage[name], 0);
    return {
      input_tokens: sum('input_tokens'),
      output_tokens: sum('output_tokens'),
      total_tokens: sum('total_tokens'),
    };
  }
}

interface SubagentState {
  messages: BaseMessage[];
  artifacts?: string[];
}

/** Number of graph steps for each answer of the model; middleware may take some of them. */
const stepsPerTurn = 4;

/**
 * Runs a sub-agent inside a tool call. It is a graph inside the run's graph, with checkpoints in the run. So after a crash it
 * continues where it was, and its tool calls are made once. Every end of the sub-agent is an outcome, except the end of the whole
 * run.
 */
export async function runSubagent(
  task: SubagentTask,
  config: LangGraphRunnableConfig,
): Promise<SubagentOutcome> {
  const { type, taskId: task_id, run, timer } = task;
  const tell = (event: SubagentEvent): void => config.writer?.(event);
  const note = (event: CustomEvent): Promise<void> => noted(event, { task, config });
  const time = linkedAbort(config.signal);
  const stopTimer = timer(() => time.abort(new SubagentTimeout(type)), type.timeoutMs);
  const onAbort = (): void => {
    const { signal } = config;
    if (!signal || !isStoppedForGood(signal)) return;
    run.tell({ type: 'task_cancelled', task_id, error: wireError(signal.reason).message });
  };
  config.signal?.addEventListener('abort', onAbort, { once: true });
  const spent = new Spent();
  let artifacts: readonly string[] = [];
  const see = (state: SubagentState): void => {
    artifacts = state.artifacts ?? [];
  };
  try {
    const started: SubagentEvent = { type: 'task_started', task_id, description: task.description };
    tell(started);
    await note(started);
    const state = await work(task, { config, signal: time.signal, tell, see, spent });
    const result = answerOf(state);
    tell({ type: 'task_completed', task_id, result });
    await note({ type: 'task_completed' });
    return { status: 'success', text: outcomeTexts.completed(result), artifacts, spent };
  } catch (error) {
    if (isBubbleUp(error) || config.signal?.aborted) throw error;
    const isLate = time.signal.aborted;
    const { message } = wireError(isLate ? time.signal.reason : error);
    if (!isLate) task.log.warn({ err: error, subagent: type.name }, 'A sub-agent failed');
    const ended: SubagentEvent = { type: isLate ? 'task_timed_out' : 'task_failed', task_id, error: message };
    tell(ended);
    await note(ended);
    const text = isLate ? outcomeTexts.timedOut(message) : outcomeTexts.failed(message);
    return { status: 'error', text, artifacts, spent };
  } finally {
    stopTimer();
    time.release();
    config.signal?.removeEventListener('abort', onAbort);
  }
}

/** Also ends the tasks that the sub-agent started on the pool. */
class SubagentTimeout extends Error {
  readonly how = { kind: 'timeout' };

  constructor({ name, timeoutMs }: SubagentType) {
    super(`The sub-agent '${name}' took longer than ${timeoutMs / 1000} seconds and was stopped.`);
    this.name = 'SubagentTimeout';
  }
}

interface Surroundings {
  config: LangGraphRunnableConfig;
  /** Ends only the sub-agent. */
  signal: AbortSignal;
  tell: (event: SubagentEvent) => void;
  see: (state: SubagentState) => void;
  spent: Spent;
}

async function work(
  task: SubagentTask,
  { config, signal, tell, see, spent }: Surroundings,
): Promise<SubagentState> {
  const input = { messages: [new HumanMessage(task.prompt)] };
  const options = { ...configOf(task, config, signal), streamMode: 'values' as const };
  const told = new Set<unknown>();
  let state: SubagentState | undefined;
  for await (const values of await task.graph.stream(input, options)) {
    state = values as unknown as SubagentState;
    see(state);
    const answers = state.messages.filter((message) => AIMessage.isInstance(message));
    for (const [index, message] of answers.entries()) {
      if (told.has(message.id)) continue;
      told.add(message.id);
      spent.add(message);
      const { usage } = spent;
      tell({
        type: 'task_running',
        task_id: task.taskId,
        message: wireValue(message),
        message_index: index + 1,
        total_messages: answers.length,
        ...(usage && { usage }),
      });
    }
  }
  if (!state) throw new Error('The sub-agent gave no answer.');
  return state;
}

function configOf(task: SubagentTask, config: LangGraphRunnableConfig, signal: AbortSignal): RunnableConfig {
  const { type, taskId, run } = task;
  const { callbacks, configurable = {}, context, store, writer } = config;
  return {
    configurable: {
      ...configurable,
      [runHandleKey]: handleWithin(run, taskId),
      // A graph inside another one would use the outer graph's signals instead of its own whenever they are present.
      __pregel_abort_signals: undefined,
    },
    callbacks,
    tags: [`subagent:${type.name}`, ...hidingTags(run)],
    metadata: { [subagentTaskKey]: taskId },
    signal,
    recursionLimit: type.maxTurns * stepsPerTurn + 10,
    ...(type.model === null ? { context } : { context: { ...(context as object), model_name: type.model } }),
    store,
    writer,
  } as RunnableConfig;
}

/**
 * Clients take every message of the stream for one of the conversation. Only clients that asked for subgraphs see from the frames
 * where a message comes from, so for others the messages are hidden.
 */
function hidingTags({ streamsSubgraphs = false }: RunHandle): string[] {
  return streamsSubgraphs ? [] : ['nostream', 'langsmith:hidden'];
}

/** Adds an event to the stored events of the run. The sub-agent's result is in the result of its tool call. */
async function noted(
  event: CustomEvent,
  { task, config }: { task: SubagentTask; config: LangGraphRunnableConfig },
): Promise<void> {
  const { type: name, ...facts } = event;
  await dispatchCustomEvent(name, { task_id: task.taskId, subagent_type: task.type.name, ...facts }, config);
}

function answerOf({ messages }: SubagentState): string {
  return messages.findLast(({ type }) => type === 'ai')?.text || 'It ended without words.';
}

/** This is not a failure: the graph waits for a human. */
function isBubbleUp(error: unknown): boolean {
  return (error as { is_bubble_up?: unknown } | null)?.is_bubble_up === true;
}
