import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '@switchyard/contract/is-record';
import type { ExportPlace } from '../loading/load-export.ts';
import type { SchemasByNamespace } from './program/json-schema.ts';

export type SourcePlace = Pick<ExportPlace, 'file' | 'exportName'>;

interface KeptRecord {
  /** The gateway that asked; another one may read a source in another way. */
  version: string;
  /** The digest of each file that decided about the answer. */
  digests: Record<string, string>;
  graphs: SchemasByNamespace;
}

/** A project has at most 100 graphs. Beyond this the answers of graphs that are gone take the room, and all of them go. */
const maxRecords = 500;

/** Answers of the compiler on the disk, a file for each graph. One counts as long as no file that decided about it has changed. */
export class KeptSchemas {
  readonly #folder: string;
  readonly #version: string;

  constructor({ folder, version }: { folder: string; version: string }) {
    this.#folder = folder;
    this.#version = version;
  }

  /** Returns null when there is none, or a source has changed since. */
  async find(place: SourcePlace): Promise<SchemasByNamespace | null> {
    const text = await readFile(this.#pathOf(place), 'utf8').catch(() => null); // the first call
    const record = text === null ? null : recordIn(text);
    if (record?.version !== this.#version) return null;
    const present = await digestsOf(Object.keys(record.digests));
    const isSame = Object.entries(record.digests).every(([file, digest]) => present[file] === digest);
    return isSame ? record.graphs : null;
  }

  async keep(
    place: SourcePlace,
    { sources, graphs }: { sources: readonly string[]; graphs: SchemasByNamespace },
  ): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    if ((await readdir(this.#folder)).length >= maxRecords) {
      await rm(this.#folder, { recursive: true });
      await mkdir(this.#folder, { mode: 0o700 });
    }
    const record: KeptRecord = { version: this.#version, digests: await digestsOf(sources), graphs };
    const path = this.#pathOf(place);
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, JSON.stringify(record), { mode: 0o600 });
    await rename(draft, path);
  }

  #pathOf({ file, exportName }: SourcePlace): string {
    return join(this.#folder, `${digestOf(JSON.stringify([file, exportName]))}.json`);
  }
}

/** A file that a crash has cut short is none. */
function recordIn(text: string): KeptRecord | null {
  try {
    const record: unknown = JSON.parse(text);
    return isRecord(record) && isRecord(record.digests) && isRecord(record.graphs)
      ? (record as unknown as KeptRecord)
      : null;
  } catch {
    return null;
  }
}

/** A file that is not there counts as a file with another content. */
async function digestsOf(files: readonly string[]): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const file of files) {
    const content = await readFile(file).catch(() => null);
    digests[file] = content === null ? 'absent' : digestOf(content);
  }
  return digests;
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
