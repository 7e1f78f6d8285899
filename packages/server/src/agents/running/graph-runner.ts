import { AppError } from '../../lib/app-error.ts';
import { type LinkedAbort, linkedAbort } from '../../lib/async/linked-abort.ts';
import type { UnitPart } from '../../platform/database/unit-part.ts';
import type { Checkpointer } from '../checkpoints/saver.ts';
import { loadLangchain } from '../langchain.ts';
import type { AgentGraph, Agents } from '../loading/agents.ts';
import type { OwnCode } from '../own-code/own-code.ts';
import type {
  AgentRunEnd,
  AgentRunner,
  AgentRunRequest,
  AgentRunTools,
  StateView,
} from '../run-contract/agent-run.ts';
import { nothingCovered } from '../run-contract/event-origin.ts';
import { type CustomEvent, keepsItsWork } from '../run-contract/run-handle.ts';
import { failureIn, stopReasonIn } from '../run-contract/run-marks.ts';
import type { RunRecord } from '../run-contract/run-record.ts';
import { frameOfMadeEvent } from '../run-events/run-events.ts';
import { commandOf, isCommand } from '../state/graph-command.ts';
import { interruptId } from '../state/interrupt-id.ts';
import { viewOf, wireState } from '../state/wire-state.ts';
import { wireError, wireValue } from '../state/wire-values.ts';
import type { RunCheckpointer } from './run-checkpointer.ts';
import { type RunConfig, runConfig } from './run-config.ts';
import type { RunObserver } from './run-observer.ts';
import { type GraphChunk, GraphFrames, graphModes } from './stream-modes.ts';
import type { StreamTransformers } from './stream-transformers.ts';
import { ToolTasks } from './tool-tasks.ts';

/** A run that is under way. */
interface ActiveRun {
  request: AgentRunRequest;
  tools: AgentRunTools;
  checkpointer: RunCheckpointer;
  /** Follows models, tools and nodes, and records what they do. */
  observer: RunObserver;
  frames: GraphFrames;
  /** Null for readers of the first protocol, in which tools stand under their graph. */
  toolTasks: ToolTasks | null;
  /** Aborts with the caller's signal, and when the run can no longer be stored. */
  signal: AbortSignal;
  isResumed: boolean;
}

/** Runs compiled graphs of LangGraph. */
export class GraphRunner implements AgentRunner {
  readonly #options;
  /** Loaded with the first run and kept: importing a loaded module again takes longer than a step of a graph. */
  #parts: ReturnType<typeof loadParts> | undefined;

  constructor(options: {
    agents: Pick<Agents, 'graph'>;
    checkpointer: () => Promise<Checkpointer>;
    ownCode: Pick<OwnCode, 'during'>;
  }) {
    this.#options = options;
  }

  async run(request: AgentRunRequest, tools: AgentRunTools): Promise<AgentRunEnd> {
    tools.signal.throwIfAborted();
    const stop = linkedAbort(tools.signal);
    try {
      return await this.#runUntil(stop, { request, tools });
    } finally {
      stop.release();
    }
  }

  async #runUntil(
    stop: LinkedAbort,
    { request, tools }: { request: AgentRunRequest; tools: AgentRunTools },
  ): Promise<AgentRunEnd> {
    const active = await this.#begin(stop, { request, tools });
    const { checkpointer } = active;
    const caller = { userId: request.userId, authUser: request.authUser ?? null, mayWrite: true };
    const { ownCode } = this.#options;
    const end = await ownCode.during(caller, () => this.#perform(active)).finally(() => checkpointer.close());
    const { failure } = checkpointer;
    if (!failure || failure.isOfGraph) return end;
    tools.signal.throwIfAborted();
    throw failure.error;
  }

  async #begin(
    stop: LinkedAbort,
    { request, tools }: { request: AgentRunRequest; tools: AgentRunTools },
  ): Promise<ActiveRun> {
    const saved = await this.#options.checkpointer();
    this.#parts ??= loadParts();
    const { RunCheckpointer, RunObserver } = await this.#parts;
    const toolTasks = request.isSecondProtocol ? new ToolTasks() : null;
    return {
      request,
      tools,
      checkpointer: new RunCheckpointer({
        saved,
        threadId: request.threadId,
        isSync: request.durability === 'sync',
        commit: (part) => tools.recorder.write(part),
        onFailure: () => stop.abort(),
      }),
      frames: new GraphFrames({
        modes: request.streamModes,
        subgraphs: request.streamSubgraphs,
        namesCheckpoints: request.isSecondProtocol,
        frame: tools.frame,
      }),
      toolTasks,
      observer: new RunObserver(tools.recorder, {
        signal: tools.signal,
        meter: tools.meter,
        ...(toolTasks && { toolTasks }),
      }),
      signal: stop.signal,
      isResumed: await resume(request, { saved, recorder: tools.recorder }),
    };
  }

  async #perform(active: ActiveRun): Promise<AgentRunEnd> {
    const { request, tools, checkpointer, frames } = active;
    let graph: AgentGraph | undefined;
    const config = configOf(active);
    try {
      const { configurable, context } = config;
      const { graphId, userId } = request;
      graph = await this.#options.agents.graph(graphId, {
        userId,
        checkpointer,
        config: { configurable },
        runtime: { accessContext: 'threads.create_run', executionRuntime: { context } },
      });
      await this.#stream(graph, { active, config });
      const failure = failureIn(frames.values, request.runId);
      if (failure) {
        await checkpointer.settled();
        return { outcome: 'failed', error: failure, state: await savedState(graph, active) };
      }
      const end = await endOf(graph, active);
      frames.end(end.state);
      const stopReason = stopReasonIn(frames.values, request.runId);
      return { outcome: 'done', ...end, ...(stopReason !== null && { stopReason }) };
    } catch (error) {
      await checkpointer.reached().catch(() => undefined); // kept as its failure
      if (graph && keepsItsWork(tools.signal)) await this.#storeCutOff(graph, { active, config });
      tools.signal.throwIfAborted();
      const { failure } = checkpointer;
      if (failure && !failure.isOfGraph) throw failure.error;
      // The database is away for the moment, for example for a graph that reads its own state.
      if (isDatabaseAway(error)) throw error;
      const { name, message } = wireError(failure ? failure.error : error);
      const state = graph ? await savedState(graph, active) : null;
      return { outcome: 'failed', error: { name, message }, state };
    }
  }

  async #stream(
    graph: AgentGraph,
    { active, config }: { active: ActiveRun; config: RunConfig },
  ): Promise<void> {
    const { request, frames, isResumed, toolTasks, tools } = active;
    const input = isResumed ? null : await inputOf(graph, request);
    const options = { ...config, streamMode: graphModes(request.streamModes) as ('values' | 'updates')[] };
    if (request.streamModes.includes('events')) {
      const events = graph.streamEvents(input, { ...options, version: 'v2' });
      for await (const event of events) addEvent(frames, event, request);
      return;
    }
    // With a version LangGraph names the checkpoint of each state, as it does for a stream of events.
    const asked = request.isSecondProtocol ? { ...options, version: 'v2' } : options;
    const transformers = await this.#transformers(graph, active);
    try {
      for await (const chunk of await graph.stream(input, asked)) {
        const piece = toolTasks?.placed(chunk as GraphChunk) ?? (chunk as GraphChunk);
        frames.add(piece);
        transformers?.add(piece);
      }
    } catch (error) {
      transformers?.fail(error);
      throw error;
    }
    await transformers?.end(tools.signal);
  }

  /** Returns undefined when the graph has none, or when no reader could get their output. */
  async #transformers(
    graph: AgentGraph,
    { request, tools }: ActiveRun,
  ): Promise<StreamTransformers | undefined> {
    // A graph of an older LangGraph has no such list.
    const factories = (graph as Partial<AgentGraph>).streamTransformers ?? [];
    if (!request.isSecondProtocol || factories.length === 0) return undefined;
    const { StreamTransformers } = await (this.#parts ?? loadParts());
    return new StreamTransformers({
      factories,
      runId: request.runId,
      graphName: request.graphId,
      send: ({ namespace, ...event }) =>
        tools.frame([frameOfMadeEvent, ...namespace].join('|'), wireValue(event)),
      onFault: (error) => {
        const content = `A stream transformer of the graph has failed: ${wireError(error).message}`;
        tools.recorder.record({ event_type: 'transformer_error', category: 'trace', content, origin: null });
      },
    });
  }

  /** A fault here is recorded; the run ends in the same way. */
  async #storeCutOff(
    graph: AgentGraph,
    { active: { request, observer, tools }, config }: { active: ActiveRun; config: RunConfig },
  ): Promise<void> {
    const { storeCutOff } = await (this.#parts ?? loadParts());
    try {
      await storeCutOff(graph, { runId: request.runId, config, observer });
    } catch (error) {
      const content = `What was said before the stop could not be stored: ${wireError(error).message}`;
      tools.recorder.record({ event_type: 'stop_error', category: 'trace', content, origin: null });
    }
  }
}

function isDatabaseAway(error: unknown): boolean {
  return error instanceof AppError && error.code === 'database_unavailable';
}

function configOf(active: ActiveRun): RunConfig {
  const { request, checkpointer, observer, signal, isResumed } = active;
  const { recorder } = active.tools;
  const { runId, threadId, userId, assistantId: agent } = request;
  return runConfig(request, {
    callbacks: [observer],
    signal,
    handle: {
      runId,
      threadId,
      userId,
      agent,
      traceparent: request.traceparent,
      streamsSubgraphs: request.streamSubgraphs,
      beforeActing: async () => {
        await onDisk(request, checkpointer);
        // With it goes the beginning of the call, which is often there already.
        await recorder.flush();
      },
      tell: (event) => tellAtOnce(event, active),
    },
    isResumed,
  });
}

function tellAtOnce(event: CustomEvent, { request, tools }: ActiveRun): void {
  if (request.streamModes.includes('custom')) tools.frame('custom', event);
  const { type, ...facts } = event;
  tools.recorder.record({ event_type: type, category: 'trace', content: '', metadata: facts, origin: null });
}

function loadParts(): Promise<
  Pick<typeof import('./run-checkpointer.ts'), 'RunCheckpointer'> &
    Pick<typeof import('./run-observer.ts'), 'RunObserver'> &
    Pick<typeof import('./store-cut-off.ts'), 'storeCutOff'> &
    Pick<typeof import('./stream-transformers.ts'), 'StreamTransformers'>
> {
  return loadLangchain(async () => {
    const { RunCheckpointer } = await import('./run-checkpointer.ts');
    const { RunObserver } = await import('./run-observer.ts');
    const { storeCutOff } = await import('./store-cut-off.ts');
    const { StreamTransformers } = await import('./stream-transformers.ts');
    return { RunCheckpointer, RunObserver, storeCutOff, StreamTransformers };
  });
}

/** Decides from what earlier attempts have stored whether the run continues or starts again from its beginning. */
async function resume(
  { threadId, runId, attempt }: AgentRunRequest,
  { saved, recorder }: { saved: Checkpointer; recorder: RunRecord },
): Promise<boolean> {
  if (attempt === 1) return false;
  const progress = await saved.progressOf(threadId, runId);
  await recorder.flush();
  await recorder.dropUncovered(progress ?? nothingCovered);
  return progress !== null;
}

async function inputOf(graph: AgentGraph, { command, input, threadId }: AgentRunRequest): Promise<unknown> {
  if (!isCommand(command)) return input;
  const { resume: answer } = command;
  if (answer === undefined || answer === null || answer) return commandOf(command);
  return commandOf({ ...command, resume: await answerByInterrupt(graph, threadId, answer) });
}

/** LangGraph ignores an answer that is `false`, `0` or empty, unless it names the question that it answers. */
async function answerByInterrupt(graph: AgentGraph, threadId: string, answer: unknown): Promise<unknown> {
  const { tasks } = await graph.getState({ configurable: { thread_id: threadId } });
  const [id] = tasks.flatMap(({ interrupts }) => interrupts.map(interruptId));
  return id === undefined ? answer : { [id]: answer };
}

function addEvent(
  frames: GraphFrames,
  event: { event: string; run_id: string; data: { chunk?: unknown }; tags?: string[] | undefined },
  request: AgentRunRequest,
): void {
  if (event.tags?.includes('langsmith:hidden')) return;
  const isOwn = event.event === 'on_chain_stream' && event.run_id === request.runId;
  if (isOwn) frames.add(event.data.chunk as GraphChunk);
  else frames.event(event);
}

/**
 * When the graph ended by itself, its last streamed values are its state, and no task comes next. LangGraph before 0.3 does not
 * stream that it stopped for a human.
 */
async function endOf(graph: AgentGraph, active: ActiveRun): Promise<{ state: StateView; rest: UnitPart[] }> {
  const { frames, checkpointer } = active;
  const { values } = frames;
  const checkpointId = checkpointer.newestId;
  if (frames.isInterrupted || frames.isOfOlderGraph || values === undefined || checkpointId === null) {
    await checkpointer.settled();
    return { state: viewOf(await read(graph, active)), rest: [] };
  }
  return { state: { values, next: [], interrupts: {}, checkpointId }, rest: await checkpointer.finish() };
}

/** Returns null when the state cannot be read; the outcome of the run stays the same. */
async function savedState(graph: AgentGraph, active: ActiveRun): Promise<StateView | null> {
  return read(graph, active).then(viewOf, () => null);
}

async function read(graph: AgentGraph, { request }: ActiveRun): Promise<ReturnType<typeof wireState>> {
  return wireState(await graph.getState({ configurable: { thread_id: request.threadId } }));
}

/**
 * Waits until the tool's call is on disk. With `exit` nothing is written before the end, so a crash would make the agent act
 * again under another call: the call is refused.
 */
async function onDisk({ durability }: AgentRunRequest, checkpointer: RunCheckpointer): Promise<void> {
  if (durability !== 'exit') return checkpointer.reached();
  throw new AppError('durability_too_late');
}
