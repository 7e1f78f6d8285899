import { randomInt } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FileRecipe, RecipeChanges, RecipeDifference } from '@switchyard/contract/dispatch/recipe';
import { isRecord } from '@switchyard/contract/is-record';
import { say } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import type { ReadTogether } from '../../platform/database/snapshot.ts';
import type { LentFiles } from '../files/lent-files.ts';
import type { LentFile } from '../files/own-files.ts';
import type { FileRow, StoredFileStore } from '../files/stored-file-store.ts';
import { copyOf } from '../intake/task-copy.ts';
import type { RequestedTask } from '../intake/task-submission.ts';
import type { SubmitMeta, Submitted, Tasks } from '../intake/tasks.ts';
import type { Reader } from '../links.ts';
import type { ShareStore } from '../shares/share-store.ts';
import { savedWorkflowOf } from '../tasks/task-view.ts';
import { viewRecipe, withoutTask } from './recipe.ts';
import { graphOf, seedsIn } from './recipe-graph.ts';
import { placeNamer } from './recipe-names.ts';
import type { RecipeRows, RecipeStore, SourceRow } from './recipe-store.ts';

interface RecipeStores {
  files: Pick<StoredFileStore, 'get'>;
  shares: Pick<ShareStore, 'right'>;
  store: RecipeStore;
}

interface MadeFile {
  file: FileRow;
  /** True when it belongs to another user, who shares it. */
  isShared: boolean;
  rows: RecipeRows | undefined;
}

export interface RecipeFacts {
  workflow: string | null;
  seed: number | null;
}

/** Graphs can be large, so few are held at once. */
const filesPerPage = 20;

function firstSeed(input: Parameters<typeof graphOf>[0]['input']): number | null {
  return seedsIn(graphOf({ input, sources: [] }))[0]?.value ?? null;
}

/** Workers take seeds of 64 bits; some nodes take 32 only. */
const seedBound = 2 ** 32;

/** Shows how files were made, and makes them again. */
export class Recipes {
  readonly #options;

  constructor(options: {
    together: ReadTogether<RecipeStores>;
    tasks: Pick<Tasks, 'submitRequest'>;
    lentFiles: Pick<LentFiles, 'forCopy'>;
  }) {
    this.#options = options;
  }

  async get(owner: Owner, fileId: string): Promise<FileRecipe> {
    const { file, isShared, rows } = await this.#options.together((stores) => made(stores, owner, fileId));
    return isShared ? withoutTask(viewRecipe(file, rows)) : viewRecipe(file, rows);
  }

  /** What names of files are made from: the name of the saved workflow, and the first seed of the graph. */
  async namesOf(owner: Owner, files: readonly FileRow[]): Promise<Map<string, RecipeFacts>> {
    const facts = new Map<string, RecipeFacts>();
    for (let at = 0; at < files.length; at += filesPerPage) {
      const page = files.slice(at, at + filesPerPage);
      const rows = await this.#options.together(({ store }) => store.forNames(owner, page));
      const names = new Map(rows.workflows.map(({ id, name }) => [id, name]));
      const seeds = new Map(rows.inputs.map((input) => [input.taskId, firstSeed(input)]));
      for (const { id, workflowId, taskId } of page)
        facts.set(id, {
          workflow: names.get(workflowId ?? '') ?? null,
          seed: seeds.get(taskId ?? '') ?? null,
        });
      // Other requests go on between the pages.
      await nextTurn();
    }
    return facts;
  }

  /** Submits the task once more. The new task and its files belong to the owner of the file. */
  async again(
    { owner }: Reader,
    fileId: string,
    { changes, meta }: { changes: RecipeChanges; meta: SubmitMeta },
  ): Promise<Submitted> {
    const { rows, isShared } = await this.#options.together((stores) => made(stores, owner, fileId));
    if (isShared) throw new AppError('share_allows_less', { message: onlyOwnersRepeat });
    if (!rows) throw new AppError('file_not_made');
    return this.#options.tasks.submitRequest(
      { again: fileId, ...changes },
      async () => {
        const lent = await this.#options.lentFiles.forCopy(rows.task.owner, savedWorkflowOf(rows.task));
        return changedCopy(rows, { changes, lent, randomSeed: () => randomInt(seedBound) });
      },
      { ...meta, userId: rows.task.owner },
    );
  }

  async difference(owner: Owner, files: readonly string[]): Promise<RecipeDifference> {
    const found = await this.#options.together((stores) =>
      Promise.all(files.map((fileId) => made(stores, owner, fileId))),
    );
    const [left = '', right = ''] = files;
    const namesOf = placeNamer(
      found.flatMap(({ rows }) => (rows ? [{ graph: graphOf(rows), form: rows.form }] : [])),
    );
    const { differences, isCut } = differencesOf(found.map(comparable));
    return {
      left,
      right,
      files: [...files],
      sameContent: new Set(found.map(({ file }) => file.sha256)).size === 1,
      differences: differences.map((difference) => ({
        ...difference,
        ...namesOf(difference.path),
      })),
      isCut,
    };
  }
}

async function made(stores: RecipeStores, owner: Owner, fileId: string): Promise<MadeFile> {
  const { files, store } = stores;
  const own = await files.get(owner, fileId);
  const file = own ?? (await sharedFile(stores, owner, fileId));
  if (!file) throw new AppError('file_not_found');
  const rows = await store.ofFile(owner, file);
  // The form of the workflow and the contents of the inputs are not shared with a file.
  return { file, isShared: !own, rows: rows && !own ? { ...rows, form: [], sources: [] } : rows };
}

async function sharedFile({ files, shares }: RecipeStores, owner: Owner, fileId: string) {
  const right = 'user' in owner ? await shares.right(owner.user, 'file', fileId) : undefined;
  return right && files.get({ user: right.owner }, fileId);
}

const onlyOwnersRepeat =
  'This file is shared with you. Its task is not: open its recipe on a workflow of yours to make one like it.';

/** Returns the values that decide how a file looks. Times and ids of tasks always differ, so they are left out. */
function comparable({ file, isShared, rows }: MadeFile): Record<string, unknown> {
  const recipe = viewRecipe(file, rows);
  const { source, worker, savedWorkflow, extraData, partialExecutionTargets } = isShared
    ? withoutTask(recipe)
    : recipe;
  if (!rows) return { source };
  const { instanceId = null, name = null, version = null } = worker ?? {};
  return {
    source,
    graph: graphOf(rows),
    extraData,
    partialExecutionTargets,
    savedWorkflow,
    worker: { instanceId, name, version },
  };
}

const maxDifferences = 500;
const maxTextLength = 500;

/** Compares plain values place by place. A list is one place, since links and lists of a graph mean something whole. */
function differencesOf(recipes: readonly unknown[]) {
  const places = recipes.map((recipe) => placesOf(recipe));
  const paths = [...new Set(places.flatMap((each) => [...each.keys()]))];
  const differing = paths.filter(
    (path) => new Set(places.map((each) => JSON.stringify(each.get(path)))).size > 1,
  );
  const shownAt = (path: string, index: number): [] | [unknown] =>
    places[index]?.has(path) ? [shortened(places[index].get(path))] : [];
  return {
    differences: differing.slice(0, maxDifferences).map((path) => {
      const [[left], [right]] = [shownAt(path, 0), shownAt(path, 1)];
      return {
        path,
        ...(left !== undefined && { left }),
        ...(right !== undefined && { right }),
        values: places.map((_, index) => shownAt(path, index)[0] ?? null),
      };
    }),
    isCut: differing.length > maxDifferences,
  };
}

function placesOf(value: unknown, path = '', places = new Map<string, unknown>()): Map<string, unknown> {
  if (!isRecord(value) || Object.keys(value).length === 0) {
    places.set(path, value);
    return places;
  }
  for (const [name, inner] of Object.entries(value)) {
    placesOf(inner, path === '' ? name : `${path}.${name}`, places);
  }
  return places;
}

function shortened(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= maxTextLength ? value : `${text.slice(0, maxTextLength)}…`;
}

/** The task that made a file once more, with what the caller wants to be different. */
function changedCopy(
  rows: RecipeRows,
  {
    changes,
    lent: lendable,
    randomSeed,
  }: { changes: RecipeChanges; lent: readonly LentFile[]; randomSeed: () => number },
): RequestedTask {
  // A changed graph could show a lent file as it is.
  const lent = changes.params === undefined ? lendable : [];
  const copy = copyOf(rows.task, rows.input);
  const { targetInstanceId, pool, priority, name } = changes;
  const params = withPresentFiles(copy.input.params ?? {}, rows.sources, lent);
  return {
    ...copy,
    lent,
    input: {
      ...copy.input,
      params: setLast(setLast(params, seedParams(rows, { seed: changes.seed, randomSeed })), changes.params),
      // A param that fitted nothing was a warning then, so it is not an error now.
      strict: rows.task.warnings === '[]',
      ...(targetInstanceId !== undefined && { instanceId: targetInstanceId }),
      ...(pool !== undefined && { pool }),
      ...(priority !== undefined && { priority }),
      ...(name !== undefined && { name }),
    },
  };
}

/** The last of two params for one input counts, whether they name it by the node's id or by its title. */
function setLast(
  params: Record<string, unknown>,
  changes: Record<string, unknown> | undefined = {},
): Record<string, unknown> {
  const others = Object.entries(params).filter(([name]) => !Object.hasOwn(changes, name));
  return { ...Object.fromEntries(others), ...changes };
}

function seedParams(
  rows: RecipeRows,
  { seed = 'same', randomSeed }: { seed: RecipeChanges['seed'] | undefined; randomSeed: () => number },
): Record<string, number> {
  if (seed === 'same') return {};
  const seeds = seedsIn(graphOf(rows));
  if (seeds.length === 0) {
    const message = say('graph_without_seed');
    throw new AppError('validation_failed', {
      faults: [{ in: 'body', path: ['seed'], message, type: 'value_error' }],
    });
  }
  return Object.fromEntries(
    seeds.map(({ nodeId, input }) => [`${nodeId}.${input}`, seed === 'random' ? randomSeed() : seed]),
  );
}

/** Puts a file with the same content in the place of one that was deleted. */
function withPresentFiles(
  params: Record<string, unknown>,
  sources: readonly SourceRow[],
  lent: readonly LentFile[],
): Record<string, unknown> {
  const isLent = new Set(lent.map(({ address, fileId }) => `${address} ${fileId}`));
  const bySource = new Map(sources.map((source) => [source.fileId, source]));
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      const source = isRecord(value) ? bySource.get(String(value.$file)) : undefined;
      if (!source || isLent.has(`${name} ${source.fileId}`)) return [name, value];
      return [name, { $file: presentFile(name, source) }];
    }),
  );
}

function presentFile(name: string, { presentFileId, filename, sha256 }: SourceRow): string {
  if (presentFileId !== null) return presentFileId;
  const message = say('input_deleted', { filename, sha256, param: name });
  throw new AppError('invalid_param', {
    message,
    faults: [{ in: 'body', path: ['params', name], message, type: 'file_not_found' }],
  });
}
