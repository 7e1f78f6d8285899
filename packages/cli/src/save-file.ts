import { createWriteStream, mkdirSync, openSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { Client } from '@switchyard/client/client';

/** The maximum number of files with one name in one folder; more means that something is wrong. */
const maxOfOneName = 10_000;
/** The maximum length of a name on a file system, in bytes of UTF-8, with room for a number. */
const maxNameBytes = 200;

/** Saves a file of the gateway in a folder without replacing other files, and returns the name that it got. */
export async function saveFile(
  client: Pick<Client, 'download'>,
  fileId: string,
  {
    folder,
    filename,
    strip,
    signal,
  }: {
    folder: string;
    /** The name for the file; by default the one that the gateway sends with it. */
    filename?: string;
    strip?: 'metadata' | undefined;
    signal: AbortSignal;
  },
): Promise<string> {
  const { stream, filename: kept } = await client.download(fileId, { strip, signal });
  mkdirSync(folder, { recursive: true });
  const { name, fd } = openNew(folder, safeName(filename ?? kept ?? fileId));
  const path = join(folder, name);
  try {
    const source = Readable.fromWeb(stream as NodeReadableStream<Uint8Array>);
    await pipeline(source, createWriteStream(path, { fd }), { signal });
    return name;
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

/** Makes a name that stays in its folder and can be typed, whatever name a worker or another user chose. */
export function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const plain = last.replace(/[\p{Cc}\p{Cf}<>:"|?*]+/gu, '_').replace(/^[.\s]+|[.\s]+$/g, '');
  return cut(plain) || 'file';
}

/** Never overwrites a file: the second `a.png` becomes `a (2).png`. */
function openNew(folder: string, wanted: string): { name: string; fd: number } {
  const extension = extname(wanted);
  const stem = wanted.slice(0, wanted.length - extension.length);
  for (let copy = 1; copy <= maxOfOneName; copy += 1) {
    const name = copy === 1 ? wanted : `${stem} (${copy})${extension}`;
    try {
      return { name, fd: openSync(join(folder, name), 'wx') };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  throw new Error(`There are ${maxOfOneName} files named like ${wanted} in ${folder} already.`);
}

/** Cuts the name and keeps its extension. */
function cut(name: string): string {
  if (Buffer.byteLength(name) <= maxNameBytes) return name;
  const extension = extname(name).slice(0, 20);
  const room = maxNameBytes - Buffer.byteLength(extension);
  return (
    Buffer.from(name)
      .subarray(0, room)
      .toString()
      .replace(/\ufffd+$/u, '') + extension
  );
}
