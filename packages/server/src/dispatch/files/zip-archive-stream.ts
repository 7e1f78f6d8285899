import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

export interface ZipEntry {
  name: string;
  sizeBytes: number;
  modifiedMs: number;
  /** Called when the entry's turn has come: one file is open at a time. */
  open: () => Promise<Readable>;
}

export interface ZipStream {
  stream: Readable;
  sizeBytes: number;
}

/** The bytes that an entry of the directory has besides its name, at most. */
const entryBytes = 128;
/** The library announces the large form of the directory above this size, and must then be told to write it. */
const largeDirectoryBytes = 0xffff;

/**
 * An archive without compression, which is written while it is read: memory does not grow with its size. The size is
 * known beforehand, so that a reader notices an archive that breaks off.
 */
export function zipStream(entries: readonly ZipEntry[]): ZipStream {
  const archive = new ZipFile();
  const stream = archive.outputStream as Readable;
  let current: Readable | undefined;
  for (const { name, sizeBytes, modifiedMs, open } of entries) {
    const options = { compress: false, size: sizeBytes, mtime: new Date(modifiedMs) };
    archive.addReadStreamLazy(name, options, (done) => {
      open().then(
        (source) => {
          current = source;
          source.on('error', (error) => stream.destroy(error));
          if (stream.destroyed) source.destroy();
          else done(null, source);
        },
        (error: Error) => stream.destroy(error),
      );
    });
  }
  archive.on('error', (error) => stream.destroy(error as Error));
  // A client that goes away leaves the file of the moment open otherwise.
  stream.on('close', () => current?.destroy());
  let total = 0;
  archive.end({ forceZip64Format: isLarge(entries), comment: '' }, (calculated?: number) => {
    total = calculated ?? 0;
  });
  return { stream, sizeBytes: total };
}

function isLarge(entries: readonly ZipEntry[]): boolean {
  const bytes = entries.reduce((sum, { name }) => sum + Buffer.byteLength(name) + entryBytes, 0);
  return bytes >= largeDirectoryBytes;
}

/** The second `cat.png` becomes `cat (2).png`. Some systems do not distinguish capital letters from small ones. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  const used = new Set<string>();
  const copies = new Map<string, number>();
  return names.map((name) => {
    const plain = name.toLowerCase();
    if (!used.has(plain)) {
      used.add(plain);
      return name;
    }
    for (let copy = (copies.get(plain) ?? 1) + 1; ; copy += 1) {
      const candidate = numbered(name, copy);
      if (taken.has(candidate.toLowerCase())) continue;
      copies.set(plain, copy);
      taken.add(candidate.toLowerCase());
      return candidate;
    }
  });
}

function numbered(name: string, copy: number): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)} (${copy})${name.slice(dot)}` : `${name} (${copy})`;
}
