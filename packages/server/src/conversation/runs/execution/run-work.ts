import type { CancelAction } from '@switchyard/contract/conversation/run';
import { newId } from '../../../lib/ids.ts';
import type { Bus, BusMessage } from '../../../platform/bus/bus.ts';
import type { RunRow } from '../../tables.ts';
import type { RunEnds } from '../ending/run-ends.ts';
import type { RunClaimStore } from '../records/run-claim-store.ts';
import { RunStop } from '../records/run-stop.ts';
import type { RunStore } from '../records/run-store.ts';
import type { RunExecutor } from './run-executor.ts';
import type { RunRecovery } from './run-recovery.ts';
import type { Place, RunScheduler } from './run-scheduler.ts';
import type { RunWorker } from './run-worker.ts';

interface RunWorkOptions {
  scheduler: RunScheduler;
  executor: RunExecutor;
  recovery: RunRecovery;
  worker: RunWorker;
  claims: Pick<RunClaimStore, 'find' | 'releaseWorker'>;
  store: Pick<RunStore, 'firstOpen'>;
  ends: RunEnds;
  bus: Bus;
  now: () => string;
  onFault: (error: unknown) => void;
}

const topic = 'conversation.runs';

/** The messages to other processes. When one gets lost, the sweep of the other process finds the run. */
interface News {
  from: string;
  type: 'admitted' | 'stop' | 'ended';
  run_id: string;
  thread_id: string;
}

/** The work on runs in this process, and its messages to other processes. */
export class RunWork {
  readonly #options: RunWorkOptions;
  readonly #self = newId();
  readonly #closing = new AbortController();
  #listening: Promise<void> = Promise.resolve();

  constructor(options: RunWorkOptions) {
    this.#options = options;
  }

  /** Starts with the runs that wait, and with those that a process left behind. */
  async open(): Promise<void> {
    const { bus, worker, recovery, onFault } = this.#options;
    const news = await bus.subscribe(topic, { signal: this.#closing.signal });
    this.#listening = this.#listen(news).catch(onFault);
    await worker.open();
    await recovery.open();
  }

  /** Stops running work at its last checkpoint and releases it, so that the next process continues at once. */
  async close(): Promise<void> {
    const { scheduler, executor, recovery, worker, claims, now, onFault } = this.#options;
    this.#closing.abort();
    scheduler.stop();
    await recovery.close();
    executor.stopAll(new RunStop({ kind: 'released' }));
    await scheduler.settled();
    // When that fails the lease lapses with the process, which releases the runs as well.
    if (worker.id) await claims.releaseWorker(worker.id, now()).catch(onFault);
    await worker.close();
    await this.#listening;
  }

  /** Counts the runs that wait here. */
  get waiting(): Pick<RunScheduler, 'waiting' | 'waitingOf'> {
    return this.#options.scheduler;
  }

  /** Reserves room for a run that is about to be stored; null when the run has to wait. */
  reserve(run: Pick<RunRow, 'run_id' | 'thread_id' | 'user_id'>): Place | null {
    return this.#options.scheduler.reserve(run);
  }

  admitted(run: RunRow): void {
    this.#options.scheduler.add(run);
    this.#tell('admitted', run);
  }

  /** The caller has stored already that the run has to stop. */
  stop(run: RunRow, action: CancelAction): void {
    const { executor, scheduler, worker } = this.#options;
    executor.stop(run.run_id, new RunStop({ kind: 'cancelled', action }));
    // A run that waits to be resumed ends when it is resumed.
    if (run.worker_id === null) scheduler.add(run);
    else if (run.worker_id !== worker.id) this.#tell('stop', run);
  }

  ended(run: RunRow): void {
    this.#options.scheduler.remove(run);
    this.#tell('ended', run);
  }

  /** Informs callers that still wait for a run whose end they have missed. */
  async announceMissed(): Promise<void> {
    const { ends, claims } = this.#options;
    for (const runId of ends.awaited) {
      const run = await claims.find(runId);
      if (run && run.ended_at !== null) ends.announce({ run, values: undefined });
    }
  }

  #tell(type: News['type'], { run_id, thread_id }: RunRow): void {
    if (this.#closing.signal.aborted) return;
    const news = { from: this.#self, type, run_id, thread_id } satisfies News;
    this.#options.bus.publish(topic, news).catch(this.#options.onFault);
  }

  async #listen(
    events: AsyncIterable<{ type: 'message'; message: BusMessage } | { type: 'gap' }>,
  ): Promise<void> {
    for await (const event of events) {
      try {
        if (event.type === 'gap') await this.#options.recovery.sweep();
        else await this.#hear(event.message as unknown as News);
      } catch (error) {
        this.#options.onFault(error);
      }
    }
  }

  async #hear({ from, type, run_id, thread_id }: News): Promise<void> {
    if (from === this.#self) return;
    const { claims, executor, scheduler, ends, store } = this.#options;
    if (type === 'stop') {
      const run = await claims.find(run_id);
      if (run?.cancel_action)
        executor.stop(run_id, new RunStop({ kind: 'cancelled', action: run.cancel_action }));
      return;
    }
    if (type === 'ended' && ends.awaited.includes(run_id)) {
      const run = await claims.find(run_id);
      if (run) ends.announce({ run, values: undefined });
    }
    const next = await store.firstOpen(thread_id);
    if (next?.worker_id === null) scheduler.add(next);
  }
}
