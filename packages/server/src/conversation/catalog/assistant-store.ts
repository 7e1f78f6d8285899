import type { Insertable } from 'kysely';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { lockName } from '../../platform/database/dialect.ts';
import type { AssistantRow, AssistantTable, AssistantVersionRow, ConversationTables } from '../tables.ts';
import { userScope } from '../user-scope.ts';

type Trx = WriteTransaction<ConversationTables>;
export type AssistantContent = Pick<
  AssistantRow,
  'graph_id' | 'name' | 'description' | 'config' | 'context' | 'metadata'
>;

/** An assistant keeps this many versions. The oldest are removed first, but never the one in use. */
const versionsKept = 100;

/** The assistants that users have made, with their versions. Each user's are kept apart. */
export class AssistantStore {
  readonly #database: Database<ConversationTables>;

  constructor(database: Database<ConversationTables>) {
    this.#database = database;
  }

  async list(owner: Owner): Promise<AssistantRow[]> {
    return this.#database.read
      .selectFrom('assistants')
      .selectAll()
      .where('user_id', '=', userOf(owner))
      .orderBy('created_at', 'desc')
      .orderBy('assistant_id')
      .execute();
  }

  async get(owner: Owner, assistantId: string): Promise<AssistantRow | undefined> {
    return find(this.#database.read, owner, assistantId);
  }

  /** Returns the existing assistant when there is one. */
  async insert(
    owner: Owner,
    row: Omit<Insertable<AssistantTable>, 'user_id'>,
    { max }: { max: number },
  ): Promise<AssistantRow | undefined> {
    const user_id = userOf(owner);
    return this.#oneByOne(owner, async (trx) => {
      const present = await find(trx, owner, row.assistant_id);
      if (present) return present;
      const { count } = await trx
        .selectFrom('assistants')
        .where('user_id', '=', user_id)
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      if (Number(count) >= max) throw new AppError('assistant_limit');
      const { updated_at: _at, ...version } = row;
      await trx
        .insertInto('assistants')
        .values({ ...row, user_id })
        .execute();
      await trx
        .insertInto('assistant_versions')
        .values({ ...version, user_id })
        .execute();
      return undefined;
    });
  }

  /** Makes the next version from what `change` makes of the current one. */
  async change(
    owner: Owner,
    assistantId: string,
    { change, at }: { change: (present: AssistantRow) => AssistantContent; at: string },
  ): Promise<AssistantRow | undefined> {
    return this.#oneByOne(owner, async (trx) => {
      const present = await find(trx, owner, assistantId);
      if (!present) return undefined;
      const { graph_id, name, description, config, context, metadata } = change(present);
      const content = { graph_id, name, description, config, context, metadata };
      const version = (await newestVersion(trx, owner, assistantId)) + 1;
      const row = { ...present, ...content, version, updated_at: at };
      await update(trx, owner, row);
      await trx
        .insertInto('assistant_versions')
        .values({
          ...content,
          assistant_id: assistantId,
          user_id: present.user_id,
          version,
          created_at: at,
        })
        .execute();
      await trx
        .deleteFrom('assistant_versions')
        .where('user_id', '=', present.user_id)
        .where('assistant_id', '=', assistantId)
        .where('version', '<=', version - versionsKept)
        .execute();
      return row;
    });
  }

  async useVersion(
    owner: Owner,
    assistantId: string,
    { version, at }: { version: number; at: string },
  ): Promise<AssistantRow | undefined> {
    return this.#oneByOne(owner, async (trx) => {
      const present = await find(trx, owner, assistantId);
      const wanted = await trx
        .selectFrom('assistant_versions')
        .selectAll()
        .where('user_id', '=', userOf(owner))
        .where('assistant_id', '=', assistantId)
        .where('version', '=', version)
        .executeTakeFirst();
      if (!present || !wanted) return undefined;
      const row = { ...present, ...wanted, created_at: present.created_at, updated_at: at };
      await update(trx, owner, row);
      return row;
    });
  }

  /** Newest first. */
  async versions(owner: Owner, assistantId: string): Promise<AssistantVersionRow[]> {
    return this.#database.read
      .selectFrom('assistant_versions')
      .selectAll()
      .where('user_id', '=', userOf(owner))
      .where('assistant_id', '=', assistantId)
      .orderBy('version', 'desc')
      .execute();
  }

  async delete(owner: Owner, assistantId: string): Promise<boolean> {
    return this.#database.write(async (trx) => {
      const gone = await trx
        .deleteFrom('assistants')
        .where('user_id', '=', userOf(owner))
        .where('assistant_id', '=', assistantId)
        .executeTakeFirst();
      await trx
        .deleteFrom('assistant_versions')
        .where('user_id', '=', userOf(owner))
        .where('assistant_id', '=', assistantId)
        .execute();
      return gone.numDeletedRows > 0n;
    });
  }

  /** Changes of one user's assistants happen one after the other, because version numbers are counted upwards. */
  #oneByOne<Result>(owner: Owner, unit: (trx: Trx) => Promise<Result>): Promise<Result> {
    const { dialect } = this.#database;
    return this.#database.write(async (trx) => {
      await lockName(trx, { dialect, name: `assistants of ${userOf(owner)}`, isShared: false });
      return unit(trx);
    });
  }
}

async function find(
  db: Pick<Trx, 'selectFrom'>,
  owner: Owner,
  assistantId: string,
): Promise<AssistantRow | undefined> {
  return db
    .selectFrom('assistants')
    .selectAll()
    .where('user_id', '=', userOf(owner))
    .where('assistant_id', '=', assistantId)
    .executeTakeFirst();
}

/** Part of the unit that removes a user's data. */
export async function forgetAssistantsOfUser(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('assistant_versions').where('user_id', '=', userId).execute();
  await trx.deleteFrom('assistants').where('user_id', '=', userId).execute();
}

async function newestVersion(trx: Trx, owner: Owner, assistantId: string): Promise<number> {
  const row = await trx
    .selectFrom('assistant_versions')
    .select('version')
    .where('user_id', '=', userOf(owner))
    .where('assistant_id', '=', assistantId)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.version ?? 0;
}

async function update(trx: Trx, owner: Owner, row: AssistantRow): Promise<void> {
  const { assistant_id, graph_id, name, description, config, context, metadata, version, updated_at } = row;
  await trx
    .updateTable('assistants')
    .set({ graph_id, name, description, config, context, metadata, version, updated_at })
    .where('user_id', '=', userOf(owner))
    .where('assistant_id', '=', assistant_id)
    .execute();
}

function userOf(owner: Owner): string {
  const user = userScope(owner);
  if (user === null) throw new Error('Assistants are read for their user.');
  return user;
}
