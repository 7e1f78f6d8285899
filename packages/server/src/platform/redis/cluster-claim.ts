import type { Redis } from 'ioredis';

/** Tells clusters apart that use the same Redis. */
export interface ClusterName {
  /** The identity of the database. */
  database: string;
  /** A fingerprint of the secret that signs sessions. */
  secret: string;
}

/** A cluster that has stopped gives its prefix back after this time. */
const claimMs = 60_000;

/** Replies with the name that holds the prefix, after taking it when it was free. It also shows that writes work. */
const script = `
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return held end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]`;

/** Takes or keeps the prefix for this cluster. Returns null, or what is wrong, without the name of the server. */
export async function claimPrefix(
  client: Pick<Redis, 'eval'>,
  key: string,
  { database, secret }: ClusterName,
): Promise<string | null> {
  const held = String(await client.eval(script, 1, key, `${database} ${secret}`, claimMs));
  const [heldDatabase, heldSecret] = held.split(' ');
  if (heldDatabase !== database)
    return 'serves replicas of another database under the same prefix; set another bus.prefix.';
  if (heldSecret !== secret)
    return 'serves replicas with another auth.jwt_secret; set the same auth.jwt_secret for all of them.';
  return null;
}
