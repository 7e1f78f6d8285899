import type { CancelAction } from '@switchyard/contract/conversation/run';
import type {
  AgentRunEnd,
  AgentRunner,
  AgentRunRequest,
  RunMeter,
  StateView,
} from '../../../agents/run-contract/agent-run.ts';
import type { GraphStates } from '../../../agents/state/graph-state.ts';
import { viewOf } from '../../../agents/state/wire-state.ts';
import { isPassing } from '../../../lib/app-error.ts';
import { newDeferred } from '../../../lib/async/deferred.ts';
import { sleepWithSignal } from '../../../lib/async/sleep-with-signal.ts';
import { systemTimer, type Timer } from '../../../lib/async/timer.ts';
import { Turns } from '../../../lib/async/turns.ts';
import { type Clock, toIso } from '../../../lib/clock.ts';
import { JsonText } from '../../../lib/json-text.ts';
import type { Log } from '../../../lib/log.ts';
import type { StreamLog } from '../../../platform/stream-log/stream-log.ts';
import { traceparentWithin } from '../../../platform/telemetry/trace-ids.ts';
import type { Journal } from '../../journal/journal.ts';
import type { RunRecorder } from '../../journal/run-recorder.ts';
import type { RunRow } from '../../tables.ts';
import { CancelStored, type RunEnding } from '../ending/run-ending.ts';
import {
  cancelledOutcome,
  errorOf,
  failedOutcome,
  outcomeOfStop,
  type RunOutcome,
  refusalToResume,
  valuesOf,
} from '../records/run.ts';
import {
  type Claim,
  type ClaimedRun,
  ClaimLost,
  confirmClaim,
  type RunClaimStore,
} from '../records/run-claim-store.ts';
import { idsBefore } from '../records/run-frames.ts';
import { kwargsIn } from '../records/run-kwargs.ts';
import type { RunNews } from '../records/run-news.ts';
import type { RunKwargs } from '../records/run-request.ts';
import { RunStop } from '../records/run-stop.ts';

export interface RunExecutorOptions {
  claims: Pick<RunClaimStore, 'claim'>;
  ending: RunEnding;
  news: Pick<RunNews, 'began'>;
  journal: Pick<Journal, 'recorderFor'>;
  runner: AgentRunner;
  states: Pick<GraphStates, 'current' | 'rollback'>;
  streamLog: Pick<StreamLog, 'begin' | 'append' | 'abandon'>;
  /** Returns what counts the facts about an attempt. */
  meterOf: (row: RunRow) => RunMeter;
  stopTasks?: ((userId: string, runId: string) => Promise<void>) | undefined;
  clock: Clock;
  timer?: Timer;
  rules: { timeLimitMs: number; onRecovery: 'resume' | 'fail' };
  /** True when the servers that runs call are told their trace. */
  isTraced: boolean;
  log: Pick<Log, 'warn' | 'error'>;
}

/** A run that this process is about to claim. */
export interface ExpectedRun {
  /** Never rejects. Resolves when the run is no longer at work here. */
  perform: (claimed: ClaimedRun, workerId: string) => Promise<void>;
  forget: () => void;
}

const endRetryMs = 1_000;
/**
 * When many runs begin at once, other requests get a turn after this many, because the first steps of a graph occupy the event
 * loop. With fewer, a run takes more processor time; with more, clients see later that their run begins.
 */
const beginningsPerTurn = 8;
/** Shorter than the time for which the deletion of a thread waits for its runs. */
const deafMs = 5_000;

/** A run that this process has claimed, with everything that belongs to the attempt. */
interface Attempt {
  row: RunRow;
  kwargs: RunKwargs;
  claim: Claim;
  recorder: RunRecorder;
  signal: AbortSignal;
}

/** Claims a run, lets its agent work and ends it. A failure on the way ends the run too. */
export class RunExecutor {
  readonly #options: RunExecutorOptions;
  readonly #timer: Timer;
  readonly #active = new Map<string, AbortController>();
  readonly #beginnings = new Turns(beginningsPerTurn);

  constructor(options: RunExecutorOptions) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
  }

  get count(): number {
    return this.#active.size;
  }

  isAtWork(runId: string): boolean {
    return this.#active.has(runId);
  }

  /** The first stop counts. */
  stop(runId: string, stop: RunStop): void {
    this.#active.get(runId)?.abort(stop);
  }

  stopAll(stop: RunStop): void {
    for (const controller of [...this.#active.values()]) controller.abort(stop);
  }

  /** From now on the run can be stopped, even before its claim is known here. */
  expect(runId: string): ExpectedRun {
    const controller = new AbortController();
    this.#active.set(runId, controller);
    return {
      perform: (claimed, workerId) => this.#perform(claimed, { workerId, controller }),
      forget: () => this.#active.delete(runId),
    };
  }

  /**
   * Resolves when the run is no longer at work here: it has ended, belongs to another process, or waits for the next one. Throws
   * when the claim could not be written.
   */
  async execute(run: Pick<RunRow, 'run_id' | 'thread_id'>, workerId: string): Promise<void> {
    const begun = await this.begin(run, workerId);
    await begun?.done;
  }

  /**
   * Resolves once the run is claimed, or to null when it cannot be claimed. `done` never rejects. Throws when the claim could not
   * be written.
   */
  async begin(
    run: Pick<RunRow, 'run_id' | 'thread_id'>,
    workerId: string,
  ): Promise<{ done: Promise<void> } | null> {
    if (this.#active.has(run.run_id)) return null;
    const { claims, clock } = this.#options;
    const expected = this.expect(run.run_id);
    let claimed: ClaimedRun | null = null;
    try {
      claimed = await claims.claim(run, { workerId, at: toIso(clock()) });
    } finally {
      if (!claimed) expected.forget();
    }
    return claimed && { done: expected.perform(claimed, workerId).finally(expected.forget) };
  }

  async #perform(
    { row, kwargs }: ClaimedRun,
    { workerId, controller }: { workerId: string; controller: AbortController },
  ): Promise<void> {
    const { streamLog, news, log } = this.#options;
    const claim = { runId: row.run_id, threadId: row.thread_id, workerId, attempt: row.attempt };
    const { signal } = controller;
    let recorder: RunRecorder | undefined;
    try {
      streamLog.begin(row.run_id, { base: idsBefore(row.attempt) });
      this.#frame(row.run_id, 'metadata', metadataOf(row));
      news.began(row);
      recorder = await this.#recorder(row, claim);
      const attempt = { row, kwargs: kwargsIn(kwargs, row), claim, recorder, signal };
      const outcome = await this.#outcome(attempt, controller);
      if (outcome && outcome.status !== 'success') await this.#stopTasks(row);
      if (outcome) await this.#end(attempt, outcome);
      else streamLog.abandon(row.run_id);
    } catch (error) {
      // The results or the end of the run could not be written, or another process has to write them.
      streamLog.abandon(row.run_id);
      if (!(error instanceof ClaimLost || isStop(error)))
        log.error({ err: error, runId: row.run_id }, 'A run could not be stored; it will be taken up again');
    } finally {
      recorder?.close();
    }
  }

  /**
   * Called before the end is written, so that a crash in between repeats it. Tools that still work stop their tasks themselves
   * too.
   */
  async #stopTasks({ run_id: runId, user_id: userId }: RunRow): Promise<void> {
    const { stopTasks, log } = this.#options;
    if (!stopTasks || userId === null) return;
    await stopTasks(userId, runId).catch((error: unknown) =>
      log.warn({ err: error, runId }, 'Tasks of a run that has ended could not be stopped'),
    );
  }

  /** Returns how the run has ended; undefined when it has not ended and continues elsewhere. */
  async #outcome(attempt: Attempt, controller: AbortController): Promise<RunOutcome | undefined> {
    const { row, signal } = attempt;
    if (row.cancel_action) return this.#afterStop(attempt, cancelStop(row.cancel_action));
    const refusal = refusalToResume(row, this.#options.rules);
    if (refusal) return { ...refusal, state: await this.#stateOf(row) };
    const { timeLimitMs } = this.#options.rules;
    const cancelLimit = this.#timer(
      () => controller.abort(new RunStop({ kind: 'timeout', limitMs: timeLimitMs })),
      timeLimitMs,
    );
    try {
      return await this.#outcomeOf(row, await this.#runAgent(attempt));
    } catch (error) {
      if (signal.aborted && signal.reason instanceof RunStop)
        return await this.#afterStop(attempt, signal.reason);
      // It is not a failure of the run, which goes on from its last checkpoint, as after a crash.
      if (isPassing(error)) throw error;
      this.#options.log.warn({ err: error, runId: row.run_id }, 'A run failed outside of its graph');
      return { ...failedOutcome(error), state: await this.#stateOf(row) };
    } finally {
      cancelLimit();
    }
  }

  async #runAgent(attempt: Attempt): Promise<AgentRunEnd> {
    const { row, kwargs, recorder, signal } = attempt;
    await this.#beginnings.next();
    signal.throwIfAborted();
    if (row.attempt > 1) {
      // Clients may have lost frames with the process that made them, so this frame contains everything.
      const state = await this.#stateOf(row);
      if (state) this.#frame(row.run_id, 'values', valuesOf(state, null));
    }
    recorder.recordStart(kwargs.input);
    const running = this.#options.runner.run(requestOf(row, kwargs, this.#options), {
      signal,
      recorder,
      frame: (event, data) => this.#frame(row.run_id, event, data),
      meter: this.#options.meterOf(row),
    });
    return this.#unlessDeaf(running, signal);
  }

  /** A runner that ignores its signal is abandoned: nothing that it still does is stored. */
  async #unlessDeaf(running: Promise<AgentRunEnd>, signal: AbortSignal): Promise<AgentRunEnd> {
    const deaf = newDeferred<never>();
    let cancel = (): void => undefined;
    const onAbort = (): void => {
      cancel = this.#timer(() => deaf.reject(signal.reason), deafMs);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([running, deaf.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      cancel();
    }
  }

  async #outcomeOf(row: RunRow, end: AgentRunEnd): Promise<RunOutcome> {
    if (end.outcome === 'done') {
      const { state, rest, stopReason = null } = end;
      return { status: 'success', error: null, stopReason, state, rest };
    }
    const state = end.state ?? (await this.#stateOf(row));
    return {
      status: 'error',
      error: errorOf(Object.assign(new Error(), end.error)),
      stopReason: null,
      state,
    };
  }

  async #afterStop({ row }: Attempt, { how }: RunStop): Promise<RunOutcome | undefined> {
    const outcome = outcomeOfStop(how);
    if (!outcome) return undefined;
    const obeysCancel = how.kind === 'cancelled';
    if (how.kind === 'cancelled' && how.action === 'rollback') {
      try {
        await this.#options.states.rollback(row.thread_id, row.run_id);
      } catch (error) {
        const message = `The state before the run could not be restored: ${errorOf(error).message}`;
        return { ...failedOutcome(new Error(message)), state: await this.#stateOf(row), obeysCancel };
      }
    }
    return { ...outcome, state: await this.#stateOf(row), obeysCancel };
  }

  /**
   * A caller was told that the run stops, and the run came to its end all the same. With `interrupt` the run keeps what it has
   * made, with `rollback` nothing of it stays.
   */
  async #afterLateCancel(
    attempt: Attempt,
    { action, reached }: { action: CancelAction; reached: RunOutcome },
  ): Promise<RunOutcome> {
    const stopped = cancelStop(action);
    const kept = { ...cancelledOutcome(action), state: reached.state, rest: reached.rest ?? [] };
    const outcome = action === 'interrupt' ? kept : await this.#afterStop(attempt, stopped);
    await this.#stopTasks(attempt.row);
    return { ...(outcome ?? kept), obeysCancel: true };
  }

  /**
   * Tries again until the end is written, or another process has to write it: a run without an end would block its thread for
   * ever.
   */
  async #end(attempt: Attempt, outcome: RunOutcome): Promise<void> {
    const { row, claim, recorder, signal } = attempt;
    const { ending, log } = this.#options;
    recorder.recordEnd({ status: outcome.status, error: outcome.error });
    for (;;) {
      try {
        return await ending.end(claim, { run: row, outcome, recorder });
      } catch (error) {
        if (error instanceof ClaimLost) throw error;
        if (error instanceof CancelStored) {
          const { action } = error;
          return await this.#end(attempt, await this.#afterLateCancel(attempt, { action, reached: outcome }));
        }
        log.error({ err: error, runId: row.run_id }, 'The end of a run could not be written');
        if (!isPassing(error)) break;
      }
      if (isGivenUp(signal)) throw signal.reason;
      await sleepWithSignal(endRetryMs, { timer: this.#timer });
    }
    const { status: _status, ...failed } = failedOutcome(
      new Error('The last events and the state of the run could not be stored.'),
    );
    const bare = { ...failed, status: 'error' as const, state: undefined };
    await ending.end(claim, { run: row, outcome: bare, recorder, isBare: true });
  }

  async #recorder(row: RunRow, claim: Claim): Promise<RunRecorder> {
    return this.#options.journal.recorderFor({
      threadId: row.thread_id,
      runId: row.run_id,
      userId: row.user_id,
      attempt: row.attempt,
      followUpTo: row.follow_up_to_run_id,
      confirm: confirmClaim(claim),
    });
  }

  /** Undefined when the state cannot be read; the run then ends without it. */
  async #stateOf(row: RunRow): Promise<StateView | undefined> {
    const thread = { threadId: row.thread_id, graphId: row.graph_id, userId: row.user_id };
    try {
      const state = await this.#options.states.current(thread);
      return state ? viewOf(state) : undefined;
    } catch (error) {
      this.#options.log.warn({ err: error, runId: row.run_id }, 'The state of a run could not be read');
      return undefined;
    }
  }

  #frame(runId: string, event: string, data: unknown): void {
    this.#options.streamLog.append(runId, event, JsonText.of(data));
  }
}

function metadataOf({ run_id, thread_id, attempt }: RunRow): object {
  return { run_id, thread_id, attempt };
}

function requestOf(
  row: RunRow,
  kwargs: RunKwargs,
  { isTraced }: Pick<RunExecutorOptions, 'isTraced'>,
): AgentRunRequest {
  return {
    runId: row.run_id,
    threadId: row.thread_id,
    userId: row.user_id,
    authUser: kwargs.auth_user ?? null,
    assistantId: row.assistant_id,
    graphId: row.graph_id,
    agentName: kwargs.agent_name ?? null,
    attempt: row.attempt,
    input: kwargs.input,
    command: kwargs.command,
    checkpoint: kwargs.checkpoint,
    config: kwargs.config,
    context: kwargs.context,
    metadata: kwargs.metadata,
    interruptBefore: kwargs.interrupt_before,
    interruptAfter: kwargs.interrupt_after,
    streamModes: kwargs.stream_mode,
    streamSubgraphs: kwargs.stream_subgraphs,
    isSecondProtocol: kwargs.names_checkpoints ?? false,
    durability: kwargs.durability,
    ...(isTraced && { traceparent: traceparentWithin(kwargs.traceparent, row.run_id) }),
  };
}

function cancelStop(action: CancelAction): RunStop {
  return new RunStop({ kind: 'cancelled', action });
}

function isStop(error: unknown): boolean {
  return error instanceof RunStop;
}

/** The process shuts down, or another one owns the run: no caller waits for the end here. */
function isGivenUp({ aborted, reason }: AbortSignal): boolean {
  return (
    aborted && reason instanceof RunStop && (reason.how.kind === 'lost' || reason.how.kind === 'released')
  );
}
