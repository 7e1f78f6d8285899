import type { Redis } from 'ioredis';

/** Tells clusters apart that use the same Redis. */
export interface ClusterName {
  /** The identity of the database. */
  database: string;
  /** Returns fingerprints of the secrets of this replica, that of the one that signs first. */
  secrets: () => readonly string[];
}

/** A cluster that has stopped gives its prefix back after this time. */
const claimMs = 60_000;

/**
 * Replies with the name that holds the prefix, after taking it when it was free or held by a name of this cluster. It also shows
 * that writes work.
 */
const script = `
local held = redis.call('GET', KEYS[1])
local isOurs = not held
for index = 2, #ARGV do isOurs = isOurs or held == ARGV[index] end
if not isOurs then return held end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[1])
return ARGV[2]`;

/** Takes or keeps the prefix for this cluster. Returns null, or what is wrong, without the name of the server. */
export async function claimPrefix(
  client: Pick<Redis, 'eval'>,
  key: string,
  { database, secrets }: ClusterName,
): Promise<string | null> {
  const names = secrets().map((secret) => `${database} ${secret}`);
  const held = String(await client.eval(script, 1, key, claimMs, ...names));
  if (held.split(' ')[0] !== database)
    return 'serves replicas of another database under the same prefix; set another bus.prefix.';
  if (!names.includes(held))
    return 'serves replicas with another auth.jwt_secret; set the same auth.jwt_secret for all of them.';
  return null;
}
