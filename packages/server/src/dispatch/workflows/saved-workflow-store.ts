import type { Insertable, Kysely, Selectable, Updateable } from 'kysely';
import { AppError } from '../../lib/app-error.ts';
import { type Owner, requireOwner } from '../../lib/owner.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { isUniqueViolation } from '../../platform/database/database-errors.ts';
import { Prepared } from '../../platform/database/prepared.ts';
import { checkTools, everyone, forgetSharesOfThings, mark } from '../shares/share-store.ts';
import type { DispatchTables, SavedWorkflowTable, SavedWorkflowVersionTable } from '../tables.ts';

export type SavedWorkflowRow = Selectable<SavedWorkflowTable>;
export type VersionRow = Selectable<SavedWorkflowVersionTable>;
type Trx = WriteTransaction<DispatchTables>;

export interface StoredWorkflow {
  row: SavedWorkflowRow;
  version: VersionRow;
}

export interface WorkflowChange {
  /** The version that the change was made from. */
  from: number;
  columns: Updateable<SavedWorkflowTable>;
  /** Null when the graph and its parameters do not change. */
  version: Insertable<SavedWorkflowVersionTable> | null;
  /** The notes of the version that the change was made from; undefined when they stay. */
  notes?: string | undefined;
}

/** Saved workflows belong to their user; even an administrator sees only their own. */
export class SavedWorkflowStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  async insert(owner: Owner, { row, version }: StoredWorkflow, { max }: { max: number }): Promise<void> {
    const user = userOf(owner);
    await this.#write(async (trx) => {
      await mark(trx, { owner: user });
      const { count } = await trx
        .selectFrom('saved_workflows')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('owner', '=', user)
        .executeTakeFirstOrThrow();
      if (Number(count) >= max) throw new AppError('workflow_limit');
      await trx.insertInto('saved_workflows').values(row).execute();
      await trx.insertInto('saved_workflow_versions').values(version).execute();
    });
  }

  async list(
    owner: Owner,
    { name, limit, offset }: { name?: string | undefined; limit: number; offset: number },
  ): Promise<{ total: number; rows: SavedWorkflowRow[] }> {
    const query = this.#database.read
      .selectFrom('saved_workflows')
      .where('owner', '=', userOf(owner))
      .$if(name !== undefined, (named) => named.where('name', '=', name ?? ''));
    const [rows, { total }] = await Promise.all([
      query.selectAll().orderBy('name').limit(limit).offset(offset).execute(),
      query.select((select) => select.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    ]);
    return { total: Number(total), rows };
  }

  /**
   * The workflows that are tools of the owner's agent, the oldest first, so that a new one does not change the name of
   * another.
   */
  async exposed(
    owner: Owner,
    { max }: { max: number },
  ): Promise<(SavedWorkflowRow & { parameters: string })[]> {
    return this.#database.read
      .selectFrom('saved_workflows')
      .innerJoin('saved_workflow_versions', (join) =>
        join
          .onRef('saved_workflow_versions.workflowId', '=', 'saved_workflows.id')
          .onRef('saved_workflow_versions.version', '=', 'saved_workflows.version'),
      )
      .selectAll('saved_workflows')
      .select('saved_workflow_versions.parameters')
      .where('owner', '=', userOf(owner))
      .where('exposed', '=', 1)
      .orderBy('id')
      .limit(max)
      .execute();
  }

  /** The workflows of others that this user has switched on, as they were then. They are in the order of their ids. */
  async switchedOn(
    userId: string,
    { max }: { max: number },
  ): Promise<(SavedWorkflowRow & { parameters: string })[]> {
    return this.#database.read
      .selectFrom('shared_tools as tool')
      .innerJoin('saved_workflows as workflow', (join) =>
        join
          .onRef('workflow.id', '=', 'tool.workflowId')
          .onRef('workflow.version', '=', 'tool.version')
          .onRef('workflow.name', '=', 'tool.name')
          .onRef('workflow.description', '=', 'tool.description'),
      )
      .innerJoin('saved_workflow_versions as version', (join) =>
        join
          .onRef('version.workflowId', '=', 'workflow.id')
          .onRef('version.version', '=', 'workflow.version'),
      )
      .selectAll('workflow')
      .select('version.parameters')
      .where('tool.userId', '=', userId)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('shares')
            .select('shares.id')
            .where('kind', '=', 'workflow')
            .where('may', '=', 'run')
            .whereRef('subjectId', '=', 'workflow.id')
            .where('granteeId', 'in', [userId, everyone]),
        ),
      )
      .orderBy('workflow.id')
      .limit(max)
      .execute();
  }

  /** A workflow with its newest version, or with the requested one; undefined when either is missing. */
  async get(owner: Owner, workflowId: string, version?: number): Promise<StoredWorkflow | undefined> {
    const row = await this.#database.read
      .selectFrom('saved_workflows')
      .selectAll()
      .where('owner', '=', userOf(owner))
      .where('id', '=', workflowId)
      .executeTakeFirst();
    if (!row) return undefined;
    const stored = await this.#database.read
      .selectFrom('saved_workflow_versions')
      .selectAll()
      .where('workflowId', '=', workflowId)
      .where('version', '=', version ?? row.version)
      .executeTakeFirst();
    return stored && { row, version: stored };
  }

  async versions(
    owner: Owner,
    workflowId: string,
  ): Promise<Pick<VersionRow, 'version' | 'notes' | 'createdAt'>[]> {
    return this.#database.read
      .selectFrom('saved_workflow_versions')
      .innerJoin('saved_workflows', 'saved_workflows.id', 'saved_workflow_versions.workflowId')
      .select([
        'saved_workflow_versions.version',
        'saved_workflow_versions.notes',
        'saved_workflow_versions.createdAt',
      ])
      .where('owner', '=', userOf(owner))
      .where('workflowId', '=', workflowId)
      .orderBy('saved_workflow_versions.version', 'desc')
      .execute();
  }

  /**
   * Returns false when the workflow was changed or deleted in between. Versions older than the newest `keep` are
   * deleted.
   */
  async change(
    owner: Owner,
    workflowId: string,
    { from, columns, version, notes, keep }: WorkflowChange & { keep: number },
  ): Promise<boolean> {
    const user = userOf(owner);
    return this.#write(async (trx) => {
      await checkTools(trx, { owner: user, workflowIds: [workflowId] });
      const changed = await trx
        .updateTable('saved_workflows')
        .set(columns)
        .where('owner', '=', user)
        .where('id', '=', workflowId)
        .where('version', '=', from)
        .executeTakeFirst();
      if (changed.numUpdatedRows === 0n) return false;
      if (notes !== undefined) await writeNotes(trx, { workflowId, version: from, notes });
      if (!version) return true;
      await trx.insertInto('saved_workflow_versions').values(version).execute();
      await trx
        .deleteFrom('saved_workflow_versions')
        .where('workflowId', '=', workflowId)
        .where('version', '<=', version.version - keep)
        .execute();
      return true;
    });
  }

  /** Returns false when the version is not kept. */
  async note(
    owner: Owner,
    workflowId: string,
    { version, notes }: { version: number; notes: string },
  ): Promise<boolean> {
    const user = userOf(owner);
    return this.#write(async (trx) => {
      const own = await trx
        .selectFrom('saved_workflows')
        .select('id')
        .where('owner', '=', user)
        .where('id', '=', workflowId)
        .executeTakeFirst();
      return own !== undefined && (await writeNotes(trx, { workflowId, version, notes }));
    });
  }

  async delete(owner: Owner, workflowId: string): Promise<boolean> {
    const user = userOf(owner);
    return this.#write(async (trx) => {
      const gone = await trx
        .deleteFrom('saved_workflows')
        .where('owner', '=', user)
        .where('id', '=', workflowId)
        .executeTakeFirst();
      if (gone.numDeletedRows === 0n) return false;
      await trx.deleteFrom('saved_workflow_versions').where('workflowId', '=', workflowId).execute();
      await forgetSharesOfThings(trx, 'workflow', [workflowId]);
      await checkTools(trx, { owner: user, workflowIds: [workflowId] });
      return true;
    });
  }

  /** Returns another number after each change by this user, in one small read. */
  async mark(owner: Owner): Promise<number> {
    const row = await markOf.first(this.#database.read, { owner: userOf(owner) });
    return row?.mark ?? 0;
  }

  async #write<Result>(unit: (trx: Trx) => Promise<Result>): Promise<Result> {
    try {
      return await this.#database.write(unit);
    } catch (error) {
      throw isUniqueViolation(error) ? new AppError('workflow_exists', { cause: error }) : error;
    }
  }
}

async function writeNotes(
  trx: Trx,
  { workflowId, version, notes }: Pick<VersionRow, 'workflowId' | 'version' | 'notes'>,
): Promise<boolean> {
  const written = await trx
    .updateTable('saved_workflow_versions')
    .set({ notes })
    .where('workflowId', '=', workflowId)
    .where('version', '=', version)
    .executeTakeFirst();
  return written.numUpdatedRows > 0n;
}

function userOf(owner: Owner): string {
  const checked = requireOwner(owner);
  if ('user' in checked) return checked.user;
  if ('admin' in checked) return checked.admin;
  throw new Error('Saved workflows are read for their user.');
}

const markOf = new Prepared((db: Kysely<DispatchTables>, { owner }: { owner: string }) =>
  db.selectFrom('saved_workflow_marks').select('mark').where('owner', '=', owner),
);
