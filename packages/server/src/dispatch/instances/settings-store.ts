import type { Settings } from '@switchyard/contract/dispatch/settings';
import type { AuditPart } from '../../platform/audit/audit.ts';
import type { Database } from '../../platform/database/database.ts';
import type { DispatchTables } from '../tables.ts';
import { syncInstances } from './instance-store.ts';
import { initialSettings } from './settings.ts';

const id = 'dispatch';

export class SettingsStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  async get(): Promise<Settings> {
    const row = await this.#database.read
      .selectFrom('settings')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) return initialSettings;
    return { ...(JSON.parse(row.value) as Omit<Settings, 'version'>), version: row.version };
  }

  /**
   * Replaces the settings at `expectedVersion`, together with the rows of the instances. Returns null and writes
   * nothing when someone else has changed them in between.
   */
  async replace(
    settings: Omit<Settings, 'version'>,
    change: { expectedVersion: number; at: string; by: string | null; alongside: AuditPart },
  ): Promise<Settings | null> {
    return this.#database.write(async (trx) => {
      const next: Settings = { ...settings, version: change.expectedVersion + 1 };
      const columns = {
        version: next.version,
        value: JSON.stringify(settings),
        updatedAt: change.at,
        updatedBy: change.by,
      };
      const written =
        change.expectedVersion === 0
          ? await trx
              .insertInto('settings')
              .values({ id, ...columns })
              .onConflict((conflict) => conflict.doNothing())
              .executeTakeFirst()
              .then((result) => result.numInsertedOrUpdatedRows)
          : await trx
              .updateTable('settings')
              .set(columns)
              .where('id', '=', id)
              .where('version', '=', change.expectedVersion)
              .executeTakeFirst()
              .then((result) => result.numUpdatedRows);
      if (written !== 1n) return null;
      await syncInstances(trx, next, change.at);
      await change.alongside(trx);
      return next;
    });
  }
}
