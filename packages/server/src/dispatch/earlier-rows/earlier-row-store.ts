import { type Selectable, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { insertModels } from '../files/file-model-store.ts';
import { type FileWords, insertTexts } from '../files/file-text-store.ts';
import type { FileModel } from '../graphs/file-words.ts';
import type { DispatchTables, FileTable } from '../tables.ts';

/** A text that is stored, and the column beside it for its codes. */
export interface TextRow {
  id: string;
  text: string;
  codes: string | null;
}

/** The columns of texts that have codes beside them. */
export const worded = {
  instances: ['lastError', 'lastErrorSentences'],
  instance_events: ['message', 'sentences'],
  webhook_deliveries: ['lastError', 'lastErrorSentences'],
  tasks: ['warnings', 'warningSentences'],
} as const;
export type WordedTable = keyof typeof worded;

export interface ErrorRow {
  /** The task. */
  id: string;
  /** Null for the error of the task itself. */
  attempt: number | null;
  error: string;
}

export interface FileWithoutWords
  extends Pick<
    Selectable<FileTable>,
    'id' | 'owner' | 'filename' | 'contentType' | 'source' | 'workflowId' | 'createdAt'
  > {
  /** JSON: what the task that made it was given. Null for an upload. */
  workflow: string | null;
  params: string | null;
}

/** Rows of all users, for the one pass that gives those of earlier versions their codes. */
export class EarlierRowStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /** Returns those of the next rows that have a text, and the last id that was looked at. */
  async texts(
    table: WordedTable,
    page: { after: string; limit: number },
  ): Promise<{ last: string | null; rows: TextRow[] }> {
    const [text, codes] = worded[table];
    const { rows } = await sql<{ id: string; text: string | null; codes: string | null }>`
      select id, ${sql.ref(text)} as text, ${sql.ref(codes)} as codes from ${sql.table(table)}
      where id > ${page.after} order by id limit ${sql.lit(page.limit)}`.execute(this.#database.read);
    return {
      last: rows.at(-1)?.id ?? null,
      rows: rows.flatMap(({ text, ...row }) => (text === null ? [] : [{ ...row, text }])),
    };
  }

  /** Returns the errors of these tasks and of their attempts. */
  async errorsOf(taskIds: readonly string[]): Promise<ErrorRow[]> {
    const { read } = this.#database;
    const [tasks, attempts] = await Promise.all([
      read.selectFrom('tasks').select(['id', 'error']).where('id', 'in', taskIds).execute(),
      read
        .selectFrom('task_attempts')
        .select(['taskId', 'attempt', 'error'])
        .where('taskId', 'in', taskIds)
        .execute(),
    ]);
    return [
      ...tasks.map(({ id, error }) => ({ id, attempt: null, error })),
      ...attempts.map(({ taskId: id, attempt, error }) => ({
        id,
        attempt,
        error,
      })),
    ].flatMap(({ error, ...row }) => (error === null ? [] : [{ ...row, error }]));
  }

  /** Leaves a row alone whose text has changed meanwhile. */
  async setCodes(table: WordedTable, changed: readonly (TextRow & { codes: string })[]): Promise<void> {
    const [text, codes] = worded[table];
    await this.#database.write(async (trx) => {
      for (const row of changed) {
        await sql`update ${sql.table(table)} set ${sql.ref(codes)} = ${row.codes}
          where id = ${row.id} and ${sql.ref(text)} = ${row.text}`.execute(trx);
      }
    });
  }

  async setErrors(changed: readonly (ErrorRow & { before: string })[]): Promise<void> {
    await this.#database.write(async (trx) => {
      for (const { id, attempt, error, before } of changed) {
        await (attempt === null
          ? trx.updateTable('tasks').set({ error }).where('id', '=', id).where('error', '=', before).execute()
          : trx
              .updateTable('task_attempts')
              .set({ error })
              .where('taskId', '=', id)
              .where('attempt', '=', attempt)
              .where('error', '=', before)
              .execute());
      }
    });
  }

  /** Returns those of the next files that have no words, and the last id that was looked at. */
  async filesWithoutWords(page: {
    after: string;
    limit: number;
  }): Promise<{ last: string | null; rows: FileWithoutWords[] }> {
    const { read } = this.#database;
    const looked = await read
      .selectFrom('files')
      .leftJoin('file_texts', (join) =>
        join
          .onRef('file_texts.createdAt', '=', 'files.createdAt')
          .onRef('file_texts.fileId', '=', 'files.id'),
      )
      .select(['files.id', 'file_texts.fileId as known'])
      .where('files.id', '>', page.after)
      .orderBy('files.id')
      .limit(page.limit)
      .execute();
    const without = looked.filter(({ known }) => known === null).map(({ id }) => id);
    const rows =
      without.length === 0
        ? []
        : await read
            .selectFrom('files')
            .leftJoin('task_inputs', 'task_inputs.taskId', 'files.taskId')
            .select([
              'files.id',
              'files.owner',
              'files.filename',
              'files.contentType',
              'files.source',
              'files.workflowId',
              'files.createdAt',
              'task_inputs.workflow',
              'task_inputs.params',
            ])
            .where('files.id', 'in', without)
            .execute();
    return { last: looked.at(-1)?.id ?? null, rows };
  }

  /** Leaves out files that were deleted meanwhile, and those that have their words by now. */
  async addWords(
    texts: readonly (FileWords & { owner: string; models: readonly FileModel[] })[],
  ): Promise<void> {
    const fileIds = texts.map(({ fileId }) => fileId);
    await this.#database.write(async (trx, lastly) => {
      const present = await trx
        .selectFrom('files')
        .select('id')
        .where('id', 'in', fileIds)
        .$if(this.#database.dialect === 'postgres', (query) => query.forUpdate())
        .execute();
      const known = await trx
        .selectFrom('file_texts')
        .select('fileId')
        .where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple('createdAt', 'fileId'),
            'in',
            texts.map(({ createdAt, fileId }) => tuple(createdAt, fileId)),
          ),
        )
        .execute();
      const open = new Set(present.map(({ id }) => id));
      for (const { fileId } of known) open.delete(fileId);
      const added = texts.filter(({ fileId }) => open.has(fileId));
      lastly(
        ...insertTexts(added.map(({ fileId, createdAt, words }) => ({ fileId, createdAt, words }))),
        ...insertModels(added.flatMap(({ owner, models }) => models.map((model) => ({ owner, ...model })))),
      );
    });
  }
}
