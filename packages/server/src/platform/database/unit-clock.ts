import type { QueryExecutorProvider } from 'kysely';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from './database.ts';
import { databaseNowMs } from './database-time.ts';

/** Returns the present moment in a unit that decides by it, after the unit has its locks. */
export type UnitClock = (trx: QueryExecutorProvider) => Promise<number>;

/**
 * Asks the database itself. The clock of a process follows that of the database, so for some seconds after that was set two replicas
 * would decide differently. A database on this machine's disk has the clock of this machine.
 */
export function unitClock(database: Pick<Database<unknown>, 'dialect'>, clock: Clock): UnitClock {
  if (database.dialect === 'sqlite') return async () => clock();
  return (trx) => databaseNowMs(database, trx);
}
