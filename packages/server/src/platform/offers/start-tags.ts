import type { RedisClient } from '../redis/redis-server.ts';
import { maxPriority } from './offer-queue.ts';

/** The thing that is offered, and the account for which it is. */
export interface TagRequest {
  id: string;
  owner: string;
}

interface StartTagsOptions {
  connection: Pick<RedisClient, 'eval' | 'get' | 'del'>;
  key: (name: string) => string;
}

/** Above this, the tags begin again. It leaves room for what is offered until a sweep has seen it. */
const restartAt = maxPriority - 500_000;

/**
 * Start-time fair queueing: each owner's next offer starts one after its last one, and not before what is served at the
 * moment. An owner with many offers and one with a few take turns, and one who comes back has saved nothing up.
 * ARGV: pairs of id and owner. Replies with the tag of each.
 */
const tagScript = `
local now = tonumber(redis.call('GET', KEYS[1]) or '0')
local tags = {}
for i = 1, #ARGV, 2 do
  local tag = redis.call('HGET', KEYS[3], ARGV[i])
  if not tag then
    tag = math.max(now, tonumber(redis.call('ZSCORE', KEYS[2], ARGV[i + 1]) or '0'))
    redis.call('ZADD', KEYS[2], tag + 1, ARGV[i + 1])
    redis.call('HSET', KEYS[3], ARGV[i], tag)
  end
  tags[#tags + 1] = tonumber(tag)
end
return tags`;

/** ARGV: id, 1 when it is served. The time moves to its tag, and owners whose turn is over by then are forgotten. */
const doneScript = `
local tag = redis.call('HGET', KEYS[3], ARGV[1])
if not tag then return 0 end
redis.call('HDEL', KEYS[3], ARGV[1])
if ARGV[2] ~= '1' then return 0 end
local now = redis.call('GET', KEYS[1]) or '0'
if tonumber(tag) > tonumber(now) then
  now = tag
  redis.call('SET', KEYS[1], now)
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
return 1`;

/** The order between owners that all processes share. Redis may forget it: then all owners begin again as equals. */
export class StartTags {
  readonly #connection: StartTagsOptions['connection'];
  readonly #keys: [string, string, string];

  constructor({ connection, key }: StartTagsOptions) {
    this.#connection = connection;
    this.#keys = [key('now'), key('finish'), key('tags')];
  }

  /** The priority of each offer. One that has a tag keeps it, however often it is offered. */
  async prioritiesOf(requests: readonly TagRequest[]): Promise<number[]> {
    if (requests.length === 0) return [];
    const args = requests.flatMap(({ id, owner }) => [id, owner]);
    const tags = (await this.#connection.eval(tagScript, 3, ...this.#keys, ...args)) as number[];
    return tags.map((tag) => Math.min(tag + 1, maxPriority));
  }

  async served(id: string): Promise<void> {
    await this.#connection.eval(doneScript, 3, ...this.#keys, id, '1');
  }

  /** The offer came to nothing. */
  async dropped(id: string): Promise<void> {
    await this.#connection.eval(doneScript, 3, ...this.#keys, id, '0');
  }

  /** Returns whether the numbers come to their end, so that what waits has to be offered again from the beginning. */
  async isWorn(): Promise<boolean> {
    return Number((await this.#connection.get(this.#keys[0])) ?? 0) >= restartAt;
  }

  async reset(): Promise<void> {
    await this.#connection.del(...this.#keys);
  }
}
