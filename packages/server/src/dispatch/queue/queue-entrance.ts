import { AppError } from '../../lib/app-error.ts';
import type { Matchmaker } from './matchmaker.ts';

const retryAfterSeconds = 10;

/** Keeps the queue within its limits, which include submissions that are being written. */
export class QueueEntrance {
  readonly #queue: Pick<Matchmaker, 'size' | 'sizeOf'>;
  readonly #limits: { queued: number; queuedPerUser: number };
  readonly #enteringOf = new Map<string, number>();
  #entering = 0;

  constructor(queue: Pick<Matchmaker, 'size' | 'sizeOf'>, limits: { queued: number; queuedPerUser: number }) {
    this.#queue = queue;
    this.#limits = limits;
  }

  /** Holds a place until the task has been written and stands in the queue. */
  async hold<Result>(userId: string, enter: () => Promise<Result>): Promise<Result> {
    this.#requireRoom(userId);
    this.#count(userId, 1);
    try {
      return await enter();
    } finally {
      this.#count(userId, -1);
    }
  }

  #requireRoom(userId: string): void {
    const { queued, queuedPerUser } = this.#limits;
    if (this.#queue.size + this.#entering >= queued) {
      const message = `The queue holds ${queued} tasks and takes no more. Try again when some have run.`;
      throw new AppError('queue_full', { message, retryAfterSeconds });
    }
    if (this.#queue.sizeOf(userId) + (this.#enteringOf.get(userId) ?? 0) >= queuedPerUser) {
      const message = `You have ${queuedPerUser} tasks waiting, as many as one user may. Try again when some have run.`;
      throw new AppError('queue_full', { message, retryAfterSeconds });
    }
  }

  #count(userId: string, change: 1 | -1): void {
    this.#entering += change;
    const entering = (this.#enteringOf.get(userId) ?? 0) + change;
    if (entering > 0) this.#enteringOf.set(userId, entering);
    else this.#enteringOf.delete(userId);
  }
}
