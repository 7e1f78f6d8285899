import { AppError } from '../../lib/app-error.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import type { DispatchTables } from '../tables.ts';
import { countQueued } from '../tasks/queue-room-store.ts';
import type { Matchmaker } from './matchmaker.ts';

interface EntranceOptions {
  queue: Pick<Matchmaker, 'size' | 'sizeOf'>;
  limits: { queued: number; queuedPerUser: number };
  /**
   * `none`: this gateway is alone. Otherwise other replicas take tasks as well; with `heard`, this one learns of it at
   * once.
   */
  others: 'none' | 'heard' | 'unheard';
}

/** Part of the unit that stores the task. It throws when there is no room. */
export type RoomCheck = (trx: WriteTransaction<DispatchTables>) => Promise<void>;

const retryAfterSeconds = 10;
/** A limit up to this one is counted in the rows for each task. */
const smallLimit = 1_000;

/**
 * Keeps the queue within its limits, which include submissions that are being written. With several replicas the rows
 * decide: always about a small limit, otherwise once half of the places are taken as far as this replica knows. Until then
 * counting would only make submissions wait for each other.
 */
export class QueueEntrance {
  readonly #options: EntranceOptions;
  readonly #enteringOf = new Map<string, number>();
  #entering = 0;

  constructor(options: EntranceOptions) {
    this.#options = options;
  }

  /** Holds a place until the task has been written and stands in the queue. The check, if any, is part of the write. */
  async hold<Result>(userId: string, enter: (check: RoomCheck | null) => Promise<Result>): Promise<Result> {
    const check = this.#checkFor(userId);
    this.#count(userId, 1);
    try {
      return await enter(check);
    } finally {
      this.#count(userId, -1);
    }
  }

  /** Returns whose limit keeps a further task out, as far as this replica knows; null when there is room. */
  fullFor(userId: string): 'all' | 'user' | null {
    const { all, own } = this.#known(userId);
    const { queued, queuedPerUser } = this.#options.limits;
    if (all >= queued) return 'all';
    return own >= queuedPerUser ? 'user' : null;
  }

  #known(userId: string): { all: number; own: number } {
    const { queue } = this.#options;
    return {
      all: queue.size + this.#entering,
      own: queue.sizeOf(userId) + (this.#enteringOf.get(userId) ?? 0),
    };
  }

  #checkFor(userId: string): RoomCheck | null {
    const { limits, others } = this.#options;
    const { all, own } = this.#known(userId);
    if (others === 'none') {
      requireRoomForAll(all + 1, limits);
      requireRoomForOne(own + 1, limits);
      return null;
    }
    const isCounted = (known: number, limit: number): boolean =>
      others === 'unheard' || limit <= smallLimit || 2 * known >= limit;
    const [countsAll, countsOwn] = [isCounted(all, limits.queued), isCounted(own, limits.queuedPerUser)];
    if (!countsAll && !countsOwn) return null;
    return async (trx) => {
      if (countsAll) requireRoomForAll((await countQueued(trx, null)) + 1, limits);
      if (countsOwn) requireRoomForOne((await countQueued(trx, userId)) + 1, limits);
    };
  }

  #count(userId: string, change: 1 | -1): void {
    this.#entering += change;
    const entering = (this.#enteringOf.get(userId) ?? 0) + change;
    if (entering > 0) this.#enteringOf.set(userId, entering);
    else this.#enteringOf.delete(userId);
  }
}

type Limits = EntranceOptions['limits'];

/** The count includes the task that wants to enter. */
function requireRoomForAll(count: number, { queued }: Limits): void {
  if (count <= queued) return;
  const message = `The queue holds ${queued} tasks and takes no more. Try again when some have run.`;
  throw new AppError('queue_full', { message, retryAfterSeconds });
}

/** The same for the tasks of its owner. */
function requireRoomForOne(count: number, { queuedPerUser }: Limits): void {
  if (count <= queuedPerUser) return;
  const message = `You have ${queuedPerUser} tasks waiting, as many as one user may. Try again when some have run.`;
  throw new AppError('queue_full', { message, retryAfterSeconds });
}
