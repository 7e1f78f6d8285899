import { type RawBuilder, sql } from 'kysely';
import { dayMs } from '../../lib/time-units.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import type { DatabaseTime } from '../database/database-time.ts';
import type { OwnershipTables } from './tables.ts';

/** A lease as a process sees it that wants to have it. */
export interface SeenLease {
  token: number;
  expiresAtMs: number;
  isFree: boolean;
  /** By the clock of the database; negative once the lease has expired. */
  remainingMs: number;
}

/** A lease that another process holds now. */
export interface ForeignLease extends LeaseName {
  expiresAtMs: number;
}

export interface LeaseName {
  key: string;
  token: number;
}

/**
 * Rows that were unused for so long are dropped. This is far more than a clock may be wrong by, because tokens restart
 * from the clock.
 */
const keepFreeMs = dayMs;
const keepLapsedMs = 30 * dayMs;
/** Keeps a statement well below the maximum number of parameters. */
const renewedAtOnce = 500;

export class LeaseStore {
  readonly #database: Database<OwnershipTables>;
  readonly #time: DatabaseTime;

  constructor(database: Database<OwnershipTables>, time: DatabaseTime) {
    this.#database = database;
    this.#time = time;
  }

  async look(key: string): Promise<SeenLease | null> {
    const row = await this.#database.read
      .selectFrom('leases')
      .select(['token', 'holder', 'expiresAtMs', this.#time().as('nowMs')])
      .where('key', '=', key)
      .executeTakeFirst();
    if (!row) return null;
    const { token, expiresAtMs, nowMs } = row;
    return { token, expiresAtMs, isFree: row.holder === null, remainingMs: expiresAtMs - nowMs };
  }

  /**
   * Takes the lease only if it has not changed since it was seen. Returns the new token, or null when another process
   * was faster. If many try at once, one gets it, and the others have changed nothing.
   */
  async take(
    key: string,
    seen: SeenLease | null,
    { holder, lifeMs }: { holder: string; lifeMs: number },
  ): Promise<number | null> {
    const expiresAtMs = this.#timeAfter(lifeMs);
    const { rows } = await this.#database.writeOne((db) =>
      seen
        ? db
            .updateTable('leases')
            .set({ token: seen.token + 1, holder, expiresAtMs })
            .where('key', '=', key)
            .where('token', '=', seen.token)
            .where('expiresAtMs', '=', seen.expiresAtMs)
            .where('holder', seen.isFree ? 'is' : 'is not', null)
            .returning('token')
        : db
            .insertInto('leases')
            .values({ key, token: this.#time(), holder, expiresAtMs })
            .onConflict((conflict) => conflict.doNothing())
            .returning('token'),
    );
    return rows[0]?.token ?? null;
  }

  /**
   * Renews for a full lifetime and returns those that are still ours. A lease that expired but was not taken is ours.
   */
  async renew(
    leases: LeaseName[],
    { holder, lifeMs }: { holder: string; lifeMs: number },
  ): Promise<LeaseName[]> {
    const renewed: LeaseName[] = [];
    for (let from = 0; from < leases.length; from += renewedAtOnce) {
      const keys = leases.slice(from, from + renewedAtOnce).map(({ key }) => key);
      const { rows } = await this.#database.writeOne((db) =>
        db
          .updateTable('leases')
          .set({ expiresAtMs: this.#timeAfter(lifeMs) })
          .where('key', 'in', keys)
          .where('holder', '=', holder)
          .returning(['key', 'token']),
      );
      renewed.push(...rows);
    }
    return renewed;
  }

  async giveBack({ key, token }: LeaseName): Promise<void> {
    await this.#database.writeOne((db) =>
      db
        .updateTable('leases')
        .set({ holder: null, expiresAtMs: this.#time() })
        .where('key', '=', key)
        .where('token', '=', token),
    );
  }

  /**
   * Returns true if the lease is current. This holds as long as `trx` lasts: on Postgres the row is locked, so that a
   * take-over waits for the end of the unit.
   */
  async isCurrent<Tables>(trx: WriteTransaction<Tables>, { key, token }: LeaseName): Promise<boolean> {
    const query = asOwn(trx)
      .selectFrom('leases')
      .select('token')
      .where('key', '=', key)
      .where('token', '=', token);
    const locked = this.#database.dialect === 'postgres' ? query.forShare() : query;
    return (await locked.executeTakeFirst()) !== undefined;
  }

  /** The leases that are held now, by key. */
  async current(limit: number): Promise<{ key: string; holder: string }[]> {
    const rows = await this.#database.read
      .selectFrom('leases')
      .select(['key', 'holder'])
      .where('holder', 'is not', null)
      .where('expiresAtMs', '>', this.#time())
      .orderBy('key')
      .limit(limit)
      .execute();
    return rows.map(({ key, holder }) => ({ key, holder: holder ?? '' }));
  }

  /** The leases of other processes whose keys begin with one of these, as long as they have not expired. */
  async heldElsewhere(prefixes: readonly string[], holder: string): Promise<ForeignLease[]> {
    return this.#database.read
      .selectFrom('leases')
      .select(['key', 'token', 'expiresAtMs'])
      .where('holder', '<>', holder)
      .where('expiresAtMs', '>', this.#time())
      .where((either) => either.or(prefixes.map((prefix) => either('key', 'like', `${prefix}%`))))
      .orderBy('key')
      .execute();
  }

  /** For a database that one process owns: all earlier holders are gone. */
  async freeAll(): Promise<void> {
    await this.#database.writeOne((db) =>
      db
        .updateTable('leases')
        .set({ holder: null, expiresAtMs: this.#time() })
        .where('holder', 'is not', null),
    );
  }

  async prune(): Promise<void> {
    await this.#database.writeOne((db) =>
      db
        .deleteFrom('leases')
        .where((either) =>
          either.or([
            either('holder', 'is', null).and('expiresAtMs', '<', this.#timeAfter(-keepFreeMs)),
            either('expiresAtMs', '<', this.#timeAfter(-keepLapsedMs)),
          ]),
        ),
    );
  }

  #timeAfter(delayMs: number): RawBuilder<number> {
    return sql<number>`(${this.#time()} + ${Math.round(delayMs)})`;
  }
}

/** The caller's transaction, typed with the tables of ownership. */
function asOwn<Tables>(trx: WriteTransaction<Tables>): WriteTransaction<OwnershipTables> {
  return trx as unknown as WriteTransaction<OwnershipTables>;
}
