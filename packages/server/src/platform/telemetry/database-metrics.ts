import type { ErrorCode } from '@switchyard/contract/errors';
import { AppError } from '../../lib/app-error.ts';
import type { Database, DatabaseMeter } from '../database/database.ts';
import { databaseSize } from '../database/database-size.ts';
import type { Metrics } from './metrics.ts';

const pingMs = 1_500;

/** The failures that are the database's own. */
const failureCodes: ReadonlySet<ErrorCode> = new Set([
  'database_busy',
  'database_unavailable',
  'storage_full',
]);

/** Counts what an engine does in this process. Waits end in metrics of seconds. */
export function databaseMeter({
  databaseWait,
  databaseBusy,
  databaseFailures,
}: Pick<Metrics, 'databaseWait' | 'databaseBusy' | 'databaseFailures'>): DatabaseMeter {
  return {
    waited: (ms) => databaseWait.observe(ms / 1000),
    worked: (ms) => databaseBusy.inc(ms / 1000),
    failed: (error) => {
      if (error instanceof AppError && failureCodes.has(error.code))
        databaseFailures.inc({ code: error.code });
    },
  };
}

/** Asks the database at each request of the metrics. */
export function watchDatabase(
  metrics: Pick<Metrics, 'databaseUp' | 'databaseSize' | 'databaseConnections' | 'fill'>,
  { database, connections }: { database: Database<unknown>; connections: number },
): void {
  metrics.databaseConnections.set(connections);
  metrics.fill(metrics.databaseSize, () => databaseSize(database));
  metrics.fill(metrics.databaseUp, () =>
    database.ping(pingMs).then(
      () => 1,
      () => 0,
    ),
  );
}
