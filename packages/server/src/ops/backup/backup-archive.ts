import { createReadStream, existsSync, rmSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { KeyLock } from '../../lib/async/key-lock.ts';
import { nodeDisk } from '../../platform/files/disk.ts';
import { hashContent } from '../../platform/files/receive-content.ts';
import { writeAll } from '../../platform/files/write-blob.ts';
import { type BackupFolder, contentPlace, explainFull, markFile, markText, nameOf } from './backup-folder.ts';
import { type Manifest, parts } from './backup-manifest.ts';

/** Everything in a tar file begins at a multiple of this (POSIX.1-2001, ustar). */
const blockBytes = 512;
const endMark = Buffer.alloc(2 * blockBytes);
/** The first size whose digits do not fit. It is written as binary, as GNU tar does. */
const tooLarge = 8 ** 11;
/** The last sync would otherwise have gigabytes before it, for which the gateway beside it waits. */
const syncEachBytes = 16 * 1024 * 1024;
const unfinishedName = 'archive';

interface Entry {
  start: number;
  bytes: number;
}

/**
 * Writes one backup into one tar file. The names in it are those of a folder of backups, so any `tar` makes such a folder of it. It
 * grows in a folder beside its place, and gets its name when it is whole.
 */
export class BackupArchive implements Pick<BackupFolder, 'path' | 'names' | 'partOf' | 'has'> {
  readonly path: string;
  readonly #file: string;
  readonly #kept = new Map<string, number>();
  readonly #turns = new KeyLock();
  #handle: FileHandle | null = null;
  /** The end of the last whole entry. What lies behind it is written over. */
  #end = 0;

  constructor(file: string) {
    this.#file = file;
    this.path = `${file}.unfinished`;
  }

  async claim(gateway: string | null): Promise<void> {
    if (existsSync(this.#file))
      throw new Error(`${this.#file} is there already. Name a new file: each one holds one whole backup.`);
    for (const name of await readdir(this.path))
      if (!name.startsWith('backup.lock')) await rm(join(this.path, name), { recursive: true });
    this.#handle = await open(join(this.path, unfinishedName), 'wx', 0o600);
    await this.#add(markFile, textOf(markText(gateway)));
  }

  /** A file shares nothing with earlier backups. */
  async names(): Promise<string[]> {
    return [];
  }

  partOf(_name: string, part: string): string {
    return join(this.path, part);
  }

  async begin(): Promise<string> {
    return this.path;
  }

  async has(sha256: string, bytes: number): Promise<boolean> {
    return this.#kept.get(sha256) === bytes;
  }

  async keep(source: Readable, pause: () => Promise<void>): Promise<{ sha256: string; bytes: number }> {
    // It fails when its turn comes, if it fails before that.
    source.on('error', () => undefined);
    const name = (sha256: string) => (this.#kept.has(sha256) ? null : contentPlace(sha256));
    const kept = await this.#add(name, source, pause);
    this.#kept.set(kept.sha256, kept.bytes);
    return kept;
  }

  async finish(draft: string, manifest: Manifest): Promise<string> {
    const name = nameOf(manifest);
    for (const part of [parts.database, parts.list, parts.secrets])
      if (existsSync(join(draft, part)))
        await this.#add(`${name}/${part}`, createReadStream(join(draft, part)));
    await this.#add(`${name}/${parts.manifest}`, textOf(`${JSON.stringify(manifest, null, 2)}\n`));
    const handle = this.#opened();
    await writeAll(handle, endMark, this.#end);
    await handle.truncate(this.#end + endMark.length);
    await handle.sync();
    await rename(join(this.path, unfinishedName), this.#file);
    await nodeDisk.syncDirectory(dirname(this.#file));
    return this.#file;
  }

  async keepLatest(): Promise<{ backups: number; files: number }> {
    return { backups: 0, files: 0 };
  }

  /** Removes what is not finished. */
  async close(): Promise<void> {
    await this.#handle?.close();
    await rm(this.path, { recursive: true, force: true });
  }

  /** One at a time. The name of content is known when all of it is read, so the header is written last. */
  #add(
    name: string | ((sha256: string) => string | null),
    source: Readable,
    pause = async (): Promise<void> => undefined,
  ): Promise<{ sha256: string; bytes: number }> {
    const add = async () => {
      const handle = this.#opened();
      let at = this.#end + blockBytes;
      const write = async (step: Buffer): Promise<void> => {
        await writeAll(handle, step, at);
        at += step.length;
        await pause();
      };
      const maxBytes = Number.POSITIVE_INFINITY;
      const { sha256, sizeBytes: bytes } = await hashContent({ source, maxBytes, write });
      const place = typeof name === 'string' ? name : name(sha256);
      if (place === null) return { sha256, bytes };
      await write(Buffer.alloc(paddingOf(bytes)));
      await writeAll(handle, headerOf(place, bytes), this.#end);
      if (Math.floor(at / syncEachBytes) > Math.floor(this.#end / syncEachBytes)) await handle.datasync();
      this.#end = at;
      return { sha256, bytes };
    };
    return this.#turns.run('', add);
  }

  #opened(): FileHandle {
    if (this.#handle === null) throw new Error('The archive was not claimed.');
    return this.#handle;
  }
}

/** A tar file with backups. Content is read where it lies; the other parts are taken out into a folder for a while. */
export class ReadArchive implements Pick<BackupFolder, 'names' | 'partOf' | 'has' | 'open'> {
  readonly #file: string;
  readonly #entries: Map<string, Entry>;
  #scratch = '';

  /** Throws an error with one sentence for a file that is not whole. */
  static async open(file: string): Promise<ReadArchive> {
    const handle = await open(file, 'r');
    try {
      return new ReadArchive(file, await entriesOf(handle, file));
    } finally {
      await handle.close();
    }
  }

  private constructor(file: string, entries: Map<string, Entry>) {
    this.#file = file;
    this.#entries = entries;
  }

  async names(): Promise<string[]> {
    const suffix = `/${parts.manifest}`;
    const manifests = [...this.#entries.keys()].filter((name) => name.endsWith(suffix));
    return manifests.map((name) => name.slice(0, -suffix.length)).sort();
  }

  /** Takes the parts of a backup out, where `partOf` finds them until this is closed. */
  async takeOut(name: string): Promise<void> {
    this.#scratch = await mkdtemp(join(tmpdir(), 'switchyard-restore-'));
    for (const part of Object.values(parts)) {
      const entry = this.#entries.get(`${name}/${part}`);
      if (!entry) continue;
      const to = this.partOf(name, part);
      await writeFile(to, this.#read(entry), { mode: 0o600 }).catch((error: unknown) => {
        throw explainFull(error, tmpdir());
      });
    }
  }

  partOf(_name: string, part: string): string {
    return join(this.#scratch, part);
  }

  async has(sha256: string, bytes: number): Promise<boolean> {
    return this.#entries.get(contentPlace(sha256))?.bytes === bytes;
  }

  open(sha256: string): Readable {
    const entry = this.#entries.get(contentPlace(sha256));
    if (entry) return this.#read(entry);
    throw Object.assign(new Error(`${this.#file} has no content ${sha256}.`), { code: 'ENOENT' });
  }

  #read({ start, bytes }: Entry): Readable {
    return bytes === 0 ? textOf('') : createReadStream(this.#file, { start, end: start + bytes - 1 });
  }

  close(): void {
    if (this.#scratch) rmSync(this.#scratch, { recursive: true, force: true });
  }
}

async function entriesOf(handle: FileHandle, file: string): Promise<Map<string, Entry>> {
  const { size } = await handle.stat();
  const entries = new Map<string, Entry>();
  const header = Buffer.alloc(blockBytes);
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(header, 0, blockBytes, at);
    if (bytesRead < blockBytes)
      throw new Error(`${file} ends too early: it was cut off. Use another backup.`);
    if (header.equals(endMark.subarray(0, blockBytes))) return entries;
    const found = entryOf(header);
    if (!found) throw new Error(`${file} is not a backup, or is damaged at byte ${at}. Name another file.`);
    const start = at + blockBytes;
    at = start + found.bytes + paddingOf(found.bytes);
    if (at > size) throw new Error(`${file} ends too early: it was cut off. Use another backup.`);
    entries.set(found.name, { start, bytes: found.bytes });
  }
}

function headerOf(name: string, bytes: number): Buffer {
  const header = Buffer.alloc(blockBytes);
  header.write(name, 0);
  header.write(`0000600\0${'0000000\0'.repeat(2)}`, 100);
  if (bytes < tooLarge) header.write(bytes.toString(8).padStart(11, '0'), 124);
  else header.writeBigUInt64BE(BigInt(bytes), header.writeUInt8(0x80, 124) + 3);
  header.write('00000000000\0', 136);
  header.write('0ustar\x0000', 156, 'latin1');
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

/** Returns null for what is not the header of a file. */
function entryOf(header: Buffer): { name: string; bytes: number } | null {
  if (Number.parseInt(header.toString('latin1', 148, 155), 8) !== sumOf(header)) return null;
  const name = header.toString('utf8', 0, 100).replace(/\0.*$/s, '');
  const isBinary = header[124] === 0x80;
  const bytes = isBinary
    ? Number(header.readBigUInt64BE(128))
    : Number.parseInt(header.toString('latin1', 124, 135), 8);
  return Number.isSafeInteger(bytes) ? { name, bytes } : null;
}

/** The sum of a header, with spaces in the place of the sum. */
function sumOf(header: Buffer): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}

function paddingOf(bytes: number): number {
  return (blockBytes - (bytes % blockBytes)) % blockBytes;
}

function textOf(text: string): Readable {
  return Readable.from([Buffer.from(text)], { objectMode: false });
}
