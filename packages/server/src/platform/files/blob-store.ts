import type { Readable } from 'node:stream';
import { hourMs } from '../../lib/time-units.ts';

export interface StoredContent {
  sha256: string;
  sizeBytes: number;
  /** The first bytes: enough to recognise the type, and the size of a picture. */
  head: Buffer;
}

export interface PutOptions {
  maxBytes: number;
  /** The size that the sender announces (Content-Length). A size that is too large is refused before a byte is read. */
  declaredBytes?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface OpenedContent {
  /** The size of the whole file, even when a range was requested. */
  sizeBytes: number;
  /** Destroying it, or reading it to its end, closes the file. */
  stream: Readable;
}

/** The way in which a client gets the content from a link. */
export interface LinkedAs {
  contentType: string;
  disposition: string;
}

/**
 * Files by the hash of their content, with equal content stored once. All replicas see the same ones, and any number of
 * them may store, read and remove the same content at once.
 */
export interface BlobStore {
  /**
   * Streams `source` into the store and hashes it on the way; memory does not grow with its size. When it resolves, the
   * content outlives a crash. Throws `file_too_large` or `storage_full` and leaves nothing behind. The source is destroyed
   * when it is not read to its end.
   */
  put(source: Readable, options: PutOptions): Promise<StoredContent>;
  /** Returns null when there is no such content. `range` is inclusive. */
  open(sha256: string, range?: { start: number; end: number }): Promise<OpenedContent | null>;
  /**
   * Lends the content as a file, for a library that opens one by its path. The path is good until `work` has ended. There
   * may be no file behind it.
   */
  useFile<Result>(sha256: string, work: (path: string) => Promise<Result>): Promise<Result>;
  /**
   * Returns an address from which a client can load the content itself for a few minutes, or null where there is none: on a
   * disk, or when nothing is stored under the hash.
   */
  link(sha256: string, as: LinkedAs): Promise<string | null>;
  /**
   * Removes content that no row refers to. `recent`: it was stored (again) within the last hour, perhaps for a row that is
   * about to be committed, or a backup is being taken, so it stays; try again later.
   */
  remove(sha256: string): Promise<'removed' | 'recent' | 'absent'>;
  /** Removes what crashes and deleted rows left behind: all content that `referenced` does not name. */
  removeUnreferenced(
    referenced: (sha256s: string[]) => Promise<Set<string>>,
    signal?: AbortSignal,
  ): Promise<{ removed: number }>;
}

/** Content that was stored within this time may belong to a row that is about to be committed. */
export const recentMs = hourMs;

const sha256Pattern = /^[0-9a-f]{64}$/;

export function isSha256(text: string): boolean {
  return sha256Pattern.test(text);
}

/** Keeps anything but a hash from becoming part of a path or a key. */
export function requireSha256(text: string): void {
  if (!isSha256(text)) throw new Error('A blob was asked for by something that is no SHA-256.');
}
