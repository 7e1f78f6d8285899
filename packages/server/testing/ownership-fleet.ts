import { sql } from 'kysely';
import type { Database } from '../src/platform/database/database.ts';
import { Ownership, type OwnershipOptions } from '../src/platform/ownership/ownership.ts';
import type { OwnershipTables } from '../src/platform/ownership/tables.ts';
import { aroundWrites } from './around-writes.ts';
import { ManualTime } from './manual-time.ts';

export interface OwnershipStorage {
  /** Connects another process to the same database, which has its tables. */
  connect(): Promise<Database<OwnershipTables>>;
  close(): Promise<void>;
  /** The number of processes that compete in the tests with many. */
  contenders: number;
}

export const leaseLifeMs = 15_000;

/** A replica with its own timers and steady clock. It is paused by not letting its time pass. */
interface Process {
  ownership: Ownership;
  time: ManualTime;
}

/** Processes that share one database and its clock. */
export class Fleet {
  readonly databaseClock = new ManualTime();
  /** The connection of the test itself. */
  readonly database: Database<OwnershipTables>;
  readonly #storage: OwnershipStorage;
  readonly #processes: Process[] = [];
  readonly #connections: Database<OwnershipTables>[] = [];

  static async open(storage: OwnershipStorage): Promise<Fleet> {
    return new Fleet(storage, await storage.connect());
  }

  private constructor(storage: OwnershipStorage, database: Database<OwnershipTables>) {
    this.#storage = storage;
    this.database = database;
  }

  async newProcess(options: Partial<OwnershipOptions> = {}): Promise<Process> {
    const time = new ManualTime(0);
    const database = options.database ?? (await this.#connect());
    const ownership = new Ownership({
      leaseLifeMs,
      timer: time.timer,
      steadyClock: time.now,
      databaseTime: () => sql<number>`cast(${this.databaseClock.now()} as bigint)`,
      random: () => 0,
      ...options,
      database,
    });
    const process = { ownership, time };
    this.#processes.push(process);
    return process;
  }

  /** Lets time pass for a process and its database in small steps, including what it starts meanwhile. */
  async pass(time: ManualTime, forMs: number): Promise<void> {
    const stepMs = 250;
    for (let elapsedMs = 0; elapsedMs < forMs; elapsedMs += stepMs) {
      this.databaseClock.advance(stepMs);
      time.advance(stepMs);
      await this.settle();
    }
  }

  /** Waits until started work has finished: a query on each connection is answered after those before it. */
  async settle(): Promise<void> {
    for (let round = 0; round < 6; round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all([this.database, ...this.#connections].map(({ read }) => sql`select 1`.execute(read)));
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map(({ ownership }) => ownership.close()));
  }

  async #connect(): Promise<Database<OwnershipTables>> {
    const database = await this.#storage.connect();
    this.#connections.push(database);
    return database;
  }
}

/** The real database, whose writes fail or hang on demand. */
export function failing(database: Database<OwnershipTables>) {
  let mode: 'works' | 'fails' | 'hangs' = 'works';
  const double = aroundWrites(database, (write) => {
    if (mode === 'fails') return Promise.reject(new Error('connection refused'));
    if (mode === 'hangs') return new Promise<never>(() => undefined);
    return write();
  });
  return {
    database: double,
    fail: () => {
      mode = 'fails';
    },
    hang: () => {
      mode = 'hangs';
    },
    heal: () => {
      mode = 'works';
    },
  };
}
