import { createHash } from 'node:crypto';
import { startGateway } from '@switchyard/dev-env/gateway';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Fetch } from '../src/lib/bounded-fetch.ts';
import { dayMs, hourMs, minuteMs } from '../src/lib/time-units.ts';
import { clientDocuments } from '../src/ops/outbound-networks.ts';
import type { AuditTables } from '../src/platform/audit/tables.ts';
import { Outbound } from '../src/platform/outbound/outbound.ts';
import { noProxies } from '../src/platform/outbound/proxy-rules.ts';
import { AccountsServer } from './support/accounts-server.ts';
import { type Answer, Client, firstAdmin, newUser, rightPassword, withToken } from './support/client.ts';

const issuer = 'https://gate.example.com';
const resource = `${issuer}/mcp`;
const redirect = 'https://client.example/callback';
const verifier = 'v'.repeat(43);
const challenge = createHash('sha256').update(verifier).digest('base64url');

/** What addresses on the network answer; every other address is asked for in earnest. */
const guarded = clientDocuments(new Outbound(noProxies));
const documents = new Map<string, () => Response>();
const fetched: Fetch = async (address, init) => documents.get(String(address))?.() ?? guarded(address, init);

let server: AccountsServer;
let ada: Client;
let stranger: Client;
let clientId: string;
let users = 0;

beforeAll(async () => {
  server = await AccountsServer.start({
    oauth: { isEnabled: true, issuer: () => issuer, fetch: fetched },
    trusted: [],
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  users += 1;
  const ip = `198.51.100.${users}`;
  ada = await newUser(server, `ada${users}@example.com`, { ip });
  stranger = new Client(server, { ip });
  clientId = (await registered()).body.client_id;
});

function registered(fields: object = {}): Promise<Answer> {
  const body = { client_name: 'A client', redirect_uris: [redirect], ...fields };
  return stranger.post('/oauth/register', { body });
}

function asked(fields: Record<string, string | undefined> = {}): Record<string, string> {
  const usual = {
    client_id: clientId,
    redirect_uri: redirect,
    response_type: 'code',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope: 'mcp dispatch:read',
    state: 'of the client',
    resource,
  };
  return JSON.parse(JSON.stringify({ ...usual, ...fields }));
}

const shown = (fields?: Parameters<typeof asked>[0], client = ada) =>
  client.get(`/api/v1/auth/grants/request?${new URLSearchParams(asked(fields))}`);
const decided = (fields?: Parameters<typeof asked>[0], { allow = true, client = ada } = {}) =>
  client.post('/api/v1/auth/grants', { body: { ...asked(fields), allow } });

async function redirected(fields?: Parameters<typeof asked>[0], options?: { allow: boolean }) {
  const { status, body } = await decided(fields, options);
  expect(status).toBe(200);
  return new URL(body.redirect_to);
}

const codeOf = async (fields?: Parameters<typeof asked>[0]) =>
  (await redirected(fields)).searchParams.get('code') ?? '';

function exchanged(code: string, fields: Record<string, string> = {}): Promise<Answer> {
  const form = { grant_type: 'authorization_code', client_id: clientId, redirect_uri: redirect };
  return stranger.post('/oauth/token', { form: { ...form, code, code_verifier: verifier, ...fields } });
}

function refreshed(token: string, fields: Record<string, string> = {}): Promise<Answer> {
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, ...fields };
  return stranger.post('/oauth/token', { form });
}

/** A whole sign-in. */
async function signedIn(fields?: Parameters<typeof asked>[0]) {
  const { status, body } = await exchanged(await codeOf(fields));
  expect(status).toBe(200);
  return body as { access_token: string; refresh_token: string; scope: string; expires_in: number };
}

const opens = async (token: string) => (await withToken(server, token).post('/mcp', { body: {} })).status;
const tokens = async () => (await ada.get('/api/v1/auth/tokens')).body.items;
const denied = (error: string) => ({ status: 400, body: { error, error_description: expect.any(String) } });

describe('a sign-in', () => {
  test('is described where clients look for it, and goes from there to a token for /mcp alone', async () => {
    const described = (await stranger.get('/.well-known/oauth-protected-resource/mcp')).body;
    expect(described).toMatchObject({ resource, authorization_servers: [issuer] });
    const metadata = (await stranger.get('/.well-known/oauth-authorization-server')).body;
    expect(metadata).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/connect`,
      token_endpoint: `${issuer}/oauth/token`,
      code_challenge_methods_supported: ['S256'],
      scopes_supported: ['dispatch:read', 'dispatch:write', 'conversation:read', 'conversation:write', 'mcp'],
    });

    expect((await shown()).body).toEqual({
      client: 'A client',
      document: null,
      redirect_host: 'client.example',
      scopes: ['dispatch:read', 'mcp'],
      refusal: null,
    });
    const { origin, pathname, searchParams } = await redirected();
    expect(origin + pathname).toBe(redirect);
    const { code = '', ...others } = Object.fromEntries(searchParams);
    expect(others).toEqual({ state: 'of the client', iss: issuer });

    const { status, headers, body } = await exchanged(code, { resource });
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^sy_pat_/),
      token_type: 'Bearer',
      expires_in: 3_600,
      refresh_token: expect.stringMatching(/^sy_ref_/),
      scope: 'dispatch:read mcp',
    });
    expect(await opens(body.access_token)).toBe(200);
    const elsewhere = await withToken(server, body.access_token).get('/api/tasks');
    expect([elsewhere.status, elsewhere.body.error]).toEqual([401, 'token_invalid']);
  });

  test('shows as a token of that client, is on record, and is stored as hashes alone', async () => {
    const { access_token, refresh_token } = await signedIn();
    const [token] = await tokens();
    expect(token).toMatchObject({
      name: 'A client',
      client: 'client.example',
      scopes: ['dispatch:read', 'mcp'],
    });
    const read = (table: 'access_tokens' | 'oauth_grants' | 'oauth_clients') =>
      server.database.read.selectFrom(table).selectAll().execute();
    const rows = JSON.stringify([await read('access_tokens'), await read('oauth_grants')]);
    for (const secret of [access_token, refresh_token.split('.')[0], refresh_token.split('.')[1], verifier])
      expect(rows).not.toContain(secret);
    const audit = await server.database
      .withTables<AuditTables>()
      .read.selectFrom('audit_records')
      .selectAll()
      .where('target', '=', `access_token:${token.id}`)
      .execute();
    expect(audit.map(({ action }) => action)).toEqual(['access_token.granted']);
    expect(JSON.parse(audit[0]?.details ?? '')).toMatchObject({ client: 'A client', redirect });
  });

  test('gives all that clients may have to one that names no scope, which is never admin', async () => {
    ada = await firstAdmin(server);
    expect((await shown({ scope: undefined })).body.scopes).toEqual([
      'dispatch:read',
      'dispatch:write',
      'conversation:read',
      'conversation:write',
      'mcp',
    ]);
    for (const scope of ['admin', 'mcp admin', 'comfyui', 'mcp everything']) {
      const { refusal } = (await shown({ scope })).body;
      expect(refusal.error).toBe('invalid_scope');
      expect((await redirected({ scope })).searchParams.get('error')).toBe('invalid_scope');
    }
  });

  test.each([
    ['no PKCE', { code_challenge: undefined }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'short' }, 'invalid_request'],
    ['a token in the address', { response_type: 'token' }, 'unsupported_response_type'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
  ])('with %s is told so at the address of the client, and nothing is given', async (_, fields, error) => {
    const { searchParams } = await redirected(fields);
    expect(Object.fromEntries(searchParams)).toMatchObject({ error, state: 'of the client', iss: issuer });
    expect(searchParams.has('code')).toBe(false);
  });

  test('that the user refuses gives no code', async () => {
    const { searchParams } = await redirected({}, { allow: false });
    expect(Object.fromEntries(searchParams)).toEqual({
      error: 'access_denied',
      state: 'of the client',
      iss: issuer,
    });
  });

  test('is begun in a session alone: neither a token nor a stranger allows it', async () => {
    const body = { name: 'x', scopes: ['conversation:read', 'conversation:write'] };
    const { token } = (await ada.post('/api/v1/auth/tokens', { body })).body;
    for (const client of [withToken(server, token), withToken(server, (await signedIn()).access_token)])
      expect((await decided({}, { client })).status).toBeGreaterThanOrEqual(401);
    expect((await decided({}, { client: stranger })).status).toBe(403);
    ada.cookies.set('csrf_token', 'of another site');
    expect((await decided()).status).toBe(403);
  });
});

describe('a redirect address', () => {
  test.each([
    'https://client.example/callback/',
    'https://client.example/callback?x=1',
    'https://client.example:8443/callback',
    'https://evil.example/callback',
    'http://client.example/callback',
    'https://CLIENT.example/callback',
    'javascript:alert(1)',
    '',
  ])('that the client has not named gets nothing: %s', async (redirect_uri) => {
    for (const { status, body } of [await shown({ redirect_uri }), await decided({ redirect_uri })])
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('redirect address')]);
  });

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'http://client.example/cb',
    'http://127.evil.example/cb',
    'https://client.example/#x',
    'https://me:pw@client.example/',
    'cursor://x/y',
    '/callback',
  ])('that could not be trusted is not registered: %s', async (uri) => {
    expect(await registered({ redirect_uris: [redirect, uri] })).toMatchObject(
      denied('invalid_redirect_uri'),
    );
  });

  test('of a program on the user’s machine has any port', async () => {
    clientId = (await registered({ redirect_uris: ['http://127.0.0.1/cb', 'http://[::1]:1/cb'] })).body
      .client_id;
    for (const redirect_uri of ['http://127.0.0.1:53211/cb', 'http://[::1]:2/cb'])
      expect((await shown({ redirect_uri })).status).toBe(200);
    for (const redirect_uri of ['http://localhost:53211/cb', 'http://127.0.0.1:53211/other'])
      expect((await shown({ redirect_uri })).status).toBe(400);
  });
});

describe('a code', () => {
  test('that is replayed takes back what it gave', async () => {
    const code = await codeOf();
    const { body } = await exchanged(code);
    expect(await opens(body.access_token)).toBe(200);
    expect(await exchanged(code)).toMatchObject(denied('invalid_grant'));
    expect(await opens(body.access_token)).toBe(401);
    expect(await refreshed(body.refresh_token)).toMatchObject(denied('invalid_grant'));
    expect(await tokens()).toEqual([]);
  });

  test('that two bring at once gives at most one token, which then ends', async () => {
    const code = await codeOf();
    const answers = await Promise.all([exchanged(code), exchanged(code), exchanged(code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect(await tokens()).toEqual([]);
  });

  test('is good for a minute', async () => {
    const [soon, late] = [await codeOf(), await codeOf()];
    server.time.jump(minuteMs - 1);
    expect((await exchanged(soon)).status).toBe(200);
    server.time.jump(1);
    expect(await exchanged(late)).toMatchObject(denied('invalid_grant'));
  });

  test.each([
    ['the wrong verifier', { code_verifier: 'w'.repeat(43) }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_grant'],
    ['another client', { client_id: 'somebody' }, 'invalid_grant'],
    ['another redirect address', { redirect_uri: 'https://client.example/' }, 'invalid_grant'],
  ])('with %s gives nothing, also to the right client afterwards', async (_, fields, error) => {
    const code = await codeOf();
    expect(await exchanged(code, fields)).toMatchObject(denied(error));
    expect(await exchanged(code)).toMatchObject(denied('invalid_grant'));
  });

  test('gives nothing for another resource, and nothing in a form that is not one', async () => {
    const code = await codeOf();
    expect(await exchanged(code, { resource: issuer })).toMatchObject(denied('invalid_target'));
    expect(await exchanged(code, { grant_type: 'password' })).toMatchObject(denied('unsupported_grant_type'));
    const bodies = ['', 'grant_type=authorization_code', 'grant_type=a&grant_type=b&client_id=x'];
    for (const form of bodies)
      expect(await stranger.post('/oauth/token', { form })).toMatchObject(denied('invalid_request'));
    expect((await stranger.post('/oauth/token', { body: {} })).status).toBe(415);
  });
});

describe('a refresh token', () => {
  test('gives new tokens of the same sign-in, and the old ones end', async () => {
    const first = await signedIn();
    server.time.jump(hourMs);
    expect(await opens(first.access_token)).toBe(401);
    const { status, body } = await refreshed(first.refresh_token);
    expect([status, body.scope]).toEqual([200, 'dispatch:read mcp']);
    expect(await opens(body.access_token)).toBe(200);
    expect(await tokens()).toHaveLength(1);
    const narrow = (await refreshed(body.refresh_token, { scope: 'dispatch:read' })).body;
    expect([narrow.scope, await opens(narrow.access_token)]).toEqual(['dispatch:read', 403]);
  });

  test('that is used twice ends the whole sign-in', async () => {
    const first = await signedIn();
    const second = (await refreshed(first.refresh_token)).body;
    expect(await opens(second.access_token)).toBe(200);
    expect(await refreshed(first.refresh_token)).toMatchObject(denied('invalid_grant'));
    expect(await opens(second.access_token)).toBe(401);
    expect(await refreshed(second.refresh_token)).toMatchObject(denied('invalid_grant'));
    expect(await tokens()).toEqual([]);
  });

  test('gives nothing beyond what the user allowed, and outlives such a mistake', async () => {
    const { refresh_token } = await signedIn();
    for (const scope of ['admin', 'mcp conversation:write'])
      expect(await refreshed(refresh_token, { scope })).toMatchObject(denied('invalid_scope'));
    expect(await refreshed(refresh_token, { client_id: 'x' })).toMatchObject(denied('invalid_grant'));
    expect(await refreshed(refresh_token, { resource: issuer })).toMatchObject(denied('invalid_target'));
    expect(await refreshed('sy_ref_x')).toMatchObject(denied('invalid_grant'));
    expect((await refreshed(refresh_token)).status).toBe(200);
  });

  test('that no one has used for a month is over', async () => {
    const { refresh_token } = await signedIn();
    server.time.jump(30 * dayMs);
    expect(await refreshed(refresh_token)).toMatchObject(denied('invalid_grant'));
    await ada.login(`ada${users}@example.com`);
    expect(await tokens()).toEqual([]);
  });
});

describe('the end of a sign-in', () => {
  const ends: Record<string, (given: { access_token: string; refresh_token: string }) => Promise<unknown>> = {
    'the user deletes its token': async () =>
      ada.send('DELETE', `/api/v1/auth/tokens/${(await tokens())[0].id}`, {}),
    'the client revokes its refresh token': ({ refresh_token }) =>
      stranger.post('/oauth/revoke', { form: { token: refresh_token } }),
    'the client revokes its access token': ({ access_token }) =>
      stranger.post('/oauth/revoke', { form: { token: access_token } }),
    'the user changes the password': async () => {
      const body = { current_password: rightPassword, new_password: 'another horse battery' };
      return ada.post('/api/v1/auth/change-password', { body });
    },
    'the account is disabled': async () => administered({ disabled: true }),
  };

  test.each(Object.entries(ends))('comes when %s', async (_, end) => {
    const given = await signedIn();
    const pending = await codeOf();
    expect(await opens(given.access_token)).toBe(200);
    await end(given);
    expect(await opens(given.access_token)).toBe(401);
    expect(await refreshed(given.refresh_token)).toMatchObject(denied('invalid_grant'));
    const isOfAccount = /password|account/.test(_);
    expect((await exchanged(pending)).status).toBe(isOfAccount ? 400 : 200);
  });

  test('is final: an account that is enabled again has no clients', async () => {
    const { access_token } = await signedIn();
    await administered({ disabled: true });
    await administered({ disabled: false });
    expect(await opens(access_token)).toBe(401);
  });

  test('answers the same for a token that no one has', async () => {
    for (const token of ['', 'sy_ref_x', 'sy_pat_x', `sy_ref_${'a'.repeat(22)}.${'b'.repeat(43)}`])
      expect((await stranger.post('/oauth/revoke', { form: { token } })).status).toBe(200);
  });

  async function administered(change: { disabled: boolean }): Promise<void> {
    const { id } = (await server.database.read
      .selectFrom('users')
      .select('id')
      .where('email', '=', `ada${users}@example.com`)
      .executeTakeFirstOrThrow()) as { id: string };
    await server.area.store.administer({ system: 'a test' }, id, change);
  }
});

describe('the document of a client', () => {
  const url = 'https://client.example/about.json';
  const about = (fields: object = {}) => ({
    client_id: url,
    client_name: 'Described \u202eclient',
    redirect_uris: [redirect],
    token_endpoint_auth_method: 'none',
    ...fields,
  });
  const isNow = (document: unknown, init?: ResponseInit) =>
    documents.set(url, () => new Response(JSON.stringify(document), init));

  test('says who it is and where it may lead', async () => {
    isNow(about());
    clientId = url;
    const { client, document } = (await shown()).body;
    expect([client, document]).toEqual(['Described client', 'client.example']);
    expect((await shown({ redirect_uri: 'https://evil.example/' })).status).toBe(400);
    expect((await refreshed((await signedIn()).refresh_token)).status).toBe(200);
  });

  test.each([
    ['another id', () => isNow(about({ client_id: `${url}?` })), 'another client_id'],
    ['no addresses', () => isNow(about({ redirect_uris: 'https://client.example/' })), 'redirect_uris'],
    ['a secret', () => isNow(about({ token_endpoint_auth_method: 'client_secret_post' })), 'no secrets'],
    ['status 404', () => isNow(about(), { status: 404 }), '404'],
    ['no JSON', () => documents.set(url, () => new Response('<html>')), 'JSON'],
    ['too much', () => isNow(about({ x: 'x'.repeat(20_000) })), 'larger than'],
  ])('with %s is refused', async (_, answer, words) => {
    answer();
    const { status, body } = await shown({ client_id: url });
    expect([status, body.detail]).toEqual([400, expect.stringContaining(words)]);
  });

  test.each([
    'https://127.0.0.1/about.json',
    'https://[::1]/about.json',
    'https://10.0.0.1/about.json',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/about.json',
    'https://client.example',
    'https://client.example/a/../about.json',
    'https://me@client.example/about.json',
    'http://client.example/about.json',
    'https:',
  ])('is not read at %s', async (client_id) => {
    expect((await shown({ client_id })).status).toBe(400);
  });
});

describe('strangers', () => {
  test('register so many clients an hour, and those that no one used are forgotten', async () => {
    const statuses = new Set<number>();
    for (let count = 0; count < 70; count += 1) statuses.add((await registered()).status);
    expect([...statuses]).toEqual([201, 429]);
    expect((await registered()).body.error).toBe('temporarily_unavailable');
    server.time.jump(hourMs);
    const unused = (await registered()).body.client_id;
    await signedIn();
    server.time.jump(dayMs);
    expect((await shown()).status).toBe(200);
    const { status, body } = await shown({ client_id: unused });
    expect([status, body.detail]).toEqual([400, expect.stringContaining('not known')]);
  });

  test('find nothing of it while it is off', async () => {
    const off = await AccountsServer.start();
    const client = new Client(off);
    for (const path of ['oauth-authorization-server', 'oauth-protected-resource/mcp'])
      expect((await client.get(`/.well-known/${path}`)).status).toBe(404);
    for (const path of ['token', 'register', 'revoke'])
      expect((await client.post(`/oauth/${path}`, { form: {} })).status).toBe(404);
    await off.close();
  });
});

test('the door of MCP leads to the sign-in, and its second address does not', async () => {
  const gateway = await startGateway({ config: { doors: { mcp: { oauth: { enabled: true } } } } });
  const call = (path: string, headers: Record<string, string> = {}) =>
    gateway.fetch(path, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', ...headers },
    });
  const metadata = `${gateway.url}/.well-known/oauth-protected-resource/mcp`;
  const [door, key] = [await call('/mcp'), await call('/mcp/key')];
  expect([door.status, door.headers.get('www-authenticate')]).toEqual([
    401,
    `Bearer resource_metadata="${metadata}", scope="dispatch:read dispatch:write conversation:read conversation:write mcp"`,
  ]);
  expect([key.status, key.headers.get('www-authenticate')]).toEqual([401, null]);
  expect(await (await fetch(metadata)).json()).toMatchObject({ resource: `${gateway.url}/mcp` });

  const session = await gateway.register('ada@example.com');
  const body = { name: 'narrow', scopes: ['dispatch:read'] };
  const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', body);
  const narrow = await call('/mcp', { authorization: `Bearer ${token}` });
  expect(narrow.status).toBe(403);
  expect(narrow.headers.get('www-authenticate')).toContain('Bearer error="insufficient_scope", resource_');
  await gateway.stop();
});
