import type { IncomingMessage } from 'node:http';
import { HttpError } from './http-error.ts';

/**
 * A web page must not reach a worker on its reader's machine. Since the worker has no login, two rules hold: on
 * loopback, the Origin has to equal the Host, and a worker that is bound to loopback accepts only loopback names (no
 * DNS rebinding).
 */
export function isForbiddenOrigin(
  request: IncomingMessage,
  { isLoopbackOnly }: { isLoopbackOnly: boolean },
): boolean {
  const host = urlOf(`http://${request.headers.host ?? ''}`);
  if (host === undefined) return request.headers.origin !== undefined;
  const isLoopback = isLoopbackName(host.hostname);
  if (isLoopbackOnly && !isLoopback) return true;
  const { origin } = request.headers;
  if (origin === undefined || !isLoopback) return false;
  const from = urlOf(origin);
  if (from === undefined) return true;
  if (from.port === '' || host.port === '') return from.hostname !== host.hostname;
  return from.host !== host.host;
}

function isLoopbackName(name: string): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(name)
  );
}

export function isLoopbackAddress(address: string | undefined): boolean {
  return address === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/.test(address ?? '');
}

export function requireLoopback(request: IncomingMessage): void {
  if (!isLoopbackAddress(request.socket.remoteAddress)) throw new HttpError(403, 'Only from this machine.');
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
