import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, realpath, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, normalize } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { contains, folderInside, isMissing, isPlainName, UnsafePathError } from './safe-path.ts';

export const fileAreas = ['input', 'output', 'temp'] as const;
export type FileArea = (typeof fileAreas)[number];

export interface FileReference {
  filename: string;
  subfolder: string;
  type: FileArea;
}

/** The three folders of a worker, and the only code that turns names from outside into paths. */
export class WorkerFiles {
  readonly dir: string;
  readonly #counters = new Map<string, number>();

  constructor(dir: string) {
    this.dir = dir;
  }

  async open(): Promise<void> {
    await this.#wipeTemp();
    for (const area of fileAreas) await mkdir(this.folder(area), { recursive: true });
    await mkdir(this.partsFolder, { recursive: true });
  }

  async close(): Promise<void> {
    await this.#wipeTemp();
  }

  folder(area: FileArea): string {
    return join(this.dir, area);
  }

  /** Uploads are kept here until they are complete. */
  get partsFolder(): string {
    return join(this.dir, 'parts');
  }

  /** The path of an existing file, or undefined. Throws UnsafePathError for a name that leads out. */
  async find({ filename, subfolder, type }: FileReference): Promise<string | undefined> {
    if (!isPlainName(filename)) throw new UnsafePathError('The file name must be a plain name.');
    const folder = await folderInside(this.folder(type), subfolder);
    try {
      const path = await realpath(join(folder, filename));
      if (!contains(await realpath(this.folder(type)), path))
        throw new UnsafePathError('The file is a link that leads outside of its folder.');
      return (await stat(path)).isFile() ? path : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Resolves a loader's input: `name.png`, `subfolder/name.png`, `name.png [output]`. */
  async findAnnotated(name: string): Promise<string | undefined> {
    const { path, type } = splitAnnotation(name);
    const subfolder = dirname(path);
    try {
      return await this.find({
        filename: basename(path),
        subfolder: subfolder === '.' ? '' : subfolder,
        type: type ?? 'input',
      });
    } catch (error) {
      if (error instanceof UnsafePathError) return undefined;
      throw error;
    }
  }

  async imageInputs(): Promise<string[]> {
    const entries = await readdir(this.folder('input'), { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && /\.(png|jpe?g|webp|gif|tiff?|avif)$/i.test(entry.name))
      .map((entry) => entry.name)
      .sort();
  }

  /**
   * Uses ComfyUI's numbering: `prefix_00001_.png`, one more than the highest in the folder. Never overwrites a file.
   */
  async save(
    area: FileArea,
    prefix: string,
    file: { extension: string; bytes: Uint8Array },
  ): Promise<FileReference> {
    const { folder, subfolder, name } = await this.#saveFolder(area, prefix);
    const key = join(folder, name);
    let counter = this.#counters.get(key) ?? (await highestCounter(folder, name));
    for (;;) {
      counter += 1;
      const filename = `${name}_${String(counter).padStart(5, '0')}_.${file.extension}`;
      if (await writeNew(join(folder, filename), file.bytes)) {
        this.#remember(key, counter);
        return { filename, subfolder, type: area };
      }
    }
  }

  /** Also removes folders that become empty. A file that is gone already is not an error. */
  async remove(reference: FileReference): Promise<void> {
    const path = await this.find(reference);
    if (path === undefined) return;
    await rm(path, { force: true });
    const root = await realpath(this.folder(reference.type));
    for (let folder = dirname(path); folder !== root && contains(root, folder); folder = dirname(folder)) {
      const isGone = await rmdir(folder).then(
        () => true,
        // The folder contains other files.
        () => false,
      );
      if (!isGone) return;
    }
  }

  async #saveFolder(
    area: FileArea,
    prefix: string,
  ): Promise<{ folder: string; subfolder: string; name: string }> {
    const path = normalize(prefix);
    const name = basename(path);
    const subfolder = dirname(path) === '.' ? '' : dirname(path);
    if (!isPlainName(name)) throw new UnsafePathError('filename_prefix must end in a plain name.');
    const folder = await folderInside(this.folder(area), subfolder);
    await mkdir(folder, { recursive: true });
    return { folder, subfolder, name };
  }

  /** The cache is bounded: for a forgotten prefix the numbers are counted again in the folder. */
  #remember(key: string, counter: number): void {
    if (this.#counters.size >= 1000) this.#counters.clear();
    this.#counters.set(key, counter);
  }

  async #wipeTemp(): Promise<void> {
    await rm(this.folder('temp'), { recursive: true, force: true });
    await rm(this.partsFolder, { recursive: true, force: true });
  }
}

/** Removes ` [input]`, ` [output]` or ` [temp]` from the end of a name. */
export function splitAnnotation(name: string): { path: string; type: FileArea | undefined } {
  const type = fileAreas.find((area) => name.endsWith(`[${area}]`));
  return type === undefined
    ? { path: name, type }
    : { path: name.slice(0, -(type.length + 2)).trimEnd(), type };
}

export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function highestCounter(folder: string, name: string): Promise<number> {
  const numbers = (await readdir(folder))
    .filter((entry) => entry.startsWith(`${name}_`))
    .map((entry) => Number.parseInt(entry.slice(name.length + 1), 10));
  return numbers.reduce((highest, number) => (number > highest ? number : highest), 0);
}

async function writeNew(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    const handle = await open(path, 'wx');
    try {
      await handle.writeFile(bytes);
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
