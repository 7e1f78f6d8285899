import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { nameParts, shortened } from '../../platform/files/display-name.ts';

export interface ZipEntry {
  name: string;
  /** Null when it is known only after the entry was read. */
  sizeBytes: number | null;
  modifiedMs: number;
  /** Called when the entry's turn has come: one file is open at a time. */
  open: () => Promise<Readable>;
}

export interface ZipStream {
  stream: Readable;
  /** Null when the size of an entry is not known. */
  sizeBytes: number | null;
}

/** The bytes that an entry of the directory has besides its name, at most. */
const entryBytes = 128;
/** The library announces the large form of the directory above this size, and must then be told to write it. */
const largeDirectoryBytes = 0xffff;
/** A name with its number stays below the 255 bytes that disks allow. */
const maxNameBytes = 245;

/**
 * An archive without compression, which is written while it is read: memory does not grow with its size. Where the size is
 * known beforehand, a reader notices by it an archive that breaks off. `lastEntry` is asked when all others were opened, and
 * then no size is known.
 */
export function zipStream(entries: readonly ZipEntry[], lastEntry?: () => ZipEntry | null): ZipStream {
  const archive = new ZipFile();
  const stream = archive.outputStream as Readable;
  let current: Readable | undefined;
  let sizeBytes: number | null = null;
  const add = ({ name, sizeBytes: size, modifiedMs, open }: ZipEntry, opened?: () => void) => {
    const options = { compress: false, ...(size !== null && { size }), mtime: new Date(modifiedMs) };
    archive.addReadStreamLazy(name, options, (done) => {
      open().then(
        (source) => {
          current = source;
          source.on('error', (error) => stream.destroy(error));
          if (stream.destroyed) {
            source.destroy();
            return;
          }
          opened?.();
          done(null, source);
        },
        (error: Error) => stream.destroy(error),
      );
    });
  };
  const finish = () => {
    const last = lastEntry?.();
    if (last) add(last);
    archive.end({ forceZip64Format: isLarge(entries), comment: '' }, (calculated = -1) => {
      if (calculated >= 0 && !lastEntry) sizeBytes = calculated;
    });
  };
  const waits = lastEntry !== undefined && entries.length > 0;
  for (const entry of entries) add(entry, waits && entry === entries.at(-1) ? finish : undefined);
  if (!waits) finish();
  archive.on('error', (error) => stream.destroy(error as Error));
  // A client that goes away leaves the file of the moment open otherwise.
  stream.on('close', () => current?.destroy());
  return { stream, sizeBytes };
}

function isLarge(entries: readonly ZipEntry[]): boolean {
  const bytes = entries.reduce((sum, { name }) => sum + Buffer.byteLength(name) + entryBytes, 0);
  return bytes >= largeDirectoryBytes;
}

/** The second `cat.png` becomes `cat (2).png`. Some systems do not distinguish capital letters from small ones. */
export function uniqueNames(given: readonly string[]): string[] {
  const names = given.map((name) => shortened(name, maxNameBytes));
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
  const [stem, extension] = nameParts(name);
  return `${stem} (${copy})${extension}`;
}
