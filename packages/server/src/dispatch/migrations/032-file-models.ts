import { isModelFile, modelName } from '@switchyard/contract/dispatch/model-file';
import { type Kysely, sql } from 'kysely';
import { dialectOf, inKeyOrder } from '../../platform/database/dialect.ts';

export const name = '032-file-models';

interface Tables {
  files: { id: string; createdAt: string; owner: string };
  file_texts: { fileId: string; createdAt: string; words: string };
  file_models: { owner: string; word: string; name: string };
}

const filesAtOnce = 500;
/** The room of the columns. */
const maxLength = 250;

/** The names of the models that the files of each user were made with. How many files there are is counted by the words of files. */
export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('file_models')
    .addColumn('owner', 'varchar(64)', (column) => column.notNull())
    .addColumn('word', 'varchar(255)', (column) => column.notNull())
    .addColumn('name', 'varchar(255)', (column) => column.notNull())
    .addPrimaryKeyConstraint('file_models_pk', ['owner', 'word'])
    .$call(inKeyOrder(dialectOf(db)))
    .execute();
  for (let after = { createdAt: '', id: '' }, isMore = true; isMore; ) {
    const rows = await db
      .selectFrom('file_texts')
      .innerJoin('files', 'files.id', 'file_texts.fileId')
      .select(['files.owner', 'file_texts.createdAt', 'file_texts.fileId as id', 'words'])
      .where(sql<boolean>`("file_texts"."createdAt", "fileId") > (${after.createdAt}, ${after.id})`)
      .orderBy('file_texts.createdAt')
      .orderBy('fileId')
      .limit(filesAtOnce)
      .execute();
    const found = new Map(
      rows.flatMap(({ owner, words }) =>
        words.split(' ').flatMap((word) => {
          const model = modelOfWord(word);
          return model === null ? [] : [[`${owner} ${word}`, { owner, word, name: model }] as const];
        }),
      ),
    );
    for (const row of found.values())
      await db
        .insertInto('file_models')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    after = rows.at(-1) ?? after;
    isMore = rows.length === filesAtOnce;
  }
}

/** Returns the name of the model that has this word, in small letters; null for another word, and for one of a whole path or without the ending. */
function modelOfWord(word: string): string | null {
  if (!word.startsWith('$') || word.length > maxLength) return null;
  const name = word.slice(1).normalize('NFKC');
  return isModelFile(name) && modelName(name) === name ? name : null;
}
