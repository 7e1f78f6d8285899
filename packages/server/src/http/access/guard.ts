import type { IncomingHttpHeaders } from 'node:http';
import type { Area } from '@switchyard/contract/areas';
import { type Access, type ChangingFlag, doorScope } from '@switchyard/contract/endpoint';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { say } from '@switchyard/contract/sentences/sentences';
import type { FastifyRequest, RouteOptions } from 'fastify';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import type { App } from '../app.ts';
import { pathTokenOf } from '../path-token.ts';
import { areaOf, pathOf } from '../request-path.ts';
import { headerToken, holdsOwnToken, isCallTicket } from './bearer.ts';
import { clientNetwork, sourceOf, type TrustedProxies } from './client-ip.ts';
import { readCookies, readPageCookie } from './cookie.ts';
import type { CsrfTokens } from './csrf.ts';
import type { Authenticator, CustomAuthenticator, CustomUser, Identity } from './identity.ts';
import { isForeignName, isHttps, isOriginAllowed, ownOrigin } from './origin.ts';

/** The path to which LangGraph clients send their requests. Own authentication and tickets of own code count here alone. */
const customMount = '/api/langgraph';

/** Decides for every request who is calling and whether they may. It runs before the body is read. */
export class Guard {
  readonly #options;
  #customAuth: CustomAuthenticator | null = null;

  constructor(options: {
    authenticator: Authenticator;
    csrf: CsrfTokens;
    proxies: TrustedProxies;
    /** Exact origins whose pages may call: the public one, and those of other sites. */
    allowedOrigins: readonly string[];
    /** True while a restored gateway changes nothing. */
    isQuiet: () => boolean;
    /**
     * Set on the origin of ComfyUI's page. There the page's own cookie counts and the session's never does, and an exact `Origin`
     * takes the place of the CSRF header.
     */
    page?: { publicUrl: string | null };
  }) {
    this.#options = options;
  }

  /** The operator's own authentication decides from now on about requests without a credential of ours, below `customMount` alone. */
  useCustomAuth(customAuth: CustomAuthenticator): void {
    this.#customAuth = customAuth;
  }

  /** Covers every route of the server, whether it is added before or after. */
  protect(app: App): void {
    app.addHook('onRoute', requireAccess);
    app.addHook('onRequest', (request, _reply, done) => {
      const access = accessOf(request);
      if (access !== 'public') {
        this.#admit(request, access).then(() => done(), done);
        return;
      }
      const { csrf, recognises } = request.routeOptions.config;
      if (csrf === 'origin') this.checkOrigin(request);
      if (recognises && hasCredentials(request)) this.#recognise(request).then(() => done(), done);
      else done();
    });
  }

  /**
   * Returns who is calling, for a route that decides itself whether it needs to know. A header decides alone. A cookie
   * needs the CSRF header when the request changes something; that is checked before the session.
   */
  async identify(request: FastifyRequest, area: Area = areaOf(request)): Promise<Identity> {
    const identity = await this.#identify(request, area);
    if (opensDoorAlone(identity) && !request.routeOptions.config.door)
      throw new AppError('scope_missing', { message: doorAlone });
    if (identity.client !== undefined && !request.routeOptions.config.takesClients)
      throw new AppError('token_invalid', { message: clientsElsewhere });
    return identity;
  }

  async #identify(request: FastifyRequest, area: Area): Promise<Identity> {
    const { authenticator, csrf } = this.#options;
    const custom = this.#customAuthFor(request);
    if (custom) return this.#identifyBy(custom, request);
    const inPath = pathTokenOf(request.raw);
    if (inPath !== undefined) return this.#identifyByPath(inPath, area);
    const token = headerToken(request.headers);
    if (token !== undefined) {
      if (isCallTicket(token) && !isBelowMount(request)) throw new AppError('token_invalid');
      return authenticator.authenticate({ kind: 'header', token }, area);
    }
    if (this.#options.page) return this.#identifyPage(request, area);
    if (request.routeOptions.config.headerOnly) throw new AppError('not_authenticated');
    const cookies = readCookies(request.headers.cookie);
    if (!changesSomething(request)) return this.#cookieSession(cookies.session, area);
    if (area === 'dispatch' && cookies.session === undefined) throw new AppError('not_authenticated');
    const value = csrf.checkPair(request.headers['x-csrf-token'], cookies.csrf);
    const identity = await this.#cookieSession(cookies.session, area);
    csrf.checkBinding(value, identity.credentialId);
    return identity;
  }

  /**
   * For public routes that show more to known callers. A caller who cannot be identified for any reason is a stranger.
   */
  async isSignedIn(request: FastifyRequest): Promise<boolean> {
    if (!hasCredentials(request)) return false;
    return this.identify(request).then(
      () => true,
      () => false,
    );
  }

  /** For requests that a browser sends without a CSRF header: logins, and the opening of a socket. */
  checkOrigin(request: FastifyRequest): void {
    const { proxies, allowedOrigins } = this.#options;
    const { headers } = request;
    const source = sourceOf(request.raw, proxies);
    const own = ownOrigin({ headers, ...source });
    if (!isOriginAllowed(headers.origin, { own, listed: allowedOrigins }))
      throw new AppError('origin_denied', { message: foreignOrigin(own, source) });
    if (headers.origin === undefined || source.viaTrustedProxy) return;
    if (isForeignName({ host: headers.host, peer: source.clientIp, known: allowedOrigins }))
      throw new AppError('origin_denied', { message: foreignName });
  }

  /** The origin under which the client reached the gateway; undefined when the request does not show it. */
  originOf(request: FastifyRequest): string | undefined {
    return ownOrigin({ headers: request.headers, ...sourceOf(request.raw, this.#options.proxies) });
  }

  /** Returns whether the browser came by https, so that its cookie may be marked as secure. */
  isHttps({ headers, raw }: FastifyRequest): boolean {
    const { page, proxies } = this.#options;
    if (page?.publicUrl) return page.publicUrl.startsWith('https:');
    return isHttps({ headers, ...sourceOf(raw, proxies) });
  }

  /** A caller who cannot be identified stays a stranger; the handler asks again where it needs to know, and reports the reason. */
  async #recognise(request: FastifyRequest): Promise<void> {
    const identity = await this.identify(request).catch(() => undefined);
    if (identity) identities.set(request, identity);
  }

  async #admit(request: FastifyRequest, access: Access): Promise<void> {
    const identity = await (request.is404 ? this.#identifyAnywhere(request) : this.identify(request));
    const { sessionOnly, changingFlag, door } = request.routeOptions.config;
    if (!door || !identity.scopes?.includes(door)) checkAccess(identity, access);
    if (this.#options.isQuiet() && mayAct(request, access)) throw new AppError('gateway_quiet');
    if (sessionOnly && (identity.via === 'access_token' || identity.via === 'own_code'))
      throw new AppError('session_required');
    identities.set(request, identity);
    if (changingFlag) this.#admitChange(request, identity, changingFlag);
  }

  /** For an address that only reads unless its flag is set. */
  #admitChange(request: FastifyRequest, identity: Identity, { name, scope }: ChangingFlag): void {
    try {
      checkAccess(identity, scope);
      if (this.#options.isQuiet()) throw new AppError('gateway_quiet');
      if (identity.via === 'cookie') this.#checkCsrf(request, identity);
      if (identity.via === 'custom_auth') refuseCookieAlone(request, name);
      changing.add(request);
    } catch (error) {
      const value = (request.query as Record<string, unknown>)[name];
      if (value !== undefined && value !== '0' && value !== 'false') throw error;
    }
  }

  #checkCsrf({ headers }: FastifyRequest, { credentialId }: Identity): void {
    const { csrf } = this.#options;
    const value = csrf.checkPair(headers['x-csrf-token'], readCookies(headers.cookie).csrf);
    csrf.checkBinding(value, credentialId);
  }

  /**
   * A path that does not exist belongs to no area. A caller who is signed in to either area may learn that it does not
   * exist.
   */
  async #identifyAnywhere(request: FastifyRequest): Promise<Identity> {
    const area = areaOf(request);
    try {
      return await this.identify(request, area);
    } catch (error) {
      if (this.#customAuthFor(request)) throw error;
      if (area === 'dispatch' || headerToken(request.headers) === undefined) throw error;
      return this.identify(request, 'dispatch').catch(() => Promise.reject(error));
    }
  }

  /** The operator's own authentication, when it decides about this request. */
  #customAuthFor(request: FastifyRequest): CustomAuthenticator | null {
    const custom = this.#customAuth;
    return isBelowMount(request) && !hasOwnCredential(request.headers) ? custom : null;
  }

  /** The operator's code may read cookies, which a page of another site must not use. */
  async #identifyBy(custom: CustomAuthenticator, request: FastifyRequest): Promise<Identity> {
    const { cookie, upgrade } = request.headers;
    if (cookie !== undefined && (changesSomething(request) || upgrade !== undefined))
      this.checkOrigin(request);
    const { id, method, url, headers, raw } = request;
    return custom.authenticate({
      id,
      method,
      url,
      headers,
      rawHeaders: raw.rawHeaders,
      origin: this.originOf(request),
      network: clientNetwork(sourceOf(raw, this.#options.proxies).clientIp),
    });
  }

  /** An address ends up in histories and logs, so it holds no token that opens more than the door. */
  async #identifyByPath(token: string, area: Area): Promise<Identity> {
    const identity = await this.#options.authenticator.authenticate({ kind: 'header', token }, area);
    if (opensDoorAlone(identity)) return identity;
    throw new AppError('token_invalid', { message: notForPaths });
  }

  #identifyPage(request: FastifyRequest, area: Area): Promise<Identity> {
    const { headers } = request;
    const token = readPageCookie(headers.cookie, this.isHttps(request));
    if (token === undefined) throw new AppError('not_authenticated');
    if (changesSomething(request) || headers.upgrade !== undefined) {
      if (headers.origin === undefined) throw new AppError('origin_denied');
      this.checkOrigin(request);
    }
    return this.#options.authenticator.authenticate({ kind: 'page_cookie', token }, area);
  }

  #cookieSession(token: string | undefined, area: Area): Promise<Identity> {
    if (token === undefined) throw new AppError('not_authenticated');
    return this.#options.authenticator.authenticate({ kind: 'cookie', token }, area);
  }
}

function hasCredentials({ headers }: FastifyRequest): boolean {
  return headerToken(headers) !== undefined || readCookies(headers.cookie).session !== undefined;
}

/** Returns who is calling. Only routes that are not public may use it. */
export function identityOf(request: FastifyRequest): Identity {
  const identity = identities.get(request);
  if (!identity) throw new Error(`${request.method} ${request.url} is public and has no identity.`);
  return identity;
}

/** Returns what the operator's own authentication said about the caller; undefined for every other caller. */
export function customUserOf(request: FastifyRequest): CustomUser | undefined {
  return identities.get(request)?.custom;
}

/** Returns whether a request to an address with a changing flag has what the flag needs. */
export function mayChange(request: FastifyRequest): boolean {
  return changing.has(request);
}

/** Returns the user whom the guard has identified, on any route; undefined when there is none. */
export function signedInUser(request: FastifyRequest): string | undefined {
  return identities.get(request)?.userId;
}

/**
 * Returns the owner on whose behalf a request reads and writes: always its own user, even if that is an administrator.
 */
export function ownerOf(request: FastifyRequest): Owner {
  return { user: identityOf(request).userId };
}

/** True for administrators by role. A personal access token also needs the scope. */
export function isAdmin({ role, scopes }: Identity): boolean {
  return role === 'admin' && (scopes === null || scopes.includes('admin'));
}

/** Does what `ownerOf` does, for areas in which administrators see what belongs to others. */
export function adminOrOwnerOf(request: FastifyRequest): Owner {
  const identity = identityOf(request);
  return isAdmin(identity) ? { admin: identity.userId } : { user: identity.userId };
}

const doorAlone =
  'The token is for clients of ComfyUI: it opens the addresses below /comfy and nothing else.';
const clientsElsewhere = 'This token was given to a client for /mcp, and opens nothing else.';
const notForPaths =
  'An address may hold a token with the scope comfyui alone. Make one for it, and delete this one: it may stand in logs now.';

function opensDoorAlone({ scopes }: Identity): boolean {
  return scopes?.includes(doorScope) ?? false;
}

const foreignName = [...say('cross_site'), ...say('name_not_configured')];

/**
 * Names the address that the gateway sees as its own. Behind a proxy that it does not trust, that is the inner address.
 */
function foreignOrigin(
  own: string | undefined,
  { viaTrustedProxy }: { viaTrustedProxy: boolean },
): Sentence[] {
  const reached =
    own === undefined
      ? say('origin_unnamed')
      : say('origin_reached', { address: own.slice(0, maxOriginLength) });
  const proxy = say(viaTrustedProxy ? 'proxy_trusted' : 'proxy_unlisted');
  return [...say('cross_site'), ...reached, ...proxy, ...say('public_url_of_page')];
}

/** Maximum length of a client's header value in an error. */
const maxOriginLength = 200;

const identities = new WeakMap<FastifyRequest, Identity>();
const changing = new WeakSet<FastifyRequest>();

/** A forgotten declaration must not open a route: the server does not start with such a route. */
function requireAccess({ method, url, config }: RouteOptions): void {
  if (config?.access !== undefined) return;
  throw new Error(
    `The route ${String(method)} ${url} declares no access. Give its endpoint a config.access.`,
  );
}

/** Without a route nothing is public: an unknown path below `/api` shows strangers nothing. */
function accessOf(request: FastifyRequest): Access {
  const { access } = request.routeOptions.config;
  if (access !== undefined) return access;
  if (request.is404) return isBelow(pathOf(request), '/api') ? 'session' : 'public';
  throw new Error(`${request.method} ${request.url} declares no access.`);
}

function checkAccess(identity: Identity, access: Access): void {
  if (access === 'public' || access === 'session') return;
  if (access === 'admin' && identity.role !== 'admin') throw new AppError('admin_required');
  if (identity.scopes === null || identity.scopes.includes(access)) return;
  throw new AppError('scope_missing', { message: `The token lacks the scope ${access}.` });
}

/**
 * Returns whether a request with this access may begin or stop work, or call somebody. A socket that takes commands is
 * opened by reading.
 */
function mayAct(request: FastifyRequest, access: Access): boolean {
  if (access === 'dispatch:write' || access === 'conversation:write' || access === 'mcp') return true;
  return access === 'admin' && changesSomething(request);
}

/** Another site can make a browser send a reading request with its cookies, and the operator has no CSRF header. */
function refuseCookieAlone({ headers }: FastifyRequest, flag: string): void {
  const { authorization, cookie, 'x-api-key': apiKey } = headers;
  if (cookie === undefined || authorization !== undefined || apiKey !== undefined) return;
  throw new AppError('custom_auth_denied', {
    message: `${flag} changes something. Send the credential in a header to use it.`,
  });
}

/** A header decides alone, as everywhere. One that holds no token of the gateway is the operator's. */
function hasOwnCredential({ authorization, cookie, 'x-api-key': apiKey }: IncomingHttpHeaders): boolean {
  if (authorization === undefined && apiKey === undefined) return readCookies(cookie).session !== undefined;
  return [authorization, apiKey].flat().some((value) => value !== undefined && holdsOwnToken(value));
}

function changesSomething({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}

/** Returns whether the request goes to the mount of LangGraph's clients with a credential in a header, which a page alone does not send. */
export function isForPlatformClient(request: FastifyRequest): boolean {
  const { authorization, 'x-api-key': apiKey } = request.headers;
  return isBelowMount(request) && (authorization ?? apiKey) !== undefined;
}

function isBelowMount(request: FastifyRequest): boolean {
  return isBelow(request.routeOptions.url ?? pathOf(request), customMount);
}

/** Compares whole segments: `/docs` covers `/docs/x`, not `/docsx`. */
function isBelow(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}
