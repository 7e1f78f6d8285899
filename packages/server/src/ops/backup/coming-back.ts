import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../platform/database/database.ts';
import { type DatabaseOptions, openToRead } from '../../platform/database/open.ts';
import type { StoredDatabase } from '../stored-database.ts';
import { parts } from './backup-manifest.ts';
import { BackupRowsStore } from './backup-rows-store.ts';
import type { FoundBackup } from './read-backup.ts';

/**
 * Returns where the gateway as it was later can be read: at the place that the caller names, or in the latest backup of the same
 * folder. Null when this backup is the latest one.
 */
export async function laterState(
  { folder, name }: FoundBackup,
  place: string | undefined,
): Promise<StoredDatabase | null> {
  if (place === undefined) {
    const latest = (await folder.names()).at(-1);
    if (latest === undefined || latest === name) return null;
    return { backend: 'sqlite', file: folder.partOf(latest, parts.database) };
  }
  if (/^postgres(ql)?:\/\//.test(place)) return { backend: 'postgres', url: place, poolSize: 1 };
  const file = [place, join(place, 'switchyard.db'), join(place, 'data', 'switchyard.db')].find(
    (path) => path.endsWith('.db') && existsSync(path),
  );
  if (file === undefined)
    throw new Error(
      `There is no database at ${place} to compare with. Name a data home or the URL of a database.`,
    );
  return { backend: 'sqlite', file };
}

/** Names the accounts and tokens of a copy that are gone or locked in the later state. */
export async function comingBack(copy: Database<unknown>, later: DatabaseOptions): Promise<string[]> {
  const database = await openToRead(later);
  try {
    const [then, now] = [new BackupRowsStore(copy), new BackupRowsStore(database)];
    const [accounts, accountsNow] = [await then.accounts(), await now.accounts()];
    const [tokens, tokensNow] = [await then.tokens(), await now.tokens()];
    const lines: string[] = [];
    for (const [id, { email, disabled }] of accounts) {
      const found = accountsNow.get(id);
      if (!found) lines.push(`the account ${email}, which was deleted`);
      else if (found.disabled && !disabled) lines.push(`the account ${email}, which was disabled`);
    }
    for (const [id, { userId, name }] of tokens) {
      const owner = accounts.get(userId)?.email ?? userId;
      if (!tokensNow.has(id)) lines.push(`the token "${name}" of ${owner}, which was revoked`);
    }
    return lines;
  } finally {
    await database.close();
  }
}
