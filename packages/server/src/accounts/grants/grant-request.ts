import { createHash, timingSafeEqual } from 'node:crypto';
import { type GrantRequest, grantableScopes } from '@switchyard/contract/accounts/client-grant';
import type { Scope } from '@switchyard/contract/endpoint';
import { AppError } from '../../lib/app-error.ts';

const codeChallenge = /^[\w-]{43}$/;
const codeVerifier = /^[\w.~-]{43,128}$/;

/** A request whose client and redirect address are known, so that its further faults may go to the client. */
export interface CheckedRequest {
  scopes: Scope[];
  challenge: string;
}

/** Throws for everything that a client can have wrong beside its id and its redirect address. */
export function checkedRequest(request: GrantRequest, resource: string): CheckedRequest {
  if (request.response_type !== 'code') throw new AppError('unsupported_response_type');
  const { code_challenge: challenge, code_challenge_method: method } = request;
  if (method !== 'S256' || challenge === undefined || !codeChallenge.test(challenge))
    throw new AppError('invalid_request', { message: pkceNeeded });
  requireResource(request.resource, resource);
  return { scopes: requestedScopes(request.scope, grantableScopes), challenge };
}

/** Returns all of the allowed scopes when none is named. */
export function requestedScopes(scope: string | undefined, allowed: readonly Scope[]): Scope[] {
  const named = new Set((scope ?? '').split(' ').filter(Boolean));
  if (named.size === 0) return [...allowed];
  const found = allowed.filter((each) => named.delete(each));
  if (named.size > 0) throw new AppError('invalid_scope');
  return found;
}

/** A client that names no resource means the only one. */
export function requireResource(given: string | undefined, resource: string): void {
  if (given !== undefined && given !== resource) throw new AppError('invalid_target');
}

export function isRightVerifier(verifier: string | undefined, challenge: string): boolean {
  if (verifier === undefined || !codeVerifier.test(verifier)) return false;
  const digest = createHash('sha256').update(verifier).digest('base64url');
  return timingSafeEqual(Buffer.from(digest), Buffer.from(challenge));
}

/** A browser is led there with the code: to a site over TLS, or to a program on the user's machine. Other schemes could run a script. */
export function isRedirectUri(text: string): boolean {
  const url = urlOf(text);
  if (url === null || text.includes('#') || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || isLoopback(url);
}

/** Compares character by character. A program on the user's machine takes any port that is free (RFC 8252, 7.3). */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (!isRedirectUri(uri)) return false;
  if (registered.includes(uri)) return true;
  const portless = withoutPort(uri);
  return portless !== null && registered.some((each) => withoutPort(each) === portless);
}

export function redirectTo(uri: string, fields: Record<string, string | undefined>): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) url.searchParams.append(name, value);
  return url.href;
}

function withoutPort(text: string): string | null {
  const url = urlOf(text);
  return url !== null && isLoopback(url) ? text.replace(/^(http:\/\/(?:\[::1\]|[^/:?]+)):\d+/, '$1') : null;
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && loopbackHosts.has(hostname);
}

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

function urlOf(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

const pkceNeeded = 'Send a code_challenge with code_challenge_method=S256.';
