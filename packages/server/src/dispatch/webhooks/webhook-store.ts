import type { Insertable, Kysely, Selectable, Updateable } from 'kysely';
import { AppError } from '../../lib/app-error.ts';
import { type Owner, requireOwner } from '../../lib/owner.ts';
import type { AuditPart } from '../../platform/audit/audit.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { Prepared } from '../../platform/database/prepared.ts';
import type { DispatchTables, WebhookDeliveryTable, WebhookTable } from '../tables.ts';

export type WebhookRow = Selectable<WebhookTable>;
export type DeliveryRow = Selectable<WebhookDeliveryTable>;

/** Webhooks belong to their user; even an administrator sees only their own. */
export class WebhookStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  async insert(
    owner: Owner,
    row: Insertable<WebhookTable>,
    { max, alongside }: { max: number; alongside: AuditPart },
  ): Promise<void> {
    requireOwner(owner);
    await this.#database.write(async (trx) => {
      const present = await trx.selectFrom('webhooks').select('id').where('owner', '=', row.owner).execute();
      if (present.length >= max) throw new AppError('webhook_limit');
      await trx.insertInto('webhooks').values(row).execute();
      await alongside(trx);
    });
  }

  async list(owner: Owner): Promise<WebhookRow[]> {
    return this.#database.read
      .selectFrom('webhooks')
      .selectAll()
      .where('owner', '=', userOf(owner))
      .orderBy('id')
      .execute();
  }

  async get(owner: Owner, webhookId: string): Promise<WebhookRow | undefined> {
    return this.#database.read
      .selectFrom('webhooks')
      .selectAll()
      .where('owner', '=', userOf(owner))
      .where('id', '=', webhookId)
      .executeTakeFirst();
  }

  async change(
    owner: Owner,
    webhookId: string,
    { columns, alongside }: { columns: Updateable<WebhookTable>; alongside: AuditPart },
  ): Promise<boolean> {
    return this.#database.write(async (trx) => {
      const changed = await trx
        .updateTable('webhooks')
        .set(columns)
        .where('owner', '=', userOf(owner))
        .where('id', '=', webhookId)
        .executeTakeFirst();
      if (changed.numUpdatedRows === 0n) return false;
      await alongside(trx);
      return true;
    });
  }

  async delete(owner: Owner, webhookId: string, alongside: AuditPart): Promise<boolean> {
    return this.#database.write(async (trx) => {
      const gone = await trx
        .deleteFrom('webhooks')
        .where('owner', '=', userOf(owner))
        .where('id', '=', webhookId)
        .executeTakeFirst();
      if (gone.numDeletedRows === 0n) return false;
      await trx.deleteFrom('webhook_deliveries').where('webhookId', '=', webhookId).execute();
      await alongside(trx);
      return true;
    });
  }

  async deliveries(
    owner: Owner,
    webhookId: string,
    page: { limit: number; offset: number },
  ): Promise<{ total: number; rows: DeliveryRow[] }> {
    return this.#database.snapshot(async ({ read }) => {
      const found = read
        .selectFrom('webhook_deliveries')
        .where('owner', '=', userOf(owner))
        .where('webhookId', '=', webhookId);
      const newest = found.selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset);
      const count = found.select((select) => select.fn.countAll<number>().as('total'));
      return {
        rows: await newest.execute(),
        total: Number((await count.executeTakeFirstOrThrow()).total),
      };
    });
  }

  async delivery(deliveryId: string): Promise<DeliveryRow | undefined> {
    return this.#database.read
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('id', '=', deliveryId)
      .executeTakeFirst();
  }

  /** Returns the span around a task; undefined when none is stored, or the task is gone. */
  async traceparentOfTask(taskId: string): Promise<string | null | undefined> {
    const row = await this.#database.read
      .selectFrom('tasks')
      .select('traceparent')
      .where('id', '=', taskId)
      .executeTakeFirst();
    return row?.traceparent;
  }

  /** Writes a delivery and the resulting health of its webhook in one write. */
  async note(
    delivery: DeliveryRow,
    columns: Updateable<WebhookDeliveryTable>,
    hook: { failures: 'reset' | 'count' | 'keep'; disable: boolean; at: string },
  ): Promise<void> {
    await this.#database.write(async (trx) => {
      await trx.updateTable('webhook_deliveries').set(columns).where('id', '=', delivery.id).execute();
      if (delivery.webhookId === null || (hook.failures === 'keep' && !hook.disable)) return;
      await trx
        .updateTable('webhooks')
        .set((update) => ({
          failures:
            hook.failures === 'reset' ? 0 : update('failures', '+', hook.failures === 'count' ? 1 : 0),
          updatedAt: hook.at,
          ...(hook.disable && { enabled: 0 }),
        }))
        .where('id', '=', delivery.webhookId)
        .execute();
    });
  }

  async deleteDeliveriesBefore(at: string): Promise<void> {
    await this.#database.write((trx) =>
      trx.deleteFrom('webhook_deliveries').where('createdAt', '<', at).execute(),
    );
  }
}

/** Part of the write that ends a task: adds the calls to make. */
export async function insertDelivery(trx: WriteTransaction<DispatchTables>, row: DeliveryRow): Promise<void> {
  await trx.insertInto('webhook_deliveries').values(row).execute();
}

export async function webhooksFor(
  trx: WriteTransaction<DispatchTables>,
  { owner, event }: { owner: string; event: string },
): Promise<WebhookRow[]> {
  const { rows } = await enabledHooks.run(trx, { owner });
  return rows.filter(({ events }) => (JSON.parse(events) as string[]).includes(event));
}

function userOf(owner: Owner): string {
  const checked = requireOwner(owner);
  if ('user' in checked) return checked.user;
  if ('admin' in checked) return checked.admin;
  throw new Error('Webhooks are read for their user.');
}

const enabledHooks = new Prepared((db: Kysely<DispatchTables>, { owner }: { owner: string }) =>
  db.selectFrom('webhooks').selectAll().where('owner', '=', owner).where('enabled', '=', 1),
);
