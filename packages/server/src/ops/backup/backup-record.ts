import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { writePrivateFile } from '../../accounts/secrets/private-file.ts';
import type { Log } from '../../lib/log.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';

/** A backup is a process of its own, which may not write to the database of a gateway at work. So a file tells the gateway how it ended. */
export const backupRecordFile = 'last-backup.json';

const recordSchema = Type.Object({
  /** The last backup in which everything is; null before the first one. */
  good: Type.Union([
    Type.Null(),
    Type.Object({ takenAtMs: Type.Number(), tookSeconds: Type.Number(), bytes: Type.Number() }),
  ]),
  /** The backups since then that failed, or that lack a file. */
  failures: Type.Integer({ minimum: 0 }),
});
type BackupRecord = Static<typeof recordSchema>;

/** Notes how a backup has ended; null for one that is not good. A record that cannot be written does not make the backup fail. */
export async function noteBackup(
  home: string,
  good: BackupRecord['good'],
  log: Pick<Log, 'warn'>,
): Promise<void> {
  if (!existsSync(home)) return;
  try {
    const before = await recordIn(home);
    const record = good === null ? { ...before, failures: before.failures + 1 } : { good, failures: 0 };
    writePrivateFile(join(home, backupRecordFile), `${JSON.stringify(record)}\n`);
  } catch (err) {
    log.warn(
      { err },
      'How the backup ended could not be noted, so the metrics of the gateway do not show it',
    );
  }
}

export function watchBackups(
  metrics: Pick<Metrics, 'fill' | 'backupTaken' | 'backupSeconds' | 'backupBytes' | 'backupFailures'>,
  home: string,
): void {
  const { backupTaken, backupSeconds, backupBytes, backupFailures } = metrics;
  const ofGood = (read: (good: NonNullable<BackupRecord['good']>) => number) => async () => {
    const { good } = await recordIn(home);
    return good && read(good);
  };
  metrics.fill(
    backupTaken,
    ofGood(({ takenAtMs }) => takenAtMs / 1_000),
  );
  metrics.fill(
    backupSeconds,
    ofGood(({ tookSeconds }) => tookSeconds),
  );
  metrics.fill(
    backupBytes,
    ofGood(({ bytes }) => bytes),
  );
  metrics.fill(backupFailures, async () => {
    const { good, failures } = await recordIn(home);
    return good === null && failures === 0 ? null : failures;
  });
}

/** A damaged record counts as none: the next backup writes it again. */
async function recordIn(home: string): Promise<BackupRecord> {
  const none: BackupRecord = { good: null, failures: 0 };
  try {
    const record: unknown = JSON.parse(await readFile(join(home, backupRecordFile), 'utf8'));
    return Value.Check(recordSchema, record) ? record : none;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return none;
    throw error;
  }
}
