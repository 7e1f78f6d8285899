import type { ShareKind, ShareRight, ToolState } from '@switchyard/contract/dispatch/share';
import type { Insertable, Selectable } from 'kysely';
import { AppError } from '../../lib/app-error.ts';
import { type Owner, requireOwner } from '../../lib/owner.ts';
import type { AuditPart } from '../../platform/audit/audit.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { dialectOf } from '../../platform/database/dialect.ts';
import type { DispatchTables, FileTable, ShareTable } from '../tables.ts';

export type ShareRow = Selectable<ShareTable>;
export type NamedShareRow = ShareRow & { name: string };
type Trx = WriteTransaction<DispatchTables>;

/** Stands in `granteeId` for all accounts, later ones as well. */
export const everyone = 'everyone';

/** Something that a user may read, or run as well, though it belongs to another. */
export interface Right {
  owner: string;
  may: ShareRight;
  /** Earlier versions of a workflow stay closed. */
  fromVersion: number;
}

/** The texts of a workflow that agents read, with the version that decides what its parameters say. */
export interface ToolTexts {
  name: string;
  description: string;
  version: number;
}

/** Something that is shared, and an account that has it; null stands for all accounts. */
export interface Received extends Pick<ShareRow, 'kind' | 'subjectId'> {
  owner: string | null;
}

export interface ReceivedRow extends Pick<ShareRow, 'kind' | 'subjectId' | 'owner' | 'may'> {
  sharedAt: string;
  workflow: ToolTexts | null;
  collection: { name: string; itemCount: number } | null;
  /** The state of the tool of a workflow. */
  tool: ToolState;
  file: Pick<FileTable, 'filename' | 'contentType' | 'size' | 'width' | 'height'> | null;
}

export class ShareStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /**
   * Returns what this user may do with a thing of another user; undefined when it is not shared with them. The files of a shared
   * collection are shared while they are in it.
   */
  async right(userId: string, kind: ShareKind, subjectId: string): Promise<Right | undefined> {
    const row = await this.#database.read
      .selectFrom('shares')
      .select((select) => [
        'owner',
        select.fn.max('may').as('may'),
        select.fn.min('fromVersion').as('fromVersion'),
      ])
      .where(({ and, eb, or, selectFrom }) => {
        const itself = and([eb('kind', '=', kind), eb('subjectId', '=', subjectId)]);
        if (kind !== 'file') return itself;
        const holders = selectFrom('collection_items').select('collectionId').where('fileId', '=', subjectId);
        return or([itself, and([eb('kind', '=', 'collection'), eb('subjectId', 'in', holders)])]);
      })
      .where('granteeId', 'in', [userId, everyone])
      .groupBy('owner')
      .executeTakeFirst();
    return row && { owner: row.owner, may: row.may, fromVersion: row.fromVersion ?? 1 };
  }

  /** Returns the accounts that have a thing of another user, or null alone when all have it. */
  async receivers(kind: ShareKind, subjectId: string): Promise<(string | null)[]> {
    const rows = await this.#database.read
      .selectFrom('shares')
      .select('granteeId')
      .where('kind', '=', kind)
      .where('subjectId', '=', subjectId)
      .where('granteeId', 'is not', null)
      .execute();
    return rows.some(({ granteeId }) => granteeId === everyone)
      ? [null]
      : rows.map(({ granteeId }) => granteeId);
  }

  /** Returns who has these files, and who has the collections that they are in. */
  async receiversOfFiles(fileIds: readonly string[]): Promise<Received[]> {
    const rows = await this.#database.read
      .selectFrom('shares')
      .select(['kind', 'subjectId', 'granteeId'])
      .where('granteeId', 'is not', null)
      .where(({ and, eb, or, selectFrom }) => {
        const holders = selectFrom('collection_items')
          .select('collectionId')
          .where('fileId', 'in', [...fileIds]);
        return or([
          and([eb('kind', '=', 'file'), eb('subjectId', 'in', [...fileIds])]),
          and([eb('kind', '=', 'collection'), eb('subjectId', 'in', holders)]),
        ]);
      })
      .execute();
    return rows.map(({ granteeId, ...row }) => ({
      ...row,
      owner: granteeId === everyone ? null : granteeId,
    }));
  }

  /**
   * Adds a share, or changes what its grantee may do. Returns undefined when its owner has no such thing. Shares that begin at the same
   * moment may pass the maximum together by a few.
   */
  async give(
    row: Omit<Insertable<ShareTable>, 'fromVersion'>,
    { max, record }: { max: number; record: (share: NamedShareRow) => AuditPart },
  ): Promise<NamedShareRow | undefined> {
    return this.#database.write(async (trx) => {
      const subject = await subjectOf(trx, row);
      if (!subject) return undefined;
      const { count } = await trx
        .selectFrom('shares')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('owner', '=', row.owner)
        .executeTakeFirstOrThrow();
      if (Number(count) >= max) throw new AppError('share_limit');
      const share = await trx
        .insertInto('shares')
        .values({ ...row, fromVersion: subject.version })
        .onConflict((conflict) =>
          conflict
            .columns(['kind', 'subjectId', 'granteeKind', 'grantee'])
            .doUpdateSet({ may: row.may, granteeId: row.granteeId }),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      if (row.kind === 'workflow') await checkTools(trx, { owner: row.owner, workflowIds: [row.subjectId] });
      const named = { ...share, name: subject.name };
      await record(named)(trx);
      return named;
    });
  }

  async takeBack(owner: Owner, id: string, recordOf: (row: ShareRow) => AuditPart): Promise<ShareRow> {
    const checked = requireOwner(owner);
    return this.#database.write(async (trx) => {
      const row = await trx
        .deleteFrom('shares')
        .where('id', '=', id)
        .$if('user' in checked, (query) =>
          query.where((eb) => {
            const user = 'user' in checked ? checked.user : '';
            return eb.or([eb('owner', '=', user), eb('granteeId', '=', user)]);
          }),
        )
        .returningAll()
        .executeTakeFirst();
      if (!row) throw new AppError('share_not_found');
      if (row.kind === 'workflow') await checkTools(trx, { owner: row.owner, workflowIds: [row.subjectId] });
      await recordOf(row)(trx);
      return row;
    });
  }

  /** The shares of one owner, the newest first. */
  async list(
    owner: string,
    {
      kind,
      subjectId,
      limit,
      offset,
    }: { kind?: ShareKind | undefined; subjectId?: string | undefined; limit: number; offset: number },
  ): Promise<{ total: number; rows: NamedShareRow[] }> {
    const shares = this.#database.read
      .selectFrom('shares')
      .where('shares.owner', '=', owner)
      .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? 'file'))
      .$if(subjectId !== undefined, (query) => query.where('subjectId', '=', subjectId ?? ''));
    const [rows, { total }] = await Promise.all([
      shares
        .leftJoin('saved_workflows as workflow', 'workflow.id', 'shares.subjectId')
        .leftJoin('files as file', 'file.id', 'shares.subjectId')
        .leftJoin('collections as collection', 'collection.id', 'shares.subjectId')
        .selectAll('shares')
        .select((select) =>
          select.fn.coalesce('workflow.name', 'file.filename', 'collection.name').as('name'),
        )
        .orderBy('shares.id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute(),
      shares.select((select) => select.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    ]);
    return { total: Number(total), rows: rows.map((row) => ({ ...row, name: row.name ?? '' })) };
  }

  /** The things that others share with this user, each once, the newest first. */
  async received(
    userId: string,
    { kind, limit, offset }: { kind?: ShareKind | undefined; limit: number; offset: number },
  ): Promise<{ total: number; rows: ReceivedRow[] }> {
    const { read } = this.#database;
    const received = read
      .selectFrom('shares')
      .select((select) => [
        'kind',
        'subjectId',
        'owner',
        select.fn.max('may').as('may'),
        select.fn.max('createdAt').as('sharedAt'),
      ])
      .where('granteeId', 'in', [userId, everyone])
      .where('owner', '!=', userId)
      .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? 'file'))
      .groupBy(['kind', 'subjectId', 'owner'])
      .as('received');
    const [rows, { total }] = await Promise.all([
      read
        .selectFrom(received)
        .leftJoin('saved_workflows as workflow', 'workflow.id', 'received.subjectId')
        .leftJoin('files as file', 'file.id', 'received.subjectId')
        .leftJoin('collections as collection', 'collection.id', 'received.subjectId')
        .leftJoin('shared_tools as tool', (join) =>
          join.onRef('tool.workflowId', '=', 'received.subjectId').on('tool.userId', '=', userId),
        )
        .selectAll('received')
        .select(['workflow.name', 'workflow.description', 'workflow.version'])
        .select(['collection.name as collectionName', 'collection.itemCount'])
        .select(['file.filename', 'file.contentType', 'file.size', 'file.width', 'file.height'])
        .select([
          'tool.version as toolVersion',
          'tool.name as toolName',
          'tool.description as toolDescription',
        ])
        .orderBy('received.sharedAt', 'desc')
        .orderBy('received.subjectId', 'desc')
        .limit(limit)
        .offset(offset)
        .execute(),
      read
        .selectFrom(received)
        .select((select) => select.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow(),
    ]);
    return { total: Number(total), rows: rows.map(receivedRow) };
  }

  /** Returns whether the agents of this user have a shared workflow as a tool. */
  async tool(userId: string, { id, ...texts }: ToolTexts & { id: string }): Promise<ToolState> {
    const row = await this.#database.read
      .selectFrom('shared_tools')
      .selectAll()
      .where('userId', '=', userId)
      .where('workflowId', '=', id)
      .executeTakeFirst();
    return stateOf(row, texts);
  }

  /** The texts are those that the user has seen: a change of them takes the tool away again. */
  async switchTool(
    userId: string,
    { id: workflowId, name, description, version }: ToolTexts & { id: string },
    on: boolean,
  ): Promise<void> {
    await this.#database.write(async (trx) => {
      await mark(trx, { owner: userId });
      await trx
        .deleteFrom('shared_tools')
        .where('userId', '=', userId)
        .where('workflowId', '=', workflowId)
        .execute();
      if (on) {
        await trx
          .insertInto('shared_tools')
          .values({ userId, workflowId, name, description, version })
          .execute();
      }
    });
  }
}

function stateOf(tool: ToolTexts | undefined, now: ToolTexts): ToolState {
  if (!tool) return 'off';
  const isSame =
    tool.version === now.version && tool.name === now.name && tool.description === now.description;
  return isSame ? 'on' : 'changed';
}

type Joined<Row, Prefix extends string = ''> = {
  [Column in keyof Row as Prefix extends '' ? Column : `${Prefix}${Capitalize<Column & string>}`]:
    | Row[Column]
    | null;
};

function receivedRow({
  name,
  description,
  version,
  toolName,
  toolDescription,
  toolVersion,
  filename,
  contentType,
  size,
  width,
  height,
  collectionName,
  itemCount,
  ...share
}: Omit<ReceivedRow, 'workflow' | 'tool' | 'file' | 'collection'> &
  Joined<{ collectionName: string; itemCount: number }> &
  Joined<ToolTexts> &
  Joined<ToolTexts, 'tool'> &
  Joined<NonNullable<ReceivedRow['file']>>): ReceivedRow {
  const workflow = textsIn({ name, description, version });
  const tool = textsIn({ name: toolName, description: toolDescription, version: toolVersion });
  return {
    ...share,
    workflow,
    collection: collectionName !== null && itemCount !== null ? { name: collectionName, itemCount } : null,
    tool: workflow ? stateOf(tool ?? undefined, workflow) : 'off',
    file:
      filename !== null && contentType !== null && size !== null
        ? { filename, contentType, size, width, height }
        : null,
  };
}

/** Returns null for a row that the join has not found. */
function textsIn({ name, description, version }: Joined<ToolTexts>): ToolTexts | null {
  return name === null || description === null || version === null ? null : { name, description, version };
}

/** The thing to share, held so that it is not deleted meanwhile. */
async function subjectOf(
  trx: Trx,
  { kind, subjectId, owner }: Pick<ShareRow, 'kind' | 'subjectId' | 'owner'>,
): Promise<{ name: string; version: number | null } | undefined> {
  const holds = dialectOf(trx) === 'postgres';
  if (kind === 'workflow') {
    return trx
      .selectFrom('saved_workflows')
      .select(['name', 'version'])
      .where('id', '=', subjectId)
      .where('owner', '=', owner)
      .$if(holds, (query) => query.forShare())
      .executeTakeFirst();
  }
  if (kind === 'collection') {
    const collection = await trx
      .selectFrom('collections')
      .select('name')
      .where('id', '=', subjectId)
      .where('owner', '=', owner)
      .$if(holds, (query) => query.forShare())
      .executeTakeFirst();
    return collection && { ...collection, version: null };
  }
  const file = await trx
    .selectFrom('files')
    .select('filename as name')
    .where('id', '=', subjectId)
    .where('owner', '=', owner)
    .$if(holds, (query) => query.forShare())
    .executeTakeFirst();
  return file && { ...file, version: null };
}

/**
 * Part of a unit that changes, shares or takes back workflows. Users whose agents have one of them as a tool see the change, and those
 * who may not run it any more lose the tool.
 */
export async function checkTools(
  trx: Trx,
  { owner, workflowIds }: { owner: string; workflowIds: readonly string[] },
): Promise<void> {
  await mark(trx, { owner, workflowIds });
  await trx
    .deleteFrom('shared_tools')
    .where('workflowId', 'in', [...workflowIds])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('shares')
            .select('shares.id')
            .where('kind', '=', 'workflow')
            .where('may', '=', 'run')
            .whereRef('subjectId', '=', 'shared_tools.workflowId')
            .where(({ eb, or, ref }) =>
              or([eb('granteeId', '=', everyone), eb('granteeId', '=', ref('shared_tools.userId'))]),
            ),
        ),
      ),
    )
    .execute();
}

/**
 * Counts a change for the owner and for those whose agents have these workflows. It comes first in a unit that adds, so that the units of
 * one user follow each other. The rows are locked in one order, so that two owners never wait for each other.
 */
export async function mark(
  trx: Trx,
  { owner, workflowIds = [] }: { owner: string; workflowIds?: readonly string[] },
): Promise<void> {
  await trx
    .insertInto('saved_workflow_marks')
    .values({ owner, mark: 0 })
    .onConflict((conflict) => conflict.column('owner').doNothing())
    .execute();
  const marks = await trx
    .selectFrom('saved_workflow_marks')
    .select('owner')
    .where(({ eb, or, selectFrom }) =>
      or([
        eb('owner', '=', owner),
        ...(workflowIds.length === 0
          ? []
          : [
              eb(
                'owner',
                'in',
                selectFrom('shared_tools').select('userId').where('workflowId', 'in', workflowIds),
              ),
            ]),
      ]),
    )
    .orderBy('owner')
    .$if(dialectOf(trx) === 'postgres', (query) => query.forUpdate())
    .execute();
  await trx
    .updateTable('saved_workflow_marks')
    .set((update) => ({ mark: update('mark', '+', 1) }))
    .where(
      'owner',
      'in',
      marks.map((row) => row.owner),
    )
    .execute();
}

/** Part of a unit that deletes things. */
export async function forgetSharesOfThings(
  trx: Trx,
  kind: ShareKind,
  subjectIds: readonly string[],
): Promise<void> {
  await trx
    .deleteFrom('shares')
    .where('kind', '=', kind)
    .where('subjectId', 'in', [...subjectIds])
    .execute();
}

/** Part of the unit that disables an account: nothing of it is shared any more. */
export async function forgetSharesBy<Tables>(trx: WriteTransaction<Tables>, userId: string): Promise<void> {
  const own = trx as unknown as Trx;
  const shares = await own
    .deleteFrom('shares')
    .where('owner', '=', userId)
    .returning(['kind', 'subjectId'])
    .execute();
  const workflowIds = shares.filter(({ kind }) => kind === 'workflow').map(({ subjectId }) => subjectId);
  if (workflowIds.length > 0) await checkTools(own, { owner: userId, workflowIds });
}

/** Part of the unit that deletes an account. */
export async function forgetSharesOf<Tables>(trx: WriteTransaction<Tables>, userId: string): Promise<void> {
  const own = trx as unknown as Trx;
  await forgetSharesBy(own, userId);
  await own.deleteFrom('shares').where('granteeId', '=', userId).execute();
  await own.deleteFrom('shared_tools').where('userId', '=', userId).execute();
}
