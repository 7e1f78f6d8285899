import { newDeferred } from '../../lib/async/deferred.ts';
import { minuteMs } from '../../lib/time-units.ts';
import type { RedisClient, RedisServer } from '../redis/redis-server.ts';
import {
  type EntryId,
  firstEntry,
  idText,
  isAfter,
  type RawEntry,
  readEntry,
  readId,
  type StreamEntry,
} from './stream-entries.ts';

export interface Follower {
  take(entries: readonly StreamEntry[]): void;
  /** The connection was lost. The follower is dropped. */
  lose(): void;
}

interface Followed {
  at: EntryId;
  followers: Set<Follower>;
}

type XreadReply = [name: string, entries: RawEntry[]][] | null;

/** A read without news ends after this time, so that a dead connection is noticed. */
const blockMs = 1_000;
const silenceMs = 3_000;
const maxEntries = 1_000;

/** New entries of the streams that are read here and written elsewhere: one connection for all readers of the process. */
export class RedisTail {
  readonly #redis: RedisServer;
  readonly #client: RedisClient;
  readonly #followed = new Map<string, Followed>();
  /** A stream of this process alone; an entry in it ends a read that blocks, so that it begins again with all keys. */
  readonly #bell: string;
  #bellAt = '0-0';
  #isReading = false;
  #isClosed = false;

  constructor(redis: RedisServer, processId: string) {
    this.#redis = redis;
    this.#bell = redis.key('bell', processId);
    this.#client = redis.connect('stream-tail', { isBlocking: true, options: { socketTimeout: silenceMs } });
  }

  untilReady(): Promise<void> {
    return this.#redis.untilReady(this.#client);
  }

  /** Returns false when entries after `at` have already been handed out. The caller fetches them and tries again. */
  join(key: string, at: EntryId, follower: Follower): boolean {
    const followed = this.#followed.get(key);
    if (followed && isAfter(followed.at, at)) return false;
    if (followed) followed.followers.add(follower);
    else {
      this.#followed.set(key, { at, followers: new Set([follower]) });
      this.#ring();
    }
    if (!this.#isReading) void this.#read();
    return true;
  }

  /** The last entry that was handed out. */
  placeOf(key: string): EntryId | undefined {
    return this.#followed.get(key)?.at;
  }

  leave(key: string, follower: Follower): void {
    const followed = this.#followed.get(key);
    followed?.followers.delete(follower);
    if (followed?.followers.size === 0) this.#followed.delete(key);
  }

  close(): void {
    this.#isClosed = true;
    this.#redis.release(this.#client);
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    while (this.#followed.size > 0 && !this.#isClosed) {
      try {
        await this.#untilBack();
        const asked = new Map(this.#followed);
        const keys = [...asked.keys()];
        const reply = (await this.#client.xread(
          'COUNT',
          maxEntries,
          'BLOCK',
          blockMs,
          'STREAMS',
          this.#bell,
          ...keys.map((key) => this.#redis.key('run', key)),
          this.#bellAt,
          ...keys.map((key) => idText(asked.get(key)?.at ?? firstEntry)),
        )) as XreadReply;
        for (const [name, entries] of reply ?? []) this.#handOut(name, { entries, asked });
      } catch (error) {
        this.#loseAll(error);
      }
    }
    this.#isReading = false;
  }

  #handOut(
    name: string,
    { entries: raw, asked }: { entries: readonly RawEntry[]; asked: ReadonlyMap<string, Followed> },
  ): void {
    const newest = raw.at(-1)?.[0];
    if (newest === undefined) return;
    if (name === this.#bell) {
      this.#bellAt = newest;
      return;
    }
    const key = name.slice(this.#redis.key('run', '').length);
    const followed = this.#followed.get(key);
    // A follower that joined after all others had left may be at an earlier place than this read. The next read begins there.
    if (!followed || followed !== asked.get(key)) return;
    // Decoded once for all followers.
    const entries = raw.map(readEntry).filter(({ at }) => isAfter(at, followed.at));
    if (entries.length === 0) return;
    followed.at = readId(newest);
    for (const follower of [...followed.followers]) follower.take(entries);
  }

  #loseAll(error: unknown): void {
    if (!this.#isClosed) this.#redis.noteFault(error);
    const all = [...this.#followed.values()].flatMap(({ followers }) => [...followers]);
    this.#followed.clear();
    for (const follower of all) follower.lose();
  }

  async #untilBack(): Promise<void> {
    if (this.#client.status === 'ready') return;
    if (this.#client.status === 'reconnecting') throw new Error('Connection is closed.');
    const changed = newDeferred();
    const fail = (): void => changed.reject(new Error('Connection is closed.'));
    this.#client.once('ready', changed.resolve).once('close', fail);
    try {
      await changed.promise;
    } finally {
      this.#client.off('ready', changed.resolve).off('close', fail);
    }
  }

  #ring(): void {
    if (!this.#isReading) return;
    const { commands } = this.#redis;
    const rung = commands.xadd(this.#bell, 'MAXLEN', 1, '*', 'for', 'a new reader');
    // Without it the new key is read from the next turn on, a second later.
    rung
      .then(() => commands.pexpire(this.#bell, minuteMs))
      .catch((error: unknown) => this.#redis.noteFault(error));
  }
}
