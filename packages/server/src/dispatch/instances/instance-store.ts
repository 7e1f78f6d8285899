import type { ServerDefinition, Settings } from '@switchyard/contract/dispatch/settings';
import { instanceIdOf } from '@switchyard/contract/dispatch/worker-address';
import type { Insertable, Kysely, Selectable, Transaction } from 'kysely';
import { newId } from '../../lib/ids.ts';
import type { AuditPart } from '../../platform/audit/audit.ts';
import type { Database } from '../../platform/database/database.ts';
import { Prepared } from '../../platform/database/prepared.ts';
import type { DispatchTables, InstanceTable } from '../tables.ts';
import { builtInServerId } from './settings.ts';

export type InstanceRow = Selectable<InstanceTable>;
type Trx = Transaction<DispatchTables>;

/** The columns that the replica in charge of an instance writes. */
export interface InstanceChange {
  token: number;
  columns: LiveColumns;
}

/** The state of an instance, as far as its row has it. */
export type LiveColumns = Pick<
  InstanceRow,
  | 'alive'
  | 'busy'
  | 'state'
  | 'lastHeartbeat'
  | 'queueRemaining'
  | 'currentTaskId'
  | 'version'
  | 'devices'
  | 'system'
  | 'lastError'
  | 'lastErrorSentences'
  | 'since'
>;

export interface Capabilities {
  nodeClasses: string[];
  /** The files that a worker offers, by `<class>.<input>`. */
  models: Record<string, string[]>;
  updatedAt: string;
}

/** Instances have no owner: every user may see them, and only the configuration creates them. */
export class InstanceStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  async list(): Promise<InstanceRow[]> {
    return this.#database.read
      .selectFrom('instances')
      .selectAll()
      .orderBy('serverId')
      .orderBy('id')
      .execute();
  }

  async get(instanceId: string): Promise<InstanceRow | undefined> {
    return this.#database.read
      .selectFrom('instances')
      .selectAll()
      .where('id', '=', instanceId)
      .executeTakeFirst();
  }

  async setEnabled(
    instanceId: string,
    { enabled, giveBack, alongside }: { enabled: boolean; giveBack: boolean; alongside: AuditPart },
  ): Promise<void> {
    await this.#database.write(async (trx) => {
      await trx
        .updateTable('instances')
        .set({ enabled: enabled ? 1 : 0, giveBack: giveBack ? 1 : 0 })
        .where('id', '=', instanceId)
        .execute();
      await alongside(trx);
    });
  }

  /** The replica in charge has interrupted what ran on it. */
  async clearGiveBack(instanceId: string): Promise<void> {
    await this.#database.write((trx) =>
      trx.updateTable('instances').set({ giveBack: 0 }).where('id', '=', instanceId).execute(),
    );
  }

  /**
   * Gives the instance a new token, so that no writer with an earlier one changes it or claims a task for it any more.
   * `confirm` throws unless the caller is the dispatcher. Returns null when there is no such instance.
   */
  async takeCharge(
    instanceId: string,
    { confirm, nowMs }: { confirm: (trx: Trx) => Promise<void>; nowMs: number },
  ): Promise<number | null> {
    return this.#database.write(async (trx) => {
      await confirm(trx);
      const row = await trx
        .selectFrom('instances')
        .select('token')
        .where('id', '=', instanceId)
        .$if(this.#database.dialect === 'postgres', (query) => query.forUpdate())
        .executeTakeFirst();
      if (!row) return null;
      // Times keep apart the tokens of an instance that was removed and came back.
      const token = Math.max(row.token + 1, nowMs);
      await trx.updateTable('instances').set({ token }).where('id', '=', instanceId).execute();
      return token;
    });
  }

  /**
   * Changes only instances whose token is still the given one. Each has a unit of its own: claims wait for its row, and should not
   * wait until the rows of all others are free.
   */
  async changeMany(changes: ReadonlyMap<string, InstanceChange>): Promise<void> {
    const units = [...changes].map(([id, { token, columns }]) =>
      this.#database.write(async (_trx, lastly) => lastly(changedInstance.bind({ ...columns, id, token }))),
    );
    await Promise.all(units);
  }

  /**
   * Returns false while a task is still on it. A claim for it waits for the row that is deleted here, and then finds
   * none.
   */
  async deleteRemoved(instanceId: string): Promise<boolean> {
    return this.#database.write(async (trx) => {
      const row = await trx
        .selectFrom('instances')
        .select('id')
        .where('id', '=', instanceId)
        .where('removed', '=', 1)
        .$if(this.#database.dialect === 'postgres', (query) => query.forUpdate())
        .executeTakeFirst();
      if (!row || (await hasUnfinishedTask(trx, instanceId))) return false;
      await trx.deleteFrom('instances').where('id', '=', instanceId).execute();
      await trx.deleteFrom('instance_capabilities').where('instanceId', '=', instanceId).execute();
      await trx.deleteFrom('instance_object_infos').where('instanceId', '=', instanceId).execute();
      return true;
    });
  }

  async putBuiltIn(address: { ip: string; port: number; name: string }, at: string): Promise<string> {
    const server: ServerDefinition = {
      id: builtInServerId,
      name: address.name,
      kind: 'reference',
      instances: [{ ip: address.ip, port: address.port }],
    };
    await this.#database.write(async (trx) => {
      await syncServers(trx, [server], { at, mayRemove: (row) => row.serverId === builtInServerId });
    });
    return instanceIdOf(address);
  }

  async removeBuiltIn(at: string): Promise<void> {
    await this.#database.write((trx) =>
      syncServers(trx, [], { at, mayRemove: (row) => row.serverId === builtInServerId }),
    );
  }

  /**
   * Returns undefined until the worker has reported once. This is some megabytes of text on real workers, so read it
   * only when it is needed.
   */
  async capabilitiesOf(instanceId: string): Promise<Capabilities | undefined> {
    const row = await this.#database.read
      .selectFrom('instance_capabilities')
      .selectAll()
      .where('instanceId', '=', instanceId)
      .executeTakeFirst();
    if (!row) return undefined;
    return {
      nodeClasses: JSON.parse(row.nodeClasses) as string[],
      models: JSON.parse(row.models) as Record<string, string[]>,
      updatedAt: row.updatedAt,
    };
  }

  async putCapabilities(instanceId: string, capabilities: Capabilities): Promise<void> {
    const columns = {
      nodeClasses: JSON.stringify(capabilities.nodeClasses),
      models: JSON.stringify(capabilities.models),
      updatedAt: capabilities.updatedAt,
    };
    await this.#database.write((trx) =>
      trx
        .insertInto('instance_capabilities')
        .values({ instanceId, ...columns })
        .onConflict((conflict) => conflict.column('instanceId').doUpdateSet(columns))
        .execute(),
    );
  }
}

async function hasUnfinishedTask(trx: Trx, instanceId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('tasks')
    .select('id')
    .where('instanceId', '=', instanceId)
    .where('finishedAt', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Called in the write that replaces the configuration, so that rows and configuration never disagree. */
export async function syncInstances(trx: Trx, settings: Settings, at: string): Promise<void> {
  await syncServers(trx, settings.servers, { at, mayRemove: (row) => row.serverId !== builtInServerId });
}

async function syncServers(
  trx: Trx,
  servers: readonly ServerDefinition[],
  options: { at: string; mayRemove: (row: InstanceRow) => boolean },
): Promise<void> {
  const existing = new Map(
    (await trx.selectFrom('instances').selectAll().execute()).map((row) => [row.id, row]),
  );
  for (const server of servers) {
    for (const instance of server.instances) {
      const id = instanceIdOf(instance);
      const row = existing.get(id);
      existing.delete(id);
      const columns = {
        serverId: server.id,
        serverName: server.name,
        kind: server.kind,
        tags: JSON.stringify(server.tags ?? []),
        weight: instance.weight ?? 1,
        removed: 0,
        enabled: enabledFlag(instance.enabled, row),
      };
      if (row) await trx.updateTable('instances').set(columns).where('id', '=', id).execute();
      else
        await trx
          .insertInto('instances')
          .values({ ...newInstance(id, instance, options.at), ...columns })
          .execute();
    }
  }
  const gone = [...existing.values()].filter(options.mayRemove).map((row) => row.id);
  if (gone.length > 0) {
    await trx.updateTable('instances').set({ removed: 1 }).where('id', 'in', gone).execute();
  }
}

/** An instance without the flag keeps the flag it has; a new one, or one that comes back, is enabled. */
function enabledFlag(given: boolean | undefined, row: InstanceRow | undefined): number {
  if (given !== undefined) return given ? 1 : 0;
  return row && row.removed === 0 ? row.enabled : 1;
}

function newInstance(
  id: string,
  { ip, port }: { ip: string; port: number },
  at: string,
): Insertable<InstanceTable> {
  return {
    id,
    serverId: '',
    serverName: '',
    kind: 'comfyui',
    ip,
    port,
    weight: 1,
    tags: '[]',
    enabled: 1,
    removed: 0,
    alive: 0,
    busy: 0,
    state: 'checking',
    lastHeartbeat: null,
    since: at,
    lastError: null,
    lastErrorSentences: null,
    version: null,
    devices: '[]',
    system: null,
    queueRemaining: null,
    currentTaskId: null,
    clientId: `switchyard-${newId()}`,
    token: 0,
    giveBack: 0,
  };
}

const changedInstance = new Prepared(
  (db: Kysely<DispatchTables>, { id, token, ...columns }: LiveColumns & { id: string; token: number }) =>
    db.updateTable('instances').set(columns).where('id', '=', id).where('token', '=', token),
);
