import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Log } from '../../lib/log.ts';
import type { KeptSchemas, SourcePlace } from './kept-schemas.ts';
import type { ProgramResult, SchemasByNamespace } from './program/json-schema.ts';
import { type ProgramLimits, programLimits, readSource } from './source-program.ts';

/** The schemas that the loaded graph does not have. */
export type Lacking = 'state' | 'context';

interface SourceSchemasOptions {
  kept: Pick<KeptSchemas, 'find' | 'keep'>;
  log: Pick<Log, 'warn'>;
  limits?: ProgramLimits;
  maxWaiting?: number;
}

/** A caller behind this many sources of usual size waits for a quarter of a minute. */
const usualMaxWaiting = 4;

/**
 * The facts that the TypeScript compiler of a user's project knows about a graph. Each source is read once until it
 * changes, also by a later process, and one source at a time. Without a compiler, and when it fails, there is one
 * warning and nothing is known until the graphs are loaded again.
 */
export class SourceSchemas {
  readonly #kept: SourceSchemasOptions['kept'];
  readonly #log: Pick<Log, 'warn'>;
  readonly #limits: ProgramLimits;
  readonly #maxWaiting: number;
  readonly #closing = new AbortController();
  readonly #known = new Map<string, Promise<SchemasByNamespace | null>>();
  #last: Promise<unknown> = Promise.resolve();
  #unfinished = 0;

  constructor({ kept, log, limits = programLimits, maxWaiting = usualMaxWaiting }: SourceSchemasOptions) {
    this.#kept = kept;
    this.#log = log;
    this.#limits = limits;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Returns the schemas by namespace; null when the compiler does not know them. Never fails. Most graphs that lack a context have
   * none, so the compiler is asked for a context only when the file names what a context without a schema is made with.
   */
  async of(place: SourcePlace, lacking: Lacking): Promise<SchemasByNamespace | null> {
    if (lacking === 'context' && !(await mayNameAnnotation(place.file))) return null;
    return this.#of(place);
  }

  #of(place: SourcePlace): Promise<SchemasByNamespace | null> {
    const key = JSON.stringify([place.file, place.exportName]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const asking = this.#kept.find(place).then((kept) => {
      if (kept) return kept;
      if (this.#unfinished <= this.#maxWaiting) return this.#ask(place);
      if (this.#known.get(key) === asking) this.#known.delete(key);
      return this.#warn(place.file, new Error('too many other sources wait for the compiler'));
    });
    this.#known.set(key, asking);
    return asking;
  }

  #ask(place: SourcePlace): Promise<SchemasByNamespace | null> {
    this.#unfinished += 1;
    const reading = this.#last
      .then(() => this.#read(place))
      .catch((error: unknown) => this.#warn(place.file, error))
      .finally(() => {
        this.#unfinished -= 1;
      });
    this.#last = reading;
    return reading;
  }

  /** The next caller has the source looked at again. */
  forget(): void {
    this.#known.clear();
  }

  close(): void {
    this.#closing.abort();
  }

  async #read(place: SourcePlace): Promise<SchemasByNamespace> {
    const request = { ...place, compiler: compilerOf(place.file) };
    const answer = await readSource(request, { limits: this.#limits, signal: this.#closing.signal });
    if ('fault' in answer) throw new Error(answer.fault);
    await this.#keep(place, answer);
    return answer.graphs;
  }

  /** The schemas are right without the disk; only a later process has to ask again. */
  async #keep(place: SourcePlace, answer: ProgramResult): Promise<void> {
    try {
      await this.#kept.keep(place, answer);
    } catch (err) {
      this.#log.warn({ err, file: place.file }, 'The schemas of a graph could not be kept');
    }
  }

  #warn(file: string, error: unknown): null {
    if (this.#closing.signal.aborted) return null;
    const reason = error instanceof Error ? error.message : String(error);
    this.#log.warn({ file, reason }, 'The schemas of a graph lack what its TypeScript source says');
    return null;
  }
}

/** A file that cannot be read is left to the compiler, which gives the reason. */
async function mayNameAnnotation(file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text === null || text.includes('Annotation');
}

/** Finds the compiler as the graph's own file would. */
function compilerOf(file: string): string {
  try {
    return createRequire(file).resolve('typescript');
  } catch (cause) {
    throw new Error('the project has no package `typescript`', { cause });
  }
}
