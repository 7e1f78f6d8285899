import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { newDeferred } from '../../lib/async/deferred.ts';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import type { Clock } from '../../lib/clock.ts';
import {
  type ExecutionResult,
  isProxyFault,
  WorkerCallError,
  type WorkerClient,
} from '../worker-client/worker-client.ts';
import type { ExecutionEvent, WorkerEvent } from '../worker-client/worker-event.ts';
import type { ExecutionTimeouts } from './execution-timeouts.ts';

/** The way in which the watch over an execution ended. */
export type WatchEnd =
  | { kind: 'over'; result: ExecutionResult }
  /** It waited on the worker and was taken out of the queue there, as requested. */
  | { kind: 'removed' }
  /** It was asked to stop and did not in time; the worker may still be executing it. */
  | { kind: 'would_not_stop' }
  | { kind: 'lost'; message: Wording }
  /** The worker certainly never took it and would still take it under the same id. */
  | { kind: 'never_taken' }
  /** The worker does not know it, and may have been restarted since it was submitted, if it was submitted at all. */
  | { kind: 'untraced' }
  | { kind: 'stuck'; message: Wording }
  /** It exceeded its time limit; `hasStopped` when it then stopped as requested. */
  | { kind: 'timed_out'; hasStopped: boolean }
  /** The runner lost its instance or closes; another runner resumes the execution. */
  | { kind: 'abandoned' };

interface ExecutionWatchOptions {
  client: WorkerClient;
  promptId: string;
  /** A prompt that the worker knew before this one. */
  knownPromptId: string | null;
  steadyClock: Clock;
  timer?: Timer;
  timeouts: ExecutionTimeouts;
  /** The task's own setting: how long one attempt may run. */
  timeLimitMs: number | null;
  /** Called when the worker reports that it executes the prompt. */
  onRunning: () => void;
  /** Called when the event socket brought nothing; the message has the reason why it was opened again. */
  onDeaf: (message: Wording) => void;
  /** Called when the event socket brought the events of the execution all the time. */
  onHeard: () => void;
  signal: AbortSignal;
}

/**
 * Waits until an execution on a worker is over. Events wake it, but it believes only the worker's queue and history: an
 * event may be missing, a socket may be deaf, and a worker may hold a prompt for ever without doing anything.
 */
export class ExecutionWatch {
  readonly #options: ExecutionWatchOptions;
  readonly #timer: Timer;
  #wake = newDeferred();
  #mustLook = false;
  #seemsOver = false;
  /** The worker has sent an event about it. */
  #hasStarted = false;
  #otherAhead = false;
  #nodeId: string | null = null;
  #askedToStopAtMs: number | null = null;
  #isOverLimit = false;
  #stopSent = false;
  #lastSignMs: number;
  /** Known from an event or from the worker's queue, whichever came first. */
  #runsSinceMs: number | null = null;
  #unreachableSinceMs: number | null = null;
  /** Since when nothing answers for the worker, and the sentence about it. */
  #gone: { sinceMs: number; message: Wording } | null = null;
  /** The time at which the worker answered that it has taken the prompt; null for a prompt that was submitted before. */
  #acceptedAtMs: number | null = null;
  /**
   * True once the worker has reported that it holds the prompt. Until then its absence proves little, and a proxy's
   * answer does not end the execution early.
   */
  #isKnownThere = false;
  readonly #framesBefore: number;
  #wasDeaf = false;
  #hasSocketChanged = false;
  #reopenedAtMs: number | null = null;

  /**
   * Must be created before the prompt is submitted: on a fast worker the events come before the answer to the
   * submission.
   */
  constructor(options: ExecutionWatchOptions) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
    this.#lastSignMs = options.steadyClock();
    this.#framesBefore = options.client.framesHeard;
  }

  /** The worker has answered that it takes the prompt. From now on its event socket should send messages. */
  noteAccepted(): void {
    this.#acceptedAtMs = this.#options.steadyClock();
    this.noteThere();
  }

  /** The worker has reported at some time that it holds the prompt. */
  noteThere(): void {
    this.#isKnownThere = true;
  }

  /** Receives every event of the instance's socket; events of other executions are ignored. */
  notice(event: WorkerEvent): void {
    if (
      event.type === 'socket_opened' ||
      event.type === 'socket_closed' ||
      event.type === 'worker_restarted'
    ) {
      this.#mustLook = true;
      this.#hasSocketChanged = true;
      this.#wake.resolve();
      return;
    }
    if (event.type === 'queue_changed' || event.promptId !== this.#options.promptId) return;
    if (!this.#isNews(event)) return;
    this.#lastSignMs = this.#options.steadyClock();
    this.#reopenedAtMs = null;
    this.#hasStarted = true;
    this.#isKnownThere = true;
    if (this.#runsSinceMs === null) {
      this.#runsSinceMs = this.#lastSignMs;
      // The time limit may end before the next look.
      if (this.#options.timeLimitMs !== null) this.#wake.resolve();
    }
    if (event.type === 'run_settled') {
      this.#seemsOver = true;
      this.#wake.resolve();
    }
  }

  /** A worker names the running node again on each new socket, even when it has been stuck in it for hours. */
  #isNews(event: ExecutionEvent): boolean {
    if (event.type !== 'node_started') return true;
    const isAnother = event.nodeId !== this.#nodeId;
    this.#nodeId = event.nodeId;
    return isAnother;
  }

  /** For an execution of which it is not known whether the worker has it. */
  lookFirst(): void {
    this.#mustLook = true;
  }

  /** Asks the execution to stop, once. */
  askToStop(): void {
    this.#askedToStopAtMs ??= this.#options.steadyClock();
    this.#wake.resolve();
  }

  async untilOver(): Promise<WatchEnd> {
    const { signal } = this.#options;
    const onAbort = (): void => this.#wake.resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const end = await this.#loop();
      await this.#judgeHearing(end);
      return end;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #loop(): Promise<WatchEnd> {
    for (;;) {
      if (this.#options.signal.aborted) return { kind: 'abandoned' };
      await this.#checkHearing();
      const end = (await this.#look()) ?? (await this.#stopIfAsked()) ?? (await this.#checkDeadlines());
      if (end) return this.#isOverLimit ? endOverLimit(end) : end;
      await this.#sleep();
    }
  }

  async #look(): Promise<WatchEnd | null> {
    if (this.#seemsOver) {
      this.#seemsOver = false;
      const result = await this.#ask(() => this.#options.client.result(this.#options.promptId));
      if (result) return { kind: 'over', result };
      this.#mustLook = true;
    }
    if (!this.#mustLook) return null;
    this.#mustLook = false;
    const found = await this.#ask(() =>
      this.#options.client.reconcile(this.#options.promptId, {
        graceMs: this.#options.timeouts.reconcileMs,
        knownPromptId: this.#options.knownPromptId,
        signal: this.#options.signal,
      }),
    );
    switch (found?.state) {
      case 'finished':
        return { kind: 'over', result: found.result };
      case 'absent':
        if (found.isSameProcess) return { kind: 'never_taken' };
        return found.isSameProcess === null && !this.#isKnownThere
          ? { kind: 'untraced' }
          : { kind: 'lost', message: say('worker_restarted') };
      case 'waiting':
        this.#isKnownThere = true;
        this.#otherAhead = found.ahead > 0;
        return null;
      case 'running':
        this.#isKnownThere = true;
        this.#otherAhead = false;
        this.#runsSinceMs ??= this.#options.steadyClock();
        this.#options.onRunning();
        return null;
      case undefined:
        return null;
    }
  }

  async #stopIfAsked(): Promise<WatchEnd | null> {
    if (this.#askedToStopAtMs === null) return null;
    if (!this.#stopSent) {
      const outcome = await this.#ask(() => this.#options.client.cancel(this.#options.promptId));
      if (outcome?.outcome === 'removed') return { kind: 'removed' };
      if (outcome?.outcome === 'finished') return { kind: 'over', result: outcome.result };
      this.#stopSent = outcome !== undefined;
    }
    const waitedMs = this.#options.steadyClock() - this.#askedToStopAtMs;
    return waitedMs >= this.#options.timeouts.cancelMs ? { kind: 'would_not_stop' } : null;
  }

  async #checkDeadlines(): Promise<WatchEnd | null> {
    const now = this.#options.steadyClock();
    const { timeouts, timeLimitMs } = this.#options;
    if (this.#gone !== null) {
      const { sinceMs, message } = this.#gone;
      return now - sinceMs >= timeouts.refusedMs ? { kind: 'lost', message } : null;
    }
    if (this.#unreachableSinceMs !== null) {
      const isOver = now - this.#unreachableSinceMs >= timeouts.lostMs;
      return isOver ? { kind: 'lost', message: say('worker_away') } : null;
    }
    const isOverLimit = timeLimitMs !== null && now - (this.#runsSinceMs ?? now) >= timeLimitMs;
    if (isOverLimit && this.#askedToStopAtMs === null) {
      this.#isOverLimit = true;
      this.askToStop();
    }
    return this.#checkSilence(now);
  }

  async #checkSilence(now: number): Promise<WatchEnd | null> {
    const { client, promptId, timeouts } = this.#options;
    // Silence matters only when it is the prompt's turn and the worker can be heard.
    if (this.#otherAhead || !client.isConnected) {
      this.#lastSignMs = now;
      this.#reopenedAtMs = null;
      return null;
    }
    const allowedMs = this.#hasStarted ? timeouts.silenceMs : timeouts.startMs;
    if (now - this.#lastSignMs < allowedMs) return null;
    if (this.#reopenedAtMs === null) {
      // The socket may be deaf instead of the worker being stuck.
      this.#reopenedAtMs = now;
      this.#mustLook = true;
      await this.#ask(() => client.reopen());
      return null;
    }
    if (now - this.#reopenedAtMs < timeouts.secondChanceMs) return null;
    const seconds = Math.round((now - this.#lastSignMs) / 1000);
    const message = say(this.#hasStarted ? 'run_silent' : 'run_not_started', { seconds });
    await this.#ask(() => client.cancel(promptId));
    return { kind: 'stuck', message };
  }

  /** A worker that takes a prompt tells all clients how long its queue is. Silence after that is the socket's fault. */
  async #checkHearing(): Promise<void> {
    // A timer may fire a fraction of a millisecond early.
    if (this.#untilHeardMs() >= 1) return;
    await this.#openAgain(say('socket_silent'));
  }

  /** An execution that was found by asking, and that sent no event, counts against the socket as well. */
  async #judgeHearing(end: WatchEnd): Promise<void> {
    if (end.kind !== 'over' || this.#acceptedAtMs === null || this.#wasDeaf || this.#hasSocketChanged) return;
    if (this.#hasStarted) this.#options.onHeard();
    else if (this.#askedToStopAtMs === null) {
      await this.#openAgain(say('socket_missed_run'));
    }
  }

  async #openAgain(message: Wording): Promise<void> {
    this.#wasDeaf = true;
    this.#options.onDeaf(message);
    await this.#ask(() => this.#options.client.reopen());
  }

  /** Time until the socket counts as deaf; infinite when something was heard or the socket is closed. */
  #untilHeardMs(): number {
    const { client, timeouts, steadyClock } = this.#options;
    const isHeard = client.framesHeard !== this.#framesBefore;
    if (this.#acceptedAtMs === null || this.#wasDeaf || isHeard || !client.isConnected) {
      return Number.POSITIVE_INFINITY;
    }
    return Math.max(this.#acceptedAtMs + timeouts.hearMs - steadyClock(), 0);
  }

  /** Returns undefined when the worker could not be asked; the time since the question is counted. */
  async #ask<Answer>(call: () => Promise<Answer>): Promise<Answer | undefined> {
    const askedMs = this.#options.steadyClock();
    try {
      const answer = await call();
      this.#unreachableSinceMs = null;
      this.#gone = null;
      return answer;
    } catch (error) {
      if (!(error instanceof WorkerCallError) && !this.#options.signal.aborted) throw error;
      this.#unreachableSinceMs ??= askedMs;
      const message = this.#whyGone(error);
      this.#gone = message === null ? null : { sinceMs: this.#gone?.sinceMs ?? askedMs, message };
      this.#mustLook = true;
      return undefined;
    }
  }

  /** A refused connection says that the process is gone. A proxy may say so of one that is just busy with the prompt. */
  #whyGone(error: unknown): Wording | null {
    if (!(error instanceof WorkerCallError)) return null;
    if (error.workerCause === 'refused') return say('worker_gone');
    return isProxyFault(error.status) && this.#isKnownThere ? say('worker_gone_behind_proxy') : null;
  }

  async #sleep(): Promise<void> {
    const { client, timeouts } = this.#options;
    const isHeard = client.isConnected && this.#unreachableSinceMs === null;
    const pollMs = isHeard && this.#askedToStopAtMs === null ? timeouts.pollMs : timeouts.pollUnheardMs;
    const stop = this.#timer(
      () => {
        this.#mustLook = true;
        this.#wake.resolve();
      },
      Math.min(pollMs, this.#untilLimitMs(), this.#untilHeardMs()),
    );
    await this.#wake.promise;
    stop();
    this.#wake = newDeferred();
  }

  /** Time until the time limit of an execution that has not been asked to stop yet. */
  #untilLimitMs(): number {
    const { timeLimitMs, steadyClock } = this.#options;
    if (timeLimitMs === null || this.#runsSinceMs === null || this.#askedToStopAtMs !== null) {
      return Number.POSITIVE_INFINITY;
    }
    return Math.max(this.#runsSinceMs + timeLimitMs - steadyClock(), 0);
  }
}

/** An execution that completed while it was being stopped counts as completed. */
function endOverLimit(end: WatchEnd): WatchEnd {
  if (end.kind === 'over' && end.result.end === 'succeeded') return end;
  if (end.kind === 'over' || end.kind === 'removed') return { kind: 'timed_out', hasStopped: true };
  return end.kind === 'would_not_stop' ? { kind: 'timed_out', hasStopped: false } : end;
}
