import { OfferedRuns, type RunOffer } from '@switchyard/server/conversation/runs/execution/offered-runs';
import type { ExpectedRun } from '@switchyard/server/conversation/runs/execution/run-executor';
import type { RunLine } from '@switchyard/server/conversation/runs/execution/run-line';
import { RunScheduler } from '@switchyard/server/conversation/runs/execution/run-scheduler';
import {
  type ClaimedRun,
  endRun,
  RunClaimStore,
} from '@switchyard/server/conversation/runs/records/run-claim-store';
import { RunStore } from '@switchyard/server/conversation/runs/records/run-store';
import type { ConversationTables, RunRow } from '@switchyard/server/conversation/tables';
import { newId } from '@switchyard/server/lib/ids';
import type { BusEvent, BusTopic } from '@switchyard/server/platform/bus/bus';
import { RedisBus } from '@switchyard/server/platform/bus/redis-bus';
import type { Database } from '@switchyard/server/platform/database/database';
import { openDatabase } from '@switchyard/server/platform/database/open';
import { OfferQueues } from '@switchyard/server/platform/offers/offer-queues';
import { RedisServer } from '@switchyard/server/platform/redis/redis-server';

/** How waiting runs reach a replica. */
export type Engine = 'bullmq' | 'broadcast';

interface ReplicaOptions {
  engine: Engine;
  databaseUrl: string;
  redisUrl: string;
  prefix: string;
  slots: number;
  /** Occupies the slot of the run. */
  work: (row: RunRow) => Promise<void>;
  onBegin: (row: RunRow) => void;
  onFault: (error: unknown) => void;
}

/** The channel of this measure alone, so its shape is not checked. */
const topic: BusTopic<{ from: string; thread_id: string }> = {
  name: 'bench.runs',
  read: (text) => JSON.parse(text),
};

/** The part of a gateway that claims waiting runs: its line, its claims and its messages to the others. The work itself is a wait. */
export class LineReplica {
  readonly database: Database<ConversationTables>;
  /** Claims that were tried, and those that another replica had won or that came too early. */
  tried = 0;
  failed = 0;
  readonly #options: ReplicaOptions;
  readonly #workerId = newId();
  readonly #claims: RunClaimStore;
  readonly #store: RunStore;
  readonly #line: RunLine;
  readonly #bus: RedisBus;
  readonly #redis: RedisServer;
  readonly #offers: OfferQueues;
  readonly #closing = new AbortController();
  readonly #atWork = new Set<string>();

  private constructor(
    options: ReplicaOptions,
    parts: { database: Database<ConversationTables>; redis: RedisServer; bus: RedisBus; offers: OfferQueues },
  ) {
    this.#options = options;
    this.database = parts.database;
    this.#redis = parts.redis;
    this.#bus = parts.bus;
    this.#offers = parts.offers;
    this.#claims = new RunClaimStore(parts.database);
    this.#store = new RunStore(parts.database);
    this.#line = this.#newLine();
  }

  static async open(options: ReplicaOptions): Promise<LineReplica> {
    const { databaseUrl, redisUrl, prefix } = options;
    const opened = await openDatabase({ backend: 'postgres', url: databaseUrl, poolSize: 4 });
    const redis = await RedisServer.open({
      url: redisUrl,
      prefix,
      cluster: { database: 'bench', secrets: () => ['bench'] },
      log: { info: () => undefined, warn: () => undefined },
    });
    const replica = new LineReplica(options, {
      database: opened.withTables<ConversationTables>(),
      redis,
      bus: await RedisBus.open(redis, { onMisfit: (_topic, error) => options.onFault(error) }),
      offers: await OfferQueues.open({ redis }),
    });
    await replica.#start();
    return replica;
  }

  /** As the gateway does once a run is stored that cannot begin where it arrived. */
  admitted(run: RunRow): void {
    this.#line.add(run, { isNext: true });
    this.#tell(run);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#line.stop();
    await this.#line.settled();
    await this.#line.close([]);
    await this.#bus.close();
    this.#offers.close();
    this.#redis.close();
    await this.database.close();
  }

  async #start(): Promise<void> {
    const { onFault } = this.#options;
    await this.#line.open();
    const news = await this.#bus.subscribe(topic, { signal: this.#closing.signal });
    void this.#listen(news).catch(onFault);
  }

  async #listen(news: AsyncIterable<BusEvent<{ from: string; thread_id: string }>>): Promise<void> {
    for await (const event of news) {
      if (event.type === 'gap') throw new Error('News were lost, so this measure counts too few runs.');
      const { from, thread_id } = event.message;
      if (from === this.#workerId || !this.#line.listens) continue;
      const next = await this.#store.firstOpen(thread_id);
      if (next?.worker_id === null) this.#line.add(next);
    }
  }

  #tell({ thread_id }: RunRow): void {
    this.#bus.publish(topic, { from: this.#workerId, thread_id }).catch(this.#options.onFault);
  }

  #newLine(): RunLine {
    const { engine, slots, onFault } = this.#options;
    const shared = {
      executor: {
        isAtWork: (runId: string) => this.#atWork.has(runId),
        expect: (): ExpectedRun => {
          throw new Error('No run of this measure begins where it arrives.');
        },
        begin: (run: Pick<RunRow, 'run_id' | 'thread_id'>) => this.#begin(run),
        execute: async (run: Pick<RunRow, 'run_id' | 'thread_id'>) => {
          await (await this.#begin(run))?.done;
        },
      },
      worker: { id: this.#workerId },
      slots,
      clock: Date.now,
      onFault,
    };
    if (engine === 'broadcast') return new RunScheduler(shared);
    return new OfferedRuns({
      ...shared,
      store: this.#store,
      queue: this.#offers.queue<RunOffer>('runs', onFault),
      tags: this.#offers.startTags('runs'),
      limits: { waiting: 10_000, waitingPerUser: 10_000 },
    });
  }

  async #begin(run: Pick<RunRow, 'run_id' | 'thread_id'>): Promise<{ done: Promise<void> } | null> {
    this.tried += 1;
    const at = new Date().toISOString();
    const claimed = await this.#claims.claim(run, { workerId: this.#workerId, at });
    if (!claimed) {
      this.failed += 1;
      return null;
    }
    this.#options.onBegin(claimed.row);
    this.#atWork.add(run.run_id);
    return { done: this.#work(claimed) };
  }

  async #work({ row }: ClaimedRun): Promise<void> {
    await this.#options.work(row);
    const at = new Date().toISOString();
    const claim = {
      runId: row.run_id,
      threadId: row.thread_id,
      workerId: this.#workerId,
      attempt: row.attempt,
    };
    const end = { ...row, status: 'success' as const, updated_at: at, ended_at: at };
    const ended = await this.database.write((trx) => endRun(trx, claim, end));
    if (!ended) throw new Error(`The run ${row.run_id} was lost.`);
    // Each run of this measure has a thread of its own.
    this.#line.remove(ended, { hasOpenRun: false });
    this.#atWork.delete(row.run_id);
    this.#tell(ended);
  }
}
