import { Readable } from 'node:stream';
import type { ArchiveForm } from '@switchyard/contract/dispatch/file';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import { Shares } from '../../lib/shares.ts';
import type { FileRow } from '../files/stored-file-store.ts';
import type { StoredFiles } from '../files/stored-files.ts';
import type { Recipes } from '../recipes/recipes.ts';
import { namesByPattern, needsFacts } from './archive-names.ts';
import { uniqueNames, type ZipEntry, type ZipStream, zipStream } from './zip-archive-stream.ts';

interface Caller {
  userId: string;
  owner: Owner;
}

/** Archives on their way, for one user and for all. Each holds a file and a connection. */
const limits = { each: 4, together: 64 };
const retryAfterSeconds = 10;

/** Selections of files as zip archives. */
export class FileArchives {
  readonly #options;
  readonly #shares = new Shares(limits);

  constructor(options: {
    files: Pick<StoredFiles, 'contentOf' | 'strippedContentOf'>;
    recipes: Pick<Recipes, 'get' | 'namesOf'>;
  }) {
    this.#options = options;
  }

  /** The caller sends the stream or destroys it: until then it counts as one of the user's. */
  async open(caller: Caller, rows: readonly FileRow[], form: ArchiveForm): Promise<ZipStream> {
    if (this.#shares.take(caller.userId) !== 'taken')
      throw new AppError('downloads_busy', { retryAfterSeconds });
    try {
      const archive = this.#zip(caller, rows, { form, names: await this.#names(caller, rows, form) });
      archive.stream.once('close', () => this.#shares.give(caller.userId));
      return archive;
    } catch (error) {
      this.#shares.give(caller.userId);
      throw error;
    }
  }

  /** The task of a file that is shared, and its workflow, are not shared with it. */
  async #names(
    { owner }: Caller,
    rows: readonly FileRow[],
    { names: pattern }: ArchiveForm,
  ): Promise<string[]> {
    if (pattern === undefined) return rows.map(({ filename }) => filename);
    const facts = needsFacts(pattern) ? await this.#options.recipes.namesOf(owner, rows) : undefined;
    const files = rows.map((row) => {
      const { workflow = null, seed = null } = facts?.get(row.id) ?? {};
      const isShared = 'user' in owner && row.owner !== owner.user;
      return isShared ? { row: { ...row, taskId: null }, workflow: null, seed } : { row, workflow, seed };
    });
    return namesByPattern(pattern, files);
  }

  #zip(
    { owner }: Caller,
    rows: readonly FileRow[],
    { form, names }: { form: ArchiveForm; names: readonly string[] },
  ): ZipStream {
    const hasRecipe = ({ source }: FileRow) => form.recipes === true && source === 'output';
    const files = uniqueNames(names);
    // The files come first, so that none of them gives its name to a recipe.
    const unique = uniqueNames([...files, ...files.map((name) => `${name}.json`), notStripped]);
    const damaged: string[] = [];
    const entries = rows.flatMap((row, index): ZipEntry[] => {
      const name = unique[index] ?? row.id;
      const modifiedMs = Date.parse(row.createdAt);
      const file: ZipEntry =
        form.strip === undefined
          ? { name, modifiedMs, sizeBytes: row.size, open: () => this.#options.files.contentOf(row) }
          : { name, modifiedMs, sizeBytes: null, open: () => this.#stripped(row, () => damaged.push(name)) };
      if (!hasRecipe(row)) return [file];
      const recipe = unique[rows.length + index] ?? row.id;
      return [file, { name: recipe, modifiedMs, sizeBytes: null, open: () => this.#recipe(owner, row) }];
    });
    if (form.strip === undefined) return zipStream(entries);
    const modifiedMs = Math.max(...entries.map((entry) => entry.modifiedMs));
    return zipStream(entries, () => noteOn(damaged, { name: unique.at(-1) ?? notStripped, modifiedMs }));
  }

  async #stripped(row: FileRow, onDamage: () => void): Promise<Readable> {
    const { isDamaged, open } = await this.#options.files.strippedContentOf(row);
    if (isDamaged) onDamage();
    return open();
  }

  async #recipe(owner: Owner, { id }: FileRow): Promise<Readable> {
    return textStream(JSON.stringify(await this.#options.recipes.get(owner, id), null, 2));
  }
}

const notStripped = 'not-stripped.txt';

/** A reader who asked for files without metadata must learn in which it may still stand. */
function noteOn(damaged: readonly string[], about: Pick<ZipEntry, 'name' | 'modifiedMs'>): ZipEntry | null {
  if (damaged.length === 0) return null;
  const text = ['These pictures are damaged. They are as they were stored, with their metadata:', ...damaged];
  return { ...about, sizeBytes: null, open: async () => textStream(text.join('\n')) };
}

function textStream(text: string): Readable {
  return Readable.from([Buffer.from(`${text}\n`)]);
}
