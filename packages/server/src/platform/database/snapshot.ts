import type { Kysely } from 'kysely';
import type { Database } from './database.ts';

/** A database at one moment, for the stores that are made over it. */
export class Snapshot implements Database<unknown> {
  readonly backend: Database<unknown>['backend'];
  readonly dialect: Database<unknown>['dialect'];
  readonly read: Kysely<unknown>;

  constructor({ backend, dialect }: Pick<Database<unknown>, 'backend' | 'dialect'>, read: Kysely<unknown>) {
    this.backend = backend;
    this.dialect = dialect;
    this.read = read;
  }

  /** A snapshot inside a snapshot sees the same rows. */
  async snapshot<Result>(read: (frozen: Database<unknown>) => Promise<Result>): Promise<Result> {
    return read(this);
  }

  withTables<AreaTables>(): Database<AreaTables> {
    return this as unknown as Database<AreaTables>;
  }

  async write(): Promise<never> {
    throw new Error('A snapshot only reads. Hand the unit to database.write().');
  }

  writeOne(): Promise<never> {
    return this.write();
  }

  exclusive(): Promise<never> {
    return this.write();
  }

  /** It was asked when the snapshot began. */
  async ping(): Promise<void> {}

  /** The function that took the snapshot closes it when it returns. */
  async close(): Promise<void> {}
}

/** Runs reads over stores that all see the rows of one moment. */
export type ReadTogether<Stores> = <Result>(read: (stores: Stores) => Promise<Result>) => Promise<Result>;

/** Makes the stores that read together for each snapshot. */
export function readTogether<Tables, Stores>(
  database: Database<Tables>,
  storesOver: (frozen: Database<Tables>) => Stores,
): ReadTogether<Stores> {
  return (read) => database.snapshot((frozen) => read(storesOver(frozen)));
}
