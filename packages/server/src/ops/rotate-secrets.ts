import { existsSync, realpathSync, statSync } from 'node:fs';
import { keyFileText, parseKeyFile, rotated } from '../accounts/secrets/key-file.ts';
import { writePrivateFile } from '../accounts/secrets/private-file.ts';
import { factsOf, keyFileOf, readKeyFile } from '../accounts/secrets/signing-keys.ts';
import type { Config } from '../config/schema.ts';
import type { Clock } from '../lib/clock.ts';
import { dayMs, hourMs } from '../lib/time-units.ts';
import { Audit, systemActor } from '../platform/audit/audit.ts';
import { AuditStore } from '../platform/audit/audit-store.ts';
import type { AuditTables } from '../platform/audit/tables.ts';
import { openDatabase } from '../platform/database/open.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { databaseOptions, secretSource } from './options-of-config.ts';

/** The audit record has the names of secrets, which do not reveal them. */
export interface Rotation {
  path: string;
  /** The oldest comes first, the new one last. */
  secrets: ReturnType<typeof factsOf>[];
}

/** Gives the gateway another secret, beside it while it runs. What the former ones have signed stays valid for the overlap. */
export async function rotateSecrets({
  config,
  file,
  overlapMs = maxLifeMs(config),
  leadMs,
  clock,
  log,
}: {
  config: Config;
  /** A copy of the file, which the operator puts in place; absent for the file of the gateway itself. */
  file?: string | undefined;
  overlapMs?: number | undefined;
  leadMs: number;
  clock: Clock;
  log: Logger;
}): Promise<Rotation> {
  const source =
    file === undefined ? secretSource(config) : { given: null, givenFile: file, home: config.data_home };
  const path = existing(keyFileOf(source));
  requireSameUser(path);
  const former = parseKeyFile(readKeyFile(source) ?? '', path);
  const secrets = rotated(former, { nowMs: clock(), leadMs, overlapMs });
  const rotation = { path, secrets: secrets.map(factsOf) };
  // Renamed into place, and the former secrets are in it: a crash leaves the one file or the other, and loses nothing.
  const write = () => writePrivateFile(path, keyFileText(secrets));
  if (file === undefined) await withRecord(rotation, { config, clock, log, write });
  else write();
  return rotation;
}

/** No one is signed out when everything that a former secret has signed expires first. Links end at a full hour. */
function maxLifeMs({ auth }: Config): number {
  return Math.max(auth.session_ttl, auth.dispatch_token_ttl, dayMs) + hourMs;
}

function existing(path: string | null): string {
  if (path === null)
    throw new Error(
      'The secret is given as auth.jwt_secret (AUTH_JWT_SECRET), which this command cannot change. Write it into a file that every replica sees, name that file as auth.jwt_secret_file, and restart: nothing is lost by that. Then run this command again.',
    );
  if (existsSync(path)) return realpathSync(path);
  throw new Error(`There is no secret at ${path}. Start the gateway once; it makes one.`);
}

/** The new file belongs to the user of the command. The gateway could not read it as another one. */
function requireSameUser(path: string): void {
  const { uid } = statSync(path);
  if (process.getuid === undefined || process.getuid() === uid) return;
  throw new Error(
    `${path} belongs to user ${uid}, and the new file would not. Run the command as that user: sudo -u '#${uid}' switchyard secrets rotate.`,
  );
}

/** The record is committed after the file is in place. A gateway that has never started has no records. */
async function withRecord(
  { secrets }: Rotation,
  { config, clock, log, write }: { config: Config; clock: Clock; log: Logger; write: () => void },
): Promise<void> {
  const options = databaseOptions(config, log);
  if (options.backend === 'memory' || (options.backend === 'sqlite' && !existsSync(options.file)))
    return write();
  const database = (await openDatabase(options)).withTables<AuditTables>();
  try {
    const store = new AuditStore(database);
    if (!(await store.exists())) return write();
    await database.write(async (trx) => {
      await new Audit(store, clock).record(trx, systemActor('secrets rotate'), {
        action: 'secrets.rotated',
        target: null,
        details: {
          secret: secrets.at(-1)?.id,
          signs_from: secrets.at(-1)?.signsFrom,
          former: secrets.slice(0, -1).map(({ id, acceptedUntil }) => `${id} until ${acceptedUntil}`),
        },
      });
      write();
    });
  } finally {
    await database.close();
  }
}
