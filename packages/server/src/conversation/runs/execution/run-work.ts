import type { CancelAction } from '@switchyard/contract/conversation/run';
import { oneOf } from '@switchyard/contract/shapes';
import { type Static, Type } from 'typebox';
import { newId } from '../../../lib/ids.ts';
import { type Bus, type BusEvent, busTopic } from '../../../platform/bus/bus.ts';
import type { RunRow } from '../../tables.ts';
import type { RunEnds } from '../ending/run-ends.ts';
import type { ThreadAfterRun } from '../ending/run-followers.ts';
import type { RunClaimStore } from '../records/run-claim-store.ts';
import type { RunStarts } from '../records/run-starts.ts';
import { RunStop } from '../records/run-stop.ts';
import type { RunStore } from '../records/run-store.ts';
import type { RunExecutor } from './run-executor.ts';
import type { RunRecovery, RunWorker } from './run-leases.ts';
import type { Place, RunLine } from './run-line.ts';

/** A reader of a thread that missed more runs than this sees the rest after the next look. */
const maxMissedRuns = 100;

const from = Type.String();
/** The messages to other processes. When one gets lost, the sweep of the other process finds the run. */
const news = Type.Union([
  Type.Object({
    from,
    type: oneOf(['admitted', 'stop', 'ended']),
    run_id: Type.String(),
    thread_id: Type.String(),
  }),
  /** Names the lease under which a process works, so that others notice when it lapses. */
  Type.Object({ from, type: Type.Literal('worker'), worker_id: Type.String() }),
]);
type News = Static<typeof news>;

const topic = busTopic('conversation.runs', news);

/** The work on runs in this process, and its messages to other processes. */
export class RunWork {
  readonly #options;
  readonly #self = newId();
  readonly #closing = new AbortController();
  #listening: Promise<void> = Promise.resolve();

  constructor(options: {
    line: RunLine;
    executor: RunExecutor;
    recovery: RunRecovery;
    worker: RunWorker;
    claims: Pick<RunClaimStore, 'find' | 'releaseWorker'>;
    store: Pick<RunStore, 'firstOpen' | 'admittedAfter'>;
    starts: RunStarts;
    ends: RunEnds;
    bus: Bus;
    now: () => string;
    onFault: (error: unknown) => void;
  }) {
    this.#options = options;
  }

  /** Starts with the runs that wait, and with those that a process left behind. */
  async open(): Promise<void> {
    const { bus, worker, line, recovery, onFault } = this.#options;
    const news = await bus.subscribe(topic, { signal: this.#closing.signal });
    this.#listening = this.#listen(news).catch(onFault);
    await worker.open();
    await line.open();
    await recovery.open();
  }

  /** Stops running work at its last checkpoint and releases it, so that the next process continues at once. */
  async close(): Promise<void> {
    const { line, executor, recovery, worker, claims, now, onFault } = this.#options;
    this.#closing.abort();
    const stopped = line.stop();
    await recovery.close();
    executor.stopAll(new RunStop({ kind: 'released' }));
    await stopped;
    await line.settled();
    // When that fails the lease lapses with the process, which releases the runs as well.
    const released = worker.id ? await claims.releaseWorker(worker.id, now()).catch(onFault) : [];
    await line.close(released ?? []);
    await worker.close();
    await this.#listening;
  }

  /** Counts the runs that wait. */
  get waiting(): Pick<RunLine, 'waiting'> {
    return this.#options.line;
  }

  /** Reserves room for a run that is about to be stored; null when the run has to wait. */
  reserve(run: Pick<RunRow, 'run_id' | 'thread_id' | 'user_id'>): Place | null {
    return this.#options.line.reserve(run);
  }

  /** A run is stored, whether it has begun or waits. */
  accepted(run: RunRow): void {
    const { starts, line } = this.#options;
    const newest = starts.newestOf(run.thread_id);
    // Followers get runs in their order, so one that another process admitted before comes first.
    if (newest !== undefined && run.admission > newest + 1)
      this.#announceAfter({ threadId: run.thread_id, admission: newest }).catch(this.#options.onFault);
    else starts.announce(run);
    // Without a shared line, a run that has begun concerns no other process.
    if (run.worker_id === null || !line.listens) this.#tell('admitted', run);
  }

  /** A run waits. */
  admitted(run: RunRow, known: { isNext: boolean }): void {
    this.#options.line.add(run, known);
  }

  /** The caller has stored already that the run has to stop. */
  stop(run: RunRow, action: CancelAction): void {
    const { executor, line, worker } = this.#options;
    executor.stop(run.run_id, new RunStop({ kind: 'cancelled', action }));
    // A run that waits to be resumed ends when it is resumed.
    if (run.worker_id === null) line.add(run);
    else if (run.worker_id !== worker.id) this.#tell('stop', run);
  }

  ended(run: RunRow, thread: ThreadAfterRun): void {
    this.#options.line.remove(run, thread);
    this.#tell('ended', run);
  }

  /** Tells other processes under which lease this one works. */
  async announceWorker(): Promise<void> {
    const { worker, bus } = this.#options;
    if (worker.id === null) return;
    await bus.publish(topic, { from: this.#self, type: 'worker', worker_id: worker.id });
  }

  /** Informs callers that still wait for a run whose beginning or end they have missed. */
  async announceMissed(): Promise<void> {
    const { starts, ends, claims } = this.#options;
    for (const runId of ends.awaited) {
      const run = await claims.find(runId);
      if (run && run.ended_at !== null) ends.announce({ run, values: undefined });
    }
    for (const thread of starts.followed) await this.#announceAfter(thread);
  }

  async #announceAfter({ threadId, admission }: { threadId: string; admission: number }): Promise<void> {
    const { store, starts } = this.#options;
    const missed = await store.admittedAfter(threadId, { admission, limit: maxMissedRuns });
    for (const run of missed) starts.announce(run);
  }

  #tell(type: 'admitted' | 'stop' | 'ended', { run_id, thread_id }: RunRow): void {
    if (this.#closing.signal.aborted) return;
    this.#options.bus
      .publish(topic, { from: this.#self, type, run_id, thread_id })
      .catch(this.#options.onFault);
  }

  async #listen(events: AsyncIterable<BusEvent<News>>): Promise<void> {
    for await (const event of events) {
      try {
        if (event.type === 'gap') await this.#options.recovery.sweep();
        else await this.#hear(event.message);
      } catch (error) {
        this.#options.onFault(error);
      }
    }
  }

  async #hear(news: News): Promise<void> {
    if (news.from === this.#self) return;
    const { claims, executor, recovery } = this.#options;
    if (news.type === 'worker') return recovery.watch(news.worker_id);
    if (news.type === 'stop') {
      const run = await claims.find(news.run_id);
      if (run?.cancel_action)
        executor.stop(run.run_id, new RunStop({ kind: 'cancelled', action: run.cancel_action }));
      return;
    }
    await this.#hearOf(news);
  }

  async #hearOf({ type, run_id, thread_id }: Exclude<News, { type: 'worker' }>): Promise<void> {
    const { claims, line, starts, ends, store } = this.#options;
    const admission = starts.newestOf(thread_id);
    if (type === 'admitted' && admission !== undefined)
      await this.#announceAfter({ threadId: thread_id, admission });
    if (type === 'ended' && ends.isAwaited(run_id)) {
      const run = await claims.find(run_id);
      if (run) ends.announce({ run, values: undefined });
    }
    if (!line.listens) return;
    const next = await store.firstOpen(thread_id);
    if (next?.worker_id === null) line.add(next);
  }
}
