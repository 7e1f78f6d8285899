/**
 * The ideal with which the gateway's authenticated read is compared: Fastify, the same check of the same token, the
 * same two statements on the same file in the same way, the same serialiser, and nothing else. Prints its address.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listAccessTokens } from '@switchyard/contract/accounts/access-token';
import { onlySecret } from '@switchyard/server/accounts/secrets/key-file';
import { SigningKeys } from '@switchyard/server/accounts/secrets/signing-keys';
import { SessionTokens } from '@switchyard/server/accounts/session-token';
import { SqliteConnection } from '@switchyard/server/platform/database/sqlite/sqlite-connection';
import fastify from 'fastify';

const home = process.argv[2] ?? '';
const connection = new SqliteConnection(join(home, 'data/switchyard.db'));
const secret = readFileSync(join(home, '.jwt_secret'), 'utf8').trim();
const tokens = new SessionTokens({
  keys: new SigningKeys(onlySecret(secret, home), Date.now),
  clock: Date.now,
});

const readUser = `
  select users.id, users.token_version, users.disabled, revoked_sessions.session_id as revoked
  from users left join revoked_sessions on revoked_sessions.session_id = ? where users.id = ?`;
const readTokens = 'select * from access_tokens where user_id = ? order by created_at, id';

interface UserRow {
  id: string;
  token_version: number;
  revoked: string | null;
  disabled: number;
}

const app = fastify();
app.get(listAccessTokens.url, { schema: { response: listAccessTokens.schema.response } }, async (request) => {
  const token = /(?:^|; )access_token=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
  const claims = tokens.verify('session', token);
  const [user] = connection.run(readUser, [claims.jti, claims.sub]).rows as UserRow[];
  if (!user || user.token_version !== claims.ver || user.revoked !== null || user.disabled !== 0)
    throw new Error('This token opens nothing.');
  const rows = connection.run(readTokens, [user.id]).rows as { scopes: string }[];
  return { total: rows.length, items: rows.map((row) => ({ ...row, scopes: JSON.parse(row.scopes) })) };
});
// biome-ignore lint/nursery/useAwaitThenable: it sees the overload of listen that takes a callback
const address = await app.listen({ port: 0, host: '127.0.0.1' });
console.log(address);
