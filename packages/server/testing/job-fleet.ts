import { sql } from 'kysely';
import type { Database } from '../src/platform/database/database.ts';
import type { Jobs } from '../src/platform/jobs/jobs.ts';
import { StoredJobs, type StoredJobsOptions } from '../src/platform/jobs/stored-jobs.ts';
import type { JobTables } from '../src/platform/jobs/tables.ts';
import type { JobsVariant } from './jobs-conformance.ts';
import { ManualTime } from './manual-time.ts';

/** After this many looks, something happens all the time. */
const maxRounds = 300;

type ProcessOptions = Omit<StoredJobsOptions, 'offers'>;

/** The service that hands jobs out besides the database; nothing for the variant without another service. */
export interface JobEngine {
  newJobs(options: ProcessOptions): Promise<Jobs>;
  /** The clock of the database has moved. */
  advance(nowMs: number): Promise<void>;
  /** Resolves to a text that stays the same once nothing happens any more. */
  look(database: Database<JobTables>, nowMs: number): Promise<string>;
  kill(jobs: Jobs): void;
  close(): Promise<void>;
}

const embedded: JobEngine = {
  newJobs: async (options) => new StoredJobs({ ...options, offers: null }),
  advance: async () => undefined,
  look: async () => '',
  kill: () => undefined,
  close: async () => undefined,
};

/** Processes that share one database and its clock. Each has its own timers. */
export class JobFleet {
  readonly databaseClock = new ManualTime();
  /** The connection of the test itself. */
  readonly database: Database<JobTables>;
  readonly #engine: JobEngine;
  readonly #connect: () => Promise<Database<unknown>>;
  readonly #connections: Database<JobTables>[] = [];
  readonly #times = new Map<Jobs, ManualTime>();
  readonly #stopped = new Set<Jobs>();

  static async open(
    connect: () => Promise<Database<unknown>>,
    engine: JobEngine = embedded,
  ): Promise<JobFleet> {
    return new JobFleet(connect, (await connect()).withTables(), engine);
  }

  private constructor(
    connect: () => Promise<Database<unknown>>,
    database: Database<JobTables>,
    engine: JobEngine,
  ) {
    this.#engine = engine;
    this.#connect = connect;
    this.database = database;
    this.#connections.push(database);
  }

  asVariant(): JobsVariant {
    return {
      database: this.database.withTables(),
      now: this.databaseClock.now,
      newProcess: async () => (await this.newProcess()).jobs,
      kill: (jobs) => {
        this.stop(jobs);
        this.#engine.kill(jobs);
      },
      pass: (forMs) => this.pass(forMs),
      close: () => this.close(),
    };
  }

  async newProcess(options: Partial<ProcessOptions> = {}): Promise<{ jobs: Jobs; time: ManualTime }> {
    const time = new ManualTime(0);
    const jobs = await this.#engine.newJobs({
      isAlone: false,
      report: () => undefined,
      timer: time.timer,
      databaseTime: () => sql<number>`cast(${this.databaseClock.now()} as bigint)`,
      random: () => 0.5,
      ...options,
      database: options.database ?? (await this.#newConnection()),
    });
    this.#times.set(jobs, time);
    return { jobs, time };
  }

  /** Its time stands still, as in a process that was stopped or killed. */
  stop(jobs: Jobs): void {
    this.#stopped.add(jobs);
  }

  resume(jobs: Jobs): void {
    this.#stopped.delete(jobs);
  }

  async pass(forMs: number): Promise<void> {
    const stepMs = Math.max(250, forMs / 50);
    for (let elapsedMs = 0; elapsedMs < forMs; elapsedMs += stepMs) {
      this.databaseClock.advance(stepMs);
      for (const [jobs, time] of this.#times) if (!this.#stopped.has(jobs)) time.advance(stepMs);
      await this.#engine.advance(this.databaseClock.now());
      await this.settle();
    }
  }

  /** Waits until started work has finished: a query on each connection is answered after those before it. */
  async settle(): Promise<void> {
    let seen = '';
    let same = 0;
    for (let round = 0; round < maxRounds && same < 6; round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all(this.#connections.map(({ read }) => sql`select 1`.execute(read)));
      const now = await this.#engine.look(this.database, this.databaseClock.now());
      same = now === seen ? same + 1 : 0;
      seen = now;
    }
  }

  async close(): Promise<void> {
    await this.#engine.close();
    await Promise.all(this.#connections.map((database) => database.close()));
  }

  async #newConnection(): Promise<Database<JobTables>> {
    const database: Database<JobTables> = (await this.#connect()).withTables();
    this.#connections.push(database);
    return database;
  }
}
