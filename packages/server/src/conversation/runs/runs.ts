import type {
  CancelAction,
  Run,
  RunCreate,
  RunStatus,
  StreamMode,
} from '@switchyard/contract/conversation/run';
import type { ThreadStreamMode } from '@switchyard/contract/conversation/runs';
import { say } from '@switchyard/contract/sentences/sentences';
import type { GraphStates } from '../../agents/state/graph-state.ts';
import { AppError } from '../../lib/app-error.ts';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { encodeEvent } from '../../platform/stream-log/stream-frame.ts';
import type { StreamLog } from '../../platform/stream-log/stream-log.ts';
import { runNotFound } from '../journal/run-not-found.ts';
import type { ConversationTables, RunRow } from '../tables.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { userScope } from '../user-scope.ts';
import type { RunEnding } from './ending/run-ending.ts';
import type { EndedRun, RunEnds } from './ending/run-ends.ts';
import type { Place } from './execution/run-line.ts';
import type { RunWork } from './execution/run-work.ts';
import type { AdmittedRun, NewRun, RunAdmission } from './intake/run-admission.ts';
import type { RunCaller, RunIntake } from './intake/run-intake.ts';
import { decideCancel, failureOf } from './records/run.ts';
import { requestCancel } from './records/run-claim-store.ts';
import { type FinalEvent, finalEvents, readFrames } from './records/run-frames.ts';
import type { RunNews } from './records/run-news.ts';
import { refusal } from './records/run-request.ts';
import type { RunStarts, StartedRun as StartedRunOfThread } from './records/run-starts.ts';
import {
  forgetRun,
  forgetRuns,
  hasOpenRun,
  lockRuns,
  openRuns,
  type RunStore,
  requireNoOpenRun,
  runById,
} from './records/run-store.ts';
import { selected, viewRun } from './records/run-view.ts';
import { valuesOfRun } from './records/values-of-run.ts';
import { readThreadFrames, type ThreadPosition } from './thread-frames.ts';

type Trx = WriteTransaction<ConversationTables>;

/** A run by its id; in this thread, when one is named. */
export interface RunName {
  threadId: string | null;
  runId: string;
}

/** The run after its end, and the values that it left. */
export interface RunResult {
  run: RunRow;
  values: Record<string, unknown>;
}

export interface StartedRun {
  run: RunRow;
  kwargs: string;
  /** The fate of the run when the connection that started it closes. */
  onDisconnect: 'cancel' | 'continue';
  /** Waits for the end. Rejects with the signal's reason. */
  result: (signal: AbortSignal) => Promise<RunResult>;
}

/** Encoded events. It ends with the run or when the signal aborts; otherwise it throws. */
export type FrameSource = (signal: AbortSignal) => AsyncGenerator<Uint8Array, void, undefined>;

export interface FrameQuery {
  /** The last id that the reader has; 0 reads from the start. */
  after: number;
  /** Frames of other modes are left out; null includes all modes. */
  modes: readonly StreamMode[] | null;
}

export interface CancelRequest {
  threadId?: string | null | undefined;
  runIds?: readonly string[] | null | undefined;
  status?: 'pending' | 'running' | 'all' | null | undefined;
}

interface RunsOptions {
  starts: RunStarts;
  news: Pick<RunNews, 'accepted'>;
  database: Database<ConversationTables>;
  store: RunStore;
  access: Pick<ThreadAccess, 'require' | 'requireKnown'>;
  intake: RunIntake;
  admission: RunAdmission;
  ending: RunEnding;
  ends: RunEnds;
  work: RunWork;
  states: Pick<GraphStates, 'current'>;
  streamLog: Pick<StreamLog, 'read' | 'has'>;
  /** Parts of the unit that deletes a run, and the work after it. */
  forgetRun: (trx: Trx, run: RunRow) => Promise<void>;
  clearRun: (run: RunRow) => Promise<void>;
  clock: Clock;
  timer?: Timer;
}

/** A reader that missed more runs than this starts again. */
const maxReplayedRuns = 100;
/** A deletion waits this long for the runs of its thread. */
const stopWorkMs = 10_000;

/** Operations on runs. This class decides who may use a thread or run. */
export class Runs {
  readonly #options: RunsOptions;
  readonly #timer: Timer;

  constructor(options: RunsOptions) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
  }

  /**
   * Resolves when the run is stored. Without a thread it gets one. With `claim` the unit that stores the run also claims it, when
   * there is room. With `expect` its end is not missed, however soon it comes.
   */
  async start(
    caller: RunCaller,
    threadId: string | null,
    body: RunCreate,
    { claim = false, expect = false }: { claim?: boolean; expect?: boolean } = {},
  ): Promise<StartedRun> {
    return this.#inOrder({ caller, threadId, body }, async () => {
      const input = await this.#options.intake.prepare(caller, threadId, body);
      const expected = expect ? this.#options.ends.expect(input.runId) : null;
      try {
        const started = await this.#admit(input, { place: claim ? this.#reserve(input) : null });
        if (!expected) return started;
        return { ...started, result: async (signal) => this.#resultOf(await expected.ended(signal)) };
      } catch (error) {
        expected?.forget();
        throw error;
      }
    });
  }

  /** Throws what `start` would throw for a request that cannot be obeyed. */
  async check(caller: RunCaller, threadId: string | null, body: RunCreate): Promise<void> {
    await this.#options.intake.prepare(caller, threadId, body);
  }

  /** All requests are checked before the first run begins. */
  async startBatch(caller: RunCaller, bodies: readonly RunCreate[]): Promise<Run[]> {
    const { intake } = this.#options;
    const inputs = [];
    for (const body of bodies) inputs.push(await intake.prepare(caller, null, body));
    const runs: Run[] = [];
    for (const input of inputs) {
      const { run, kwargs } = await this.#admit(input, { place: null });
      runs.push(viewRun(run, kwargs));
    }
    return runs;
  }

  /** Throws when it is not the owner's. */
  async find(
    owner: Owner,
    { threadId, runId }: RunName,
    { mustExist }: { mustExist: boolean } = { mustExist: false },
  ): Promise<RunRow> {
    if (threadId !== null) await this.#options.access.require(owner, threadId, { mustExist });
    const run = await this.#options.store.get(owner, { threadId, runId });
    if (!run) throw runNotFound(runId);
    return run;
  }

  /** Null when it does not exist or is not the owner's. */
  async look(owner: Owner, name: RunName): Promise<RunRow | null> {
    return (await this.#options.store.get(owner, name)) ?? null;
  }

  /** The run that was admitted last. */
  async newest(owner: Owner, threadId: string): Promise<RunRow | undefined> {
    return (await this.#options.store.list(owner, threadId, { limit: 1, offset: 0 }))[0];
  }

  /** The first run of the thread that has not ended. */
  async openRun(owner: Owner, threadId: string): Promise<RunRow | undefined> {
    const open = await this.#options.store.openOf(owner, threadId);
    return open.sort((one, other) => one.admission - other.admission)[0];
  }

  async get(owner: Owner, name: RunName): Promise<Run> {
    const run = await this.find(owner, name);
    const kwargs = await this.#options.store.inputs([run.run_id]);
    return viewRun(run, kwargs.get(run.run_id));
  }

  async list(
    owner: Owner,
    threadId: string,
    query: { limit?: number; offset?: number; status?: RunStatus; select?: (keyof Run)[] },
  ): Promise<Partial<Run>[]> {
    const { store, access } = this.#options;
    await access.require(owner, threadId, { mustExist: false });
    const { limit = 100, offset = 0, status, select } = query;
    const rows = await store.list(owner, threadId, { limit, offset, status });
    const withKwargs = select?.includes('kwargs') ?? false;
    const kwargs = withKwargs
      ? await store.inputs(rows.map(({ run_id }) => run_id))
      : new Map<string, string>();
    const runs = rows.map((row) => viewRun(row, kwargs.get(row.run_id)));
    return select ? runs.map((run) => selected(run, select)) : runs;
  }

  /** Waits for the end. Rejects with the signal's reason. */
  async result(run: RunRow, signal: AbortSignal): Promise<RunResult> {
    return this.#resultOf(await this.#end(run, signal));
  }

  /** The stored part of the stream, then the live part. Throws here, before the first frame, when there is no such run. */
  async frames(
    owner: Owner,
    name: RunName,
    query: FrameQuery,
  ): Promise<{ run: RunRow; source: FrameSource }> {
    const run = await this.find(owner, name);
    return { run, source: (signal) => this.#frames(run, { ...query, signal }) };
  }

  /** All runs of a thread, including future ones: after the position, or else from the first run that has not ended. */
  async threadFrames(
    owner: Owner,
    threadId: string,
    { position, modes }: { position: ThreadPosition | null; modes: readonly ThreadStreamMode[] },
  ): Promise<FrameSource> {
    const { access, store, starts, streamLog, database } = this.#options;
    await access.requireKnown(owner, threadId);
    const seen = position && (await store.get(owner, { threadId, runId: position.runId }));
    const userId = userScope(owner);
    const leftOf = async (runId: string): Promise<FinalEvent[] | null> => {
      const run = await store.get(owner, { threadId, runId });
      if (!run) return [];
      return run.ended_at === null ? null : this.#finalEvents(run);
    };
    return async function* (signal) {
      const newest = await store.newestOf(threadId);
      const coming = starts.follow(threadId, signal, newest?.admission ?? 0);
      const present = seen
        ? await store.since(owner, { threadId, admission: seen.admission, limit: maxReplayedRuns })
        : await openRuns(database.read, threadId);
      const own = present.filter((run) => userId === null || run.user_id === userId);
      yield* readThreadFrames({
        streamLog,
        leftOf,
        present: own,
        coming: ownOf(coming),
        position,
        modes,
        signal,
      });
    };

    async function* ownOf(coming: AsyncIterable<StartedRunOfThread>): AsyncGenerator<StartedRunOfThread> {
      for await (const run of coming) {
        if (await store.get(owner, { threadId, runId: run.run_id })) yield run;
      }
    }
  }

  /** The newest runs of a thread, in the order of admission. */
  async latest(owner: Owner, threadId: string): Promise<RunRow[]> {
    const page = { limit: maxReplayedRuns, offset: 0 };
    return (await this.#options.store.list(owner, threadId, page)).reverse();
  }

  /** The newest runs of a thread in the order of admission, then those that come. It lasts until the signal aborts. */
  async *followRuns(
    owner: Owner,
    threadId: string,
    signal: AbortSignal,
  ): AsyncGenerator<{ run: RunRow; isNewest: boolean }> {
    const { store, starts } = this.#options;
    const known = await store.newestOf(threadId);
    const coming = starts.follow(threadId, signal, known?.admission ?? 0);
    const present = await this.latest(owner, threadId);
    const newest = present.at(-1)?.admission ?? 0;
    for (const run of present) yield { run, isNewest: run.admission === newest };
    for await (const { run_id: runId, admission } of coming) {
      const run = admission > newest ? await store.get(owner, { threadId, runId }) : undefined;
      if (run) yield { run, isNewest: true };
    }
  }

  /** The frames of a run that was just started. */
  framesOf({ run_id }: RunRow): FrameSource {
    return (signal) => readFrames(this.#options.streamLog, run_id, { after: 0, modes: null, signal });
  }

  /** Resolves when it is stored that the run has to stop. Throws for a run that has ended by itself. */
  async cancel(owner: Owner, name: RunName, action: CancelAction): Promise<RunRow> {
    const run = await this.find(owner, name, { mustExist: true });
    const ended = await this.#cancel(run, action);
    if (!ended) return run;
    throw new AppError('run_not_cancellable', {
      message: say('run_ended', { runId: ended.run_id, runStatus: ended.status }),
    });
  }

  /** Like `cancel`, but leaves a finished run as it is. */
  async cancelIfOpen(owner: Owner, name: RunName, action: CancelAction): Promise<RunRow> {
    const run = await this.find(owner, name, { mustExist: true });
    await this.#cancel(run, action);
    return run;
  }

  /** Leaves finished runs as they are. Returns those that were asked to stop. */
  async cancelMany(owner: Owner, requested: CancelRequest, action: CancelAction): Promise<RunRow[]> {
    const wanted = await this.#wanted(owner, requested);
    const { status } = requested;
    const open = wanted.filter(
      (run) => run.ended_at === null && (!status || status === 'all' || run.status === status),
    );
    for (const run of open) await this.#cancel(run, action);
    return open;
  }

  /** Resolves when all of them have ended. */
  async allEnded(runs: readonly RunRow[], signal: AbortSignal): Promise<void> {
    for (const run of runs) await this.#end(run, signal);
  }

  async delete(owner: Owner, name: RunName): Promise<void> {
    const { database, forgetRun: forgetRest, clearRun } = this.#options;
    const run = await this.find(owner, name, { mustExist: true });
    await database.write(async (trx) => {
      await lockRuns(trx, run.thread_id);
      if (!(await forgetRun(trx, run.run_id)))
        throw (await runById(trx, run.run_id)) ? new AppError('run_open') : runNotFound(run.run_id);
      await forgetRest(trx, run);
    });
    await clearRun(run);
  }

  /** For a caller that deletes a thread: cancels its open runs and waits for their end, up to a limit. */
  async stopWork(threadId: string): Promise<'stopped' | 'still_running'> {
    const open = await openRuns(this.#options.database.read, threadId);
    if (open.length === 0) return 'stopped';
    for (const run of open) await this.#cancel(run, 'interrupt');
    const patience = new AbortController();
    const cancel = this.#timer(() => patience.abort(new Error('The runs did not stop in time.')), stopWorkMs);
    try {
      await this.allEnded(open, patience.signal);
      return 'stopped';
    } catch (error) {
      if (!patience.signal.aborted) throw error;
      return 'still_running';
    } finally {
      cancel();
    }
  }

  async hasOpenRun(threadId: string): Promise<boolean> {
    return hasOpenRun(this.#options.database.read, threadId);
  }

  /** Part of the unit that deletes a thread. */
  readonly forgetRuns = async (trx: Trx, threadId: string): Promise<void> => {
    await requireNoOpenRun(trx, threadId);
    await forgetRuns(trx, threadId);
  };

  /** Starts the work on runs: those that wait, and those that a process left behind. */
  async open(): Promise<void> {
    await this.#options.work.open();
  }

  /** Releases the runs that it works on, so that the next process continues them. */
  async close(): Promise<void> {
    await this.#options.work.close();
  }

  /** Admits the runs of a thread in the order in which their requests arrived. */
  #inOrder<Result>(
    { caller: { arrival }, threadId, body }: { caller: RunCaller; threadId: string | null; body: RunCreate },
    start: () => Promise<Result>,
  ): Promise<Result> {
    const named = threadId ?? body.config?.configurable?.thread_id;
    if (arrival && typeof named === 'string') return arrival.inTurn(named, start);
    arrival?.leave();
    return start();
  }

  #reserve({ runId, threadId, userId, afterSeconds }: NewRun): Place | null {
    if (afterSeconds > 0) return null;
    return this.#options.work.reserve({ run_id: runId, thread_id: threadId, user_id: userId });
  }

  async #admit(input: NewRun, { place }: { place: Place | null }): Promise<StartedRun> {
    const { admission, ending, work } = this.#options;
    let admitted: AdmittedRun | undefined;
    try {
      admitted = await admission.admit(input, place?.workerId);
    } finally {
      if (admitted?.run.worker_id == null) place?.giveUp();
    }
    const { run, kwargs, isNext, ended, stopping } = admitted;
    work.accepted(run);
    this.#options.news.accepted(run);
    for (const end of ended) ending.announce(end);
    for (const other of stopping) work.stop(other, input.strategy === 'rollback' ? 'rollback' : 'interrupt');
    if (run.worker_id === null) work.admitted(run, { isNext });
    else place?.begin({ row: run, kwargs });
    return {
      run,
      kwargs,
      onDisconnect: input.kwargs.on_disconnect,
      result: async (signal) => this.result(run, signal),
    };
  }

  /** Returns the run when it has ended by itself, as it is stored now; otherwise null. */
  async #cancel({ run_id, thread_id }: RunRow, action: CancelAction): Promise<RunRow | null> {
    const { database, ending, work, clock } = this.#options;
    const done = await database.write(async (trx, lastly) => {
      await lockRuns(trx, thread_id);
      const run = await runById(trx, run_id);
      const decision = run && decideCancel(run);
      if (!run || decision === 'done_already') return {};
      if (decision === 'refused') return { endedBefore: run };
      if (decision === 'end_now') return { ended: await ending.endWaiting(trx, run, { action, lastly }) };
      await requestCancel(trx, { runId: run_id, action, at: toIso(clock()) });
      return { stopping: run };
    });
    if (done.ended) ending.announce(done.ended);
    if (done.stopping) work.stop(done.stopping, done.stopping.cancel_action ?? action);
    return done.endedBefore ?? null;
  }

  async #wanted(owner: Owner, { threadId, runIds, status }: CancelRequest): Promise<RunRow[]> {
    const { store, access } = this.#options;
    if (threadId) await access.require(owner, threadId, { mustExist: true });
    if (!runIds) {
      if (threadId || status) return store.openOf(owner, threadId ?? null);
      throw refusal({
        path: [],
        type: 'value_error',
        message: 'Value error, name run_ids, a thread_id or a status',
      });
    }
    const found = await Promise.all(
      runIds.map((runId) => store.get(owner, { threadId: threadId ?? null, runId })),
    );
    const runs = found.filter((run) => run !== undefined);
    if (runs.length === 0) throw runNotFound(runIds.join(', '));
    return runs;
  }

  /** The end of a run, even when it is over already: the row is read after listening begins, so no end is missed in between. */
  async #end({ run_id }: RunRow, signal: AbortSignal): Promise<EndedRun> {
    const { ends, database } = this.#options;
    const expected = ends.expect(run_id);
    try {
      signal.throwIfAborted();
      const run = await runById(database.read, run_id);
      if (!run) throw runNotFound(run_id);
      if (run.ended_at !== null) return { run, values: undefined };
    } catch (error) {
      expected.forget();
      throw error;
    }
    return expected.ended(signal);
  }

  async #resultOf({ run, values }: EndedRun): Promise<RunResult> {
    return { run, values: values ?? (await this.valuesOf(run)) };
  }

  async valuesOf(run: RunRow): Promise<Record<string, unknown>> {
    return valuesOfRun(this.#options.states, run);
  }

  async #finalEvents(run: RunRow): Promise<FinalEvent[]> {
    return finalEvents(await this.valuesOf(run), failureOf(run));
  }

  async *#frames(
    run: RunRow,
    query: FrameQuery & { signal: AbortSignal },
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const { streamLog } = this.#options;
    if (run.ended_at !== null && !(await streamLog.has(run.run_id)))
      yield* (await this.#finalEvents(run)).map(encodeEvent);
    else yield* readFrames(streamLog, run.run_id, query);
  }
}
