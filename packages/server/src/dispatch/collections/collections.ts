import type { Collection, CollectionQuery } from '@switchyard/contract/dispatch/collection';
import type { FileMarks, StoredFile } from '@switchyard/contract/dispatch/file';
import { AppError } from '../../lib/app-error.ts';
import { toIso } from '../../lib/clock.ts';
import { newTimeOrderedId } from '../../lib/ids.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { StoredFiles } from '../files/stored-files.ts';
import type { ShareStore } from '../shares/share-store.ts';
import type { CollectionRow, CollectionStore, ShownCollection } from './collection-store.ts';

/** The user who asks, and the address where they reached the gateway: links in the answer point there. */
interface Caller {
  user: string;
  origin: string | undefined;
}

interface Named {
  collectionId: string;
  fileIds: readonly string[];
}

/** Files that a user puts together, in an order of their own. A collection keeps its files. */
export class Collections {
  readonly #options;

  constructor(
    options: Pick<DispatchParts, 'clock' | 'events' | 'emailsOf'> & {
      store: CollectionStore;
      files: Pick<StoredFiles, 'view' | 'viewNew' | 'viewShared'>;
      shares: Pick<ShareStore, 'right' | 'receivers'>;
    },
  ) {
    this.#options = options;
  }

  async create(caller: Caller, name: string): Promise<Collection> {
    const { store, clock } = this.#options;
    const createdAt = toIso(clock());
    const row: CollectionRow = {
      id: newTimeOrderedId(clock()),
      owner: caller.user,
      name: name.trim(),
      coverFileId: null,
      itemCount: 0,
      createdAt,
      updatedAt: createdAt,
    };
    await store.insert(caller.user, row);
    this.#announce(caller, row.id, []);
    return this.#view(caller, { row, cover: undefined });
  }

  async list(
    caller: Caller,
    { name, fileId, limit = 50, offset = 0 }: CollectionQuery,
  ): Promise<{ total: number; items: Collection[] }> {
    const { total, items } = await this.#options.store.list(caller.user, { name, fileId, limit, offset });
    return { total, items: items.map((shown) => this.#view(caller, shown)) };
  }

  async get(caller: Caller, collectionId: string): Promise<Collection> {
    const shown = await this.#readable(caller.user, collectionId);
    const { owner } = shown.row;
    const isOwn = owner === caller.user;
    const sharedBy = isOwn ? null : ((await this.#options.emailsOf([owner])).get(owner) ?? '');
    return { ...this.#view(caller, shown), sharedBy };
  }

  /** A collection of this user, or one that its owner shares with them. */
  async #readable(user: string, collectionId: string): Promise<ShownCollection> {
    const { store, shares } = this.#options;
    const own = await store.get(user, collectionId);
    const right = own ? undefined : await shares.right(user, 'collection', collectionId);
    const shown = own ?? (right && (await store.get(right.owner, collectionId)));
    if (!shown) throw new AppError('collection_not_found');
    return shown;
  }

  async change(
    caller: Caller,
    collectionId: string,
    { name, coverFileId }: { name?: string | undefined; coverFileId?: string | null | undefined },
  ): Promise<Collection> {
    const change = { name: name?.trim(), coverFileId };
    await this.#options.store.change(caller.user, this.#changed(collectionId), change);
    return this.#changedView(caller, collectionId);
  }

  async delete(caller: Caller, collectionId: string): Promise<void> {
    const { store, shares } = this.#options;
    // Its shares go with it.
    const receivers = await shares.receivers('collection', collectionId);
    const isGone = await store.delete(caller.user, collectionId);
    if (!isGone) throw new AppError('collection_not_found');
    this.#announce(caller, collectionId, receivers);
  }

  async files(
    caller: Caller,
    collectionId: string,
    { limit = 50, cursor }: { limit?: number | undefined; cursor?: string | undefined },
  ): Promise<{ total: number; items: StoredFile[]; nextCursor: string | null }> {
    const { store, files } = this.#options;
    const { row: collection } = await this.#readable(caller.user, collectionId);
    const isOwn = collection.owner === caller.user;
    const after = cursor === undefined ? undefined : placeIn(cursor);
    const { rows, notes } = await store.files(collectionId, { after, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const items = page.map((row) =>
      isOwn
        ? files.view(row, { notes: notes.get(row.id), origin: caller.origin })
        : { ...files.viewShared(row, caller.origin), ...sharedMarks },
    );
    const last = page.at(-1);
    return {
      total: collection.itemCount,
      items,
      nextCursor: rows.length > limit && last ? cursorAfter(last.place) : null,
    };
  }

  async add(caller: Caller, { collectionId, fileIds }: Named): Promise<Collection> {
    await this.#options.store.add(caller.user, this.#changed(collectionId), fileIds);
    return this.#changedView(caller, collectionId);
  }

  async remove(caller: Caller, { collectionId, fileIds }: Named): Promise<Collection> {
    await this.#options.store.remove(caller.user, this.#changed(collectionId), fileIds);
    return this.#changedView(caller, collectionId);
  }

  async move(
    caller: Caller,
    { collectionId, fileIds, before }: Named & { before: string | null },
  ): Promise<Collection> {
    if (before !== null && fileIds.includes(before)) {
      const message = 'The file that follows is among those that are moved. Name one that stays.';
      throw new AppError('validation_failed', {
        faults: [{ in: 'body', path: ['before'], type: 'value_error', message }],
      });
    }
    await this.#options.store.move(caller.user, this.#changed(collectionId), { fileIds, before });
    return this.#changedView(caller, collectionId);
  }

  async #changedView(caller: Caller, collectionId: string): Promise<Collection> {
    const receivers = await this.#options.shares.receivers('collection', collectionId);
    this.#announce(caller, collectionId, receivers);
    return this.get(caller, collectionId);
  }

  #announce({ user: owner }: Caller, collectionId: string, receivers: readonly (string | null)[]): void {
    const { events } = this.#options;
    events.announce({ type: 'collection_changed', owner, collectionId });
    for (const each of receivers)
      events.announce({ type: 'share_changed', owner: each, kind: 'collection', subjectId: collectionId });
  }

  #changed(collectionId: string): { collectionId: string; at: string } {
    return { collectionId, at: toIso(this.#options.clock()) };
  }

  #view({ user, origin }: Caller, { row, cover }: ShownCollection): Collection {
    const { id, name, itemCount, coverFileId, createdAt, updatedAt } = row;
    const { files } = this.#options;
    const isOwn = row.owner === user;
    const shown = cover ? (isOwn ? files.viewNew(cover, origin) : files.viewShared(cover, origin)) : null;
    return { id, name, count: itemCount, coverFileId, cover: shown, sharedBy: null, createdAt, updatedAt };
  }
}

/** A share opens the files, not what their owner notes about them or which task made them. */
const sharedMarks: FileMarks = {
  starred: false,
  caption: '',
  tags: [],
  keptBy: ['collection'],
  expiresAt: null,
};

/** The cursor of the page behind this place. Clients pass it back as it is. */
function cursorAfter(place: number): string {
  return Buffer.from(String(place)).toString('base64url');
}

function placeIn(cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString();
  const place = Number(text);
  if (text !== '' && Number.isFinite(place)) return place;
  const message = 'This is no cursor of a collection. Pass nextCursor of the page before.';
  throw new AppError('validation_failed', {
    faults: [{ in: 'query', path: ['cursor'], type: 'value_error', message }],
  });
}
