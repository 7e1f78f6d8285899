import { AppError } from '../../lib/app-error.ts';
import { UserTurns } from '../../lib/async/user-turns.ts';
import { Shares } from '../../lib/shares.ts';

/** Two leave the other threads of the process to the disk and to passwords. */
const madeAtOnce = 2;
/** The number of pictures that are made or wait, for one caller and for all. A page of a gallery has 200. */
const limits = { each: 600, together: 2_000 };
const retryAfterSeconds = 5;

/** Pictures are decoded and made a few at a time, and callers take turns. A caller is a user, or what all others have in common. */
export class PictureWork {
  readonly #shares = new Shares(limits);
  readonly #turns = new UserTurns({ atOnce: madeAtOnce, atOncePerUser: madeAtOnce });

  /** The next picture is made while `keep` still writes this one. */
  async run(
    caller: string,
    make: () => Promise<Buffer>,
    keep?: (bytes: Buffer) => Promise<void>,
  ): Promise<Buffer> {
    if (this.#shares.take(caller) !== 'taken') throw new AppError('thumbnails_busy', { retryAfterSeconds });
    try {
      const bytes = await this.#turns.run(caller, make);
      await keep?.(bytes);
      return bytes;
    } finally {
      this.#shares.give(caller);
    }
  }
}
