import type { TaskError } from '@switchyard/contract/dispatch/task';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { dayMs } from '../../lib/time-units.ts';
import type { JobHandler, Jobs } from '../../platform/jobs/jobs.ts';
import { codesBeside, sentencesColumn } from '../stored-sentences.ts';
import { type EarlierRowStore, type WordedTable, worded } from './earlier-row-store.ts';
import { readSentences } from './read-sentences.ts';

const wordRows = 'dispatch.word-earlier-rows';
/** Rows in one step: a write of so many holds up other writers for a few milliseconds. */
const rowsAtOnce = 200;

/**
 * Rows of earlier versions have a text alone. They get its codes while the gateway runs, step by step and once for all
 * replicas. A row that a replica of the version before writes meanwhile gets them in the next week, and is shown as text until
 * then.
 */
export function wordEarlierRows(
  store: EarlierRowStore,
  { jobs, stepRows = rowsAtOnce }: { jobs: Pick<Jobs, 'register'>; stepRows?: number },
): void {
  const wordAll: JobHandler = async ({ signal }) => {
    for (const table of Object.keys(worded) as WordedTable[]) {
      let after: string | null = '';
      while (after !== null) {
        signal.throwIfAborted();
        after = await wordPage(store, table, { after, limit: stepRows });
      }
    }
  };
  jobs.register(wordRows, wordAll, { everyMs: 7 * dayMs });
}

/** Returns the last id of the page; null after the last page. */
async function wordPage(
  store: EarlierRowStore,
  table: WordedTable,
  page: { after: string; limit: number },
): Promise<string | null> {
  const { last, rows } = await store.texts(table, page);
  if (last === null) return null;
  const isList = table === 'tasks';
  const changed = rows.flatMap((row) => {
    const codes = isList ? codesOfList(row.text, row.codes) : codesOfText(row.text, row.codes);
    return codes === null ? [] : [{ ...row, codes }];
  });
  if (changed.length > 0) await store.setCodes(table, changed);
  if (table === 'tasks')
    await wordErrors(
      store,
      rows.map(({ id }) => id),
    );
  return last;
}

async function wordErrors(store: EarlierRowStore, taskIds: readonly string[]): Promise<void> {
  const errors = await store.errorsOf(taskIds);
  const changed = errors.flatMap((row) => {
    const error = JSON.parse(row.error) as TaskError;
    if (error.sentences) return [];
    const withCodes: TaskError = { ...error, sentences: readSentences(error.message) };
    return [{ ...row, before: row.error, error: JSON.stringify(withCodes) }];
  });
  if (changed.length > 0) await store.setErrors(changed);
}

/** Returns null when the codes are there already. */
function codesOfText(text: string, codes: string | null): string | null {
  return codesBeside(text, codes) ? null : sentencesColumn(readSentences(text), text);
}

function codesOfList(list: string, codes: string | null): string | null {
  const texts = JSON.parse(list) as string[];
  const present = codes === null ? [] : (JSON.parse(codes) as Sentence[][]);
  if (texts.length <= present.length) return null;
  return JSON.stringify(texts.map((text, index) => present[index] ?? readSentences(text)));
}
