import { createReadStream } from 'node:fs';
import { isRecord } from '@switchyard/contract/is-record';

/** The description of one backup. It is written last, so a backup that has it is whole. */
export interface Manifest {
  format: number;
  /** Everything that the gateway had acknowledged before this moment is in the backup. */
  takenAt: string;
  finishedAt: string;
  /** The version of the program that took it. */
  version: string;
  /** The name of the gateway's database; null for one that no gateway of this version has used yet. */
  gateway: string | null;
  database: { backend: 'sqlite' | 'postgres'; sha256: string; bytes: number; rows: Record<string, number> };
  files: { count: number; bytes: number; listSha256: string };
  /** Null for a backup without secrets. */
  secrets: { sha256: string } | null;
  /** The things that could not be copied, each with the reason. */
  absent: Absent[];
}

export interface Absent {
  path: string;
  why: string;
}

/** One line of the list of files. */
export interface ListedFile {
  /** `content`: what rows refer to by its hash. Otherwise the home in which it lies, and its place there. */
  home: 'content' | 'home' | 'shared';
  path: string;
  sha256: string;
  bytes: number;
  mode: number;
  /** Size and times on the disk, by which the next backup sees that the file has not changed; empty for content. */
  stamp: string;
}

export const manifestFormat = 1;
export const parts = {
  manifest: 'manifest.json',
  database: 'database.db',
  list: 'files.jsonl',
  secrets: 'secrets.json',
} as const;

/** Throws an error with one sentence for what this version cannot restore. */
export function readManifest(text: string, where: string): Manifest {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch (cause) {
    throw new Error(`The manifest of ${where} is damaged; use another backup.`, { cause });
  }
  if (!isRecord(found) || typeof found.format !== 'number')
    throw new Error(`The manifest of ${where} is damaged; use another backup.`);
  if (found.format !== manifestFormat)
    throw new Error(
      `${where} was made by version ${String(found.version)}, whose backups (format ${found.format}) this version cannot read; use that version.`,
    );
  const { takenAt, database, files } = found;
  if (typeof takenAt !== 'string' || !isRecord(database) || !isRecord(files) || !Array.isArray(found.absent))
    throw new Error(`The manifest of ${where} is damaged; use another backup.`);
  return found as unknown as Manifest;
}

/** Reads the lines of a list of files. */
export async function* filesOf(path: string): AsyncGenerator<ListedFile> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as ListedFile;
  }
}
