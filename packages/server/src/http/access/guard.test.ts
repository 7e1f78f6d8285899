import { createSecretKey, randomBytes } from 'node:crypto';
import type { Area } from '@switchyard/contract/areas';
import type { Access } from '@switchyard/contract/endpoint';
import fastify, { type InjectOptions } from 'fastify';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../lib/app-error.ts';
import { fixedKeys } from '../../platform/keys.ts';
import type { App } from '../app.ts';
import { trustedProxies } from './client-ip.ts';
import { CsrfTokens } from './csrf.ts';
import { adminOrOwnerOf, Guard, identityOf, ownerOf } from './guard.ts';
import type { Authenticator, Credentials, Identity } from './identity.ts';

const csrf = new CsrfTokens(fixedKeys(createSecretKey(randomBytes(32))));

const ada: Identity = {
  userId: 'ada',
  email: 'ada@example.com',
  role: 'user',
  needsSetup: false,
  oauthProvider: null,
  via: 'cookie',
  credentialId: 'session-1',
  sessionVersion: 0,
  scopes: null,
  expiresAtMs: null,
};

/** Reads the token as the name of one of these people. */
const people: Record<string, Identity> = {
  ada,
  root: { ...ada, userId: 'root', role: 'admin' },
  reader: { ...ada, via: 'access_token', scopes: ['dispatch:read'] },
  ownCode: { ...ada, via: 'own_code', sessionVersion: 0, scopes: ['conversation:read'] },
  rootReader: { ...ada, userId: 'root', role: 'admin', via: 'access_token', scopes: ['dispatch:read'] },
};

class Gatekeeper implements Authenticator {
  readonly asked: [Credentials, Area][] = [];

  async authenticate(credentials: Exclude<Credentials, { kind: 'none' }>, area: Area): Promise<Identity> {
    this.asked.push([credentials, area]);
    const identity = people[credentials.token];
    if (!identity) throw new AppError('token_invalid');
    return identity;
  }
}

function build(gatekeeper = new Gatekeeper()): App {
  const guard = new Guard({
    authenticator: gatekeeper,
    csrf,
    proxies: trustedProxies(['10.0.0.1']),
    allowedOrigins: ['https://console.example'],
    isQuiet: () => false,
  });
  const app: App = fastify();
  app.setErrorHandler<AppError>((error, _request, reply) =>
    reply.code(error.status ?? 500).send({ code: error.code, message: error.message }),
  );
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ code: 'route_not_found' }));
  guard.protect(app);
  const route = (method: 'GET' | 'POST', url: string, access: Access, extra: { csrf?: 'origin' } = {}) =>
    app.route({
      method,
      url,
      config: { access, ...extra },
      handler: async (request) => (access === 'public' ? 'public' : identityOf(request).userId),
    });
  route('GET', '/open', 'public');
  route('POST', '/open/login', 'public', { csrf: 'origin' });
  route('GET', '/api/threads', 'session');
  route('POST', '/api/threads', 'session');
  route('GET', '/api/tasks', 'dispatch:read');
  route('POST', '/api/tasks', 'dispatch:write');
  route('GET', '/api/v1/users', 'admin');
  app.get('/api/tokens', { config: { access: 'session', sessionOnly: true } }, async () => 'tokens');
  app.get('/api/owner', { config: { access: 'session' } }, async (request) => [
    ownerOf(request),
    adminOrOwnerOf(request),
  ]);
  return app;
}

async function send(request: InjectOptions, gatekeeper?: Gatekeeper) {
  return build(gatekeeper).inject(request);
}

async function ask(request: InjectOptions) {
  const gatekeeper = new Gatekeeper();
  const answer = await send(request, gatekeeper);
  const { code, message = '' } = answer.body.startsWith('{')
    ? answer.json<{ code: string; message?: string }>()
    : {};
  return { status: answer.statusCode, code, message, asked: gatekeeper.asked };
}

async function text(request: InjectOptions): Promise<string> {
  return (await send(request)).body;
}

const cookie = (session: string, value = csrf.valueFor('session-1')) => ({
  cookie: `access_token=${session}; csrf_token=${value}`,
});

describe('a route', () => {
  test('is refused when it declares no access', () => {
    expect(() => build().get('/forgotten', async () => 'open to all')).toThrow(
      /GET \/forgotten declares no access/,
    );
  });

  test('that was added before the guard without a declaration is not served', async () => {
    const app: App = fastify();
    app.get('/early', async () => 'open to all');
    new Guard({
      authenticator: new Gatekeeper(),
      csrf,
      proxies: trustedProxies([]),
      allowedOrigins: [],
      isQuiet: () => false,
    }).protect(app);
    const answer = app.inject('/early');
    await expect(answer).resolves.toMatchObject({ statusCode: 500 });
  });

  test('that is public is served to every caller, even with bad credentials', async () => {
    expect(await text({ url: '/open' })).toBe('public');
    expect(await text({ url: '/open', headers: { authorization: 'Bearer nobody' } })).toBe('public');
  });

  test('that does not exist is hidden from strangers only below /api', async () => {
    expect(await ask({ url: '/api/none' })).toMatchObject({ status: 401, code: 'not_authenticated' });
    expect(await ask({ url: '/api' })).toMatchObject({ status: 401 });
    expect(await ask({ url: '/api/none', headers: cookie('ada') })).toMatchObject({ status: 404 });
    expect(await ask({ url: '/apinone' })).toMatchObject({ status: 404 });
    expect(await ask({ method: 'OPTIONS', url: '/api/none' })).toMatchObject({ status: 401 });
    expect(await ask({ method: 'OPTIONS', url: '/api/threads' })).toMatchObject({ status: 401 });
    expect(await ask({ method: 'POST', url: '/api/none' })).toMatchObject({
      status: 403,
      code: 'csrf_missing',
    });
  });
});

describe('the caller', () => {
  test('is identified by the header alone, without a look at cookies', async () => {
    const headers = { authorization: 'Bearer root', ...cookie('ada') };
    expect(await text({ url: '/api/threads', headers })).toBe('root');
    expect(await text({ url: '/api/threads', headers: { 'x-api-key': 'root', ...cookie('ada') } })).toBe(
      'root',
    );
    expect(
      await ask({ url: '/api/threads', headers: { authorization: 'Basic x', ...cookie('ada') } }),
    ).toMatchObject({
      status: 401,
      code: 'token_invalid',
    });
    expect(
      await ask({ url: '/api/threads', headers: { authorization: 'Bearer nobody', ...cookie('ada') } }),
    ).toMatchObject({
      status: 401,
      code: 'token_invalid',
    });
  });

  test('is identified by the header without CSRF', async () => {
    expect(await text({ method: 'POST', url: '/api/threads', headers: { 'x-api-key': 'ada' } })).toBe('ada');
  });

  test('is identified by the cookie when there is no header', async () => {
    expect(await text({ url: '/api/threads', headers: cookie('ada') })).toBe('ada');
    expect(await ask({ url: '/api/threads' })).toMatchObject({ status: 401, code: 'not_authenticated' });
  });

  test('is authenticated for the area that the path belongs to', async () => {
    for (const url of ['/api/tasks', '/api/tasks?status=pending', '/api/t%61sks', '/api/tasks/none?x']) {
      expect((await ask({ url, headers: cookie('ada') })).asked).toEqual([
        [{ kind: 'cookie', token: 'ada' }, 'dispatch'],
      ]);
    }
    expect((await ask({ url: '/api/threads', headers: { 'x-api-key': 'ada' } })).asked).toEqual([
      [{ kind: 'header', token: 'ada' }, 'conversation'],
    ]);
  });

  test('becomes the owner, as an administrator only in areas that show them everything', async () => {
    expect((await send({ url: '/api/owner', headers: cookie('root') })).json()).toEqual([
      { user: 'root' },
      { admin: 'root' },
    ]);
    expect((await send({ url: '/api/owner', headers: { 'x-api-key': 'rootReader' } })).json()).toEqual([
      { user: 'root' },
      { user: 'root' },
    ]);
  });
});

describe('CSRF', () => {
  const post = { method: 'POST', url: '/api/threads' } as const;

  test('is checked before the session: 403 before 401', async () => {
    expect(await ask(post)).toMatchObject({ status: 403, code: 'csrf_missing', asked: [] });
    expect(await ask({ ...post, headers: { cookie: 'csrf_token=x', 'x-csrf-token': 'y' } })).toMatchObject({
      status: 403,
      code: 'csrf_mismatch',
      asked: [],
    });
    expect(await ask({ ...post, headers: { cookie: 'csrf_token=x', 'x-csrf-token': 'x' } })).toMatchObject({
      status: 401,
      code: 'not_authenticated',
    });
    expect(await ask({ ...post, headers: { ...cookie('nobody', 'x'), 'x-csrf-token': 'x' } })).toMatchObject({
      status: 401,
      code: 'token_invalid',
    });
  });

  test('accepts only the bound value, even if header and cookie are equal', async () => {
    const value = csrf.valueFor('session-1');
    expect(await text({ ...post, headers: { ...cookie('ada'), 'x-csrf-token': value } })).toBe('ada');
    const tossed = csrf.valueFor('session-2');
    expect(
      await ask({ ...post, headers: { ...cookie('ada', tossed), 'x-csrf-token': tossed } }),
    ).toMatchObject({
      status: 403,
      code: 'csrf_mismatch',
    });
  });

  test('is not needed for a request that changes nothing', async () => {
    expect(await text({ url: '/api/threads', headers: { cookie: 'access_token=ada' } })).toBe('ada');
  });

  test('is not checked on dispatch routes without any credential, which get 401', async () => {
    expect(await ask({ method: 'POST', url: '/api/tasks' })).toMatchObject({
      status: 401,
      code: 'not_authenticated',
    });
    expect(
      await ask({ method: 'POST', url: '/api/tasks', headers: { cookie: 'access_token=ada' } }),
    ).toMatchObject({
      status: 403,
      code: 'csrf_missing',
    });
  });
});

describe('origin of exempt requests', () => {
  const login = { method: 'POST', url: '/open/login' } as const;

  test.each([undefined, 'http://localhost:80', 'https://console.example'])(
    '%s may sign in',
    async (origin) => {
      expect(await text({ ...login, headers: { ...(origin && { origin }) } })).toBe('public');
    },
  );

  test('of another site is denied', async () => {
    expect(await ask({ ...login, headers: { origin: 'https://evil.example' } })).toMatchObject({
      status: 403,
      code: 'origin_denied',
    });
  });

  test('is compared with the forwarded host of a trusted proxy only', async () => {
    const headers = {
      origin: 'https://public.example',
      'x-forwarded-host': 'public.example',
      'x-forwarded-proto': 'https',
    };
    expect(await text({ ...login, headers, remoteAddress: '10.0.0.1' })).toBe('public');
    expect(await ask({ ...login, headers, remoteAddress: '10.0.0.2' })).toMatchObject({
      code: 'origin_denied',
    });
  });

  test('of a page behind an unlisted proxy is denied with the host that was seen and the key to set', async () => {
    const headers = { origin: 'https://public.example', host: 'inner:7300' };
    const untrusted = await ask({ ...login, headers, remoteAddress: '10.0.0.2' });
    expect(untrusted.message).toContain('reached as http://inner:7300.');
    expect(untrusted.message).toContain('list its address in auth.trusted_proxies');
    const trusted = await ask({ ...login, headers, remoteAddress: '10.0.0.1' });
    expect(trusted.message).toContain('it has to forward the host');
    expect(trusted.message).not.toContain('trusted_proxies');
  });
});

describe('access', () => {
  test('by role: for administrators only', async () => {
    expect(await text({ url: '/api/v1/users', headers: cookie('root') })).toBe('root');
    expect(await ask({ url: '/api/v1/users', headers: cookie('ada') })).toMatchObject({
      status: 403,
      code: 'admin_required',
    });
  });

  test('by scope: a token may do only what its scopes name, whatever its owner may do', async () => {
    expect(await text({ url: '/api/tasks', headers: { 'x-api-key': 'reader' } })).toBe('ada');
    expect(await text({ url: '/api/threads', headers: { 'x-api-key': 'reader' } })).toBe('ada');
    for (const [method, url, token] of [
      ['POST', '/api/tasks', 'reader'],
      ['GET', '/api/v1/users', 'rootReader'],
    ] as const) {
      expect(await ask({ method, url, headers: { 'x-api-key': token } })).toMatchObject({
        status: 403,
        code: 'scope_missing',
      });
    }
  });

  test.each(['reader', 'ownCode'])('is not enough where a session is needed: %s', async (token) => {
    expect(await ask({ url: '/api/tokens', headers: { 'x-api-key': token } })).toMatchObject({
      status: 403,
      code: 'session_required',
    });
  });

  test('of own code is not looked up outside the mount of LangGraph', async () => {
    const headers = { authorization: 'Bearer sy_run_x' };
    for (const url of ['/api/tasks', '/api/threads', '/api/v1/users', '/api/langgraphs/x'])
      expect(await ask({ url, headers })).toMatchObject({ status: 401, code: 'token_invalid', asked: [] });
  });
});
