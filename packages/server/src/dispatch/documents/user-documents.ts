import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { DocumentFacts, Expected, UserDocumentRow, UserDocumentStore } from './user-document-store.ts';

/** A large workflow has a few hundred kilobytes. */
const maxDocumentBytes = 4 * 1024 * 1024;
const limits = { documents: 2_000, bytes: 64 * 1024 * 1024 };
/**
 * The number of times that a change is tried while other programs change the document. Beyond it, the client is asked
 * to wait.
 */
const maxTries = 20;

/** Texts that programs store for their account by a path, such as saved workflows and settings of a page. */
export class UserDocuments {
  readonly #options;

  constructor(options: { store: UserDocumentStore; clock: Clock }) {
    this.#options = options;
  }

  read(userId: string, path: string): Promise<UserDocumentRow | undefined> {
    return this.#options.store.get({ user: userId }, path);
  }

  /** Those in a folder and in the folders below it; all without one. */
  list(userId: string, folder: string): Promise<DocumentFacts[]> {
    return this.#options.store.list({ user: userId }, folder === '' ? '' : `${folder}/`);
  }

  /** Returns null when there is a document at this path that stays. */
  async write(
    userId: string,
    { path, content, overwrite }: { path: string; content: string; overwrite: boolean },
  ): Promise<DocumentFacts | null> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const written = await this.#put(userId, { path, content }, overwrite ? 'any' : { version: 0 });
      if (written !== null) return written;
      if (!overwrite) return null;
    }
    throw new AppError('overloaded');
  }

  /** Makes the next text of the present one, which is undefined where there is none. It is called again when another write was first. */
  async change(userId: string, path: string, next: (content: string | undefined) => string): Promise<void> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const known = await this.read(userId, path);
      const document = { path, content: next(known?.content) };
      if (await this.#put(userId, document, { version: known?.version ?? 0 })) return;
    }
    throw new AppError('overloaded');
  }

  move(userId: string, { from, to, overwrite }: { from: string; to: string; overwrite: boolean }) {
    const { store, clock } = this.#options;
    return store.move({ user: userId }, { from, to, overwrite, modifiedAt: toIso(clock()) });
  }

  delete(userId: string, path: string): Promise<boolean> {
    return this.#options.store.delete({ user: userId }, path);
  }

  async #put(
    userId: string,
    { path, content }: { path: string; content: string },
    expected: Expected,
  ): Promise<DocumentFacts | null> {
    const { store, clock } = this.#options;
    const size = Buffer.byteLength(content);
    if (size > maxDocumentBytes)
      throw new AppError('body_too_large', { message: `At most ${maxDocumentBytes} bytes are stored.` });
    const document = { path, content, size, modifiedAt: toIso(clock()) };
    const written = await store.put({ user: userId }, document, { expected, limits });
    if (written === 'full') throw new AppError('quota_exceeded', { message: full });
    return written === 'changed' ? null : written;
  }
}

const full = `An account stores at most ${limits.documents} files of this kind with ${limits.bytes} bytes. Delete some of them.`;
