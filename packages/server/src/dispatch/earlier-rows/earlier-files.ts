import { AppError } from '../../lib/app-error.ts';
import { dayMs } from '../../lib/time-units.ts';
import type { JobHandler, Jobs } from '../../platform/jobs/jobs.ts';
import { type GraphWords, graphWords, noGraphWords, wordsOfFile } from '../graphs/file-words.ts';
import { parseGraph } from '../graphs/graph.ts';
import { applyParams, fileIdsIn } from '../graphs/params.ts';
import type { EarlierRowStore, FileWithoutWords } from './earlier-row-store.ts';

const findFiles = 'dispatch.words-of-earlier-files';
/** Files in one step. Each may have a large graph, which is read and parsed. */
const filesAtOnce = 50;

/**
 * Files of earlier versions have no words yet, so a search does not find them. They get theirs while the gateway runs, step by step and
 * once for all replicas. What a replica of the version before stores meanwhile gets its words in the next week.
 */
export function findEarlierFiles(
  store: EarlierRowStore,
  { jobs, stepRows = filesAtOnce }: { jobs: Pick<Jobs, 'register'>; stepRows?: number },
): void {
  const findAll: JobHandler = async ({ signal }) => {
    let after: string | null = '';
    while (after !== null) {
      signal.throwIfAborted();
      const page: Awaited<ReturnType<EarlierRowStore['filesWithoutWords']>> = await store.filesWithoutWords({
        after,
        limit: stepRows,
      });
      const texts = page.rows.map((row) => {
        const { words, models } = wordsOf(row);
        const { id: fileId, createdAt, owner } = row;
        return { fileId, createdAt, words: wordsOfFile(row, words), owner, models };
      });
      if (texts.length > 0) await store.addWords(texts);
      after = page.last;
    }
  };
  jobs.register(findFiles, findAll, { everyMs: 7 * dayMs });
}

/** A graph that this version would refuse leaves the words of the file's name. */
function wordsOf(row: FileWithoutWords): GraphWords {
  if (row.workflow === null || row.params === null) return noGraphWords;
  try {
    const params = JSON.parse(row.params) as Record<string, unknown>;
    const fileNames = new Map(fileIdsIn(params).map((id) => [id, `file:${id}`]));
    const graph = parseGraph(JSON.parse(row.workflow));
    const filled = applyParams({ graph, params, strict: false, fileNames }).graph;
    return graphWords(filled, new Set(fileNames.values()));
  } catch (error) {
    if (error instanceof AppError) return noGraphWords;
    throw error;
  }
}
