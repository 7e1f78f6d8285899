import type { Selectable } from 'kysely';
import { type Owner, requireOwner } from '../../lib/owner.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import type { DispatchTables, UserDocumentTable } from '../tables.ts';

export type UserDocumentRow = Selectable<UserDocumentTable>;
export type DocumentFacts = Omit<UserDocumentRow, 'owner' | 'content' | 'version'>;

/** The state in which a write expects the document to be. `version` 0: it is not there. */
export type Expected = 'any' | { version: number };

const factsColumns = ['path', 'size', 'createdAt', 'modifiedAt'] as const;

/** Texts that programs store for their account. They belong to their user; even an administrator sees only their own. */
export class UserDocumentStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  async get(owner: Owner, path: string): Promise<UserDocumentRow | undefined> {
    return rowOf(this.#database.read, { user: userOf(owner), path });
  }

  /** Those whose path begins with this text, in the order of their paths. */
  async list(owner: Owner, prefix: string): Promise<DocumentFacts[]> {
    const rows = this.#database.read
      .selectFrom('user_documents')
      .select(factsColumns)
      .where('owner', '=', userOf(owner))
      .orderBy('path');
    // The slash is followed by 0 in the order of characters.
    return prefix === ''
      ? rows.execute()
      : rows
          .where('path', '>=', prefix)
          .where('path', '<', `${prefix.slice(0, -1)}0`)
          .execute();
  }

  /** Returns `changed` when the document is not as it was expected, and `full` when the owner would have too much. */
  async put(
    owner: Owner,
    document: Omit<UserDocumentRow, 'owner' | 'version' | 'createdAt'>,
    { expected, limits }: { expected: Expected; limits: { documents: number; bytes: number } },
  ): Promise<DocumentFacts | 'changed' | 'full'> {
    const user = userOf(owner);
    return this.#database.write(async (trx) => {
      const known = await rowOf(trx, { user, path: document.path });
      if (expected !== 'any' && (known?.version ?? 0) !== expected.version) return 'changed';
      const used = await usedBy(trx, user);
      const added = document.size - (known?.size ?? 0);
      if ((!known && used.documents >= limits.documents) || (added > 0 && used.bytes + added > limits.bytes))
        return 'full';
      const version = (known?.version ?? 0) + 1;
      const createdAt = known?.createdAt ?? document.modifiedAt;
      const written = await trx
        .insertInto('user_documents')
        .values({ ...document, owner: user, version, createdAt })
        .onConflict((conflict) =>
          conflict
            .columns(['owner', 'path'])
            .doUpdateSet({ ...document, version })
            .where('user_documents.version', '=', version - 1),
        )
        .executeTakeFirst();
      if (written.numInsertedOrUpdatedRows !== 1n) return 'changed';
      const { path, size, modifiedAt } = document;
      return { path, size, modifiedAt, createdAt };
    });
  }

  /** Returns `absent` when there is no such document, and `present` when the other path has one that stays. */
  async move(
    owner: Owner,
    { from, to, overwrite, modifiedAt }: { from: string; to: string; overwrite: boolean; modifiedAt: string },
  ): Promise<DocumentFacts | 'absent' | 'present'> {
    const user = userOf(owner);
    return this.#database.write(async (trx) => {
      const known = await rowOf(trx, { user, path: from });
      if (!known) return 'absent';
      if (from !== to) {
        if (!overwrite && (await rowOf(trx, { user, path: to }))) return 'present';
        await trx.deleteFrom('user_documents').where('owner', '=', user).where('path', '=', to).execute();
      }
      const moved = await trx
        .updateTable('user_documents')
        .set({ path: to, modifiedAt, version: known.version + 1 })
        .where('owner', '=', user)
        .where('path', '=', from)
        .where('version', '=', known.version)
        .executeTakeFirst();
      if (moved.numUpdatedRows !== 1n) return 'absent';
      return { path: to, size: known.size, createdAt: known.createdAt, modifiedAt };
    });
  }

  async delete(owner: Owner, path: string): Promise<boolean> {
    const user = userOf(owner);
    return this.#database.write(async (trx) => {
      const deleted = await trx
        .deleteFrom('user_documents')
        .where('owner', '=', user)
        .where('path', '=', path)
        .executeTakeFirst();
      return deleted.numDeletedRows === 1n;
    });
  }
}

/** Part of the unit that deletes an account. */
export async function forgetDocumentsOf<Tables>(
  trx: WriteTransaction<Tables>,
  userId: string,
): Promise<void> {
  const own = trx as unknown as WriteTransaction<DispatchTables>;
  await own.deleteFrom('user_documents').where('owner', '=', userId).execute();
}

function userOf(owner: Owner): string {
  const checked = requireOwner(owner);
  if ('user' in checked) return checked.user;
  throw new Error('Documents belong to a user.');
}

type Db = Pick<WriteTransaction<DispatchTables>, 'selectFrom'>;

async function rowOf(db: Db, { user, path }: { user: string; path: string }) {
  return db
    .selectFrom('user_documents')
    .selectAll()
    .where('owner', '=', user)
    .where('path', '=', path)
    .executeTakeFirst();
}

async function usedBy(db: Db, user: string): Promise<{ documents: number; bytes: number }> {
  const { documents, bytes } = await db
    .selectFrom('user_documents')
    .select(({ fn }) => [fn.countAll<number>().as('documents'), fn.sum<number | null>('size').as('bytes')])
    .where('owner', '=', user)
    .executeTakeFirstOrThrow();
  return { documents: Number(documents), bytes: Number(bytes) };
}
