import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { isForbiddenOrigin, isLoopbackAddress } from './origin-guard.ts';

function isForbidden(headers: { host?: string; origin?: string }, isLoopbackOnly = false): boolean {
  return isForbiddenOrigin({ headers } as IncomingMessage, { isLoopbackOnly });
}

describe('isForbiddenOrigin', () => {
  it.each([
    [{ host: '127.0.0.1:8199' }, false],
    [{ host: '127.0.0.1:8199', origin: 'http://127.0.0.1:8199' }, false],
    [{ host: '127.0.0.1:8199', origin: 'http://127.0.0.1:7300' }, true],
    [{ host: '127.0.0.1:8199', origin: 'http://localhost:8199' }, true],
    [{ host: '127.0.0.1:8199', origin: 'https://evil.example' }, true],
    [{ host: '127.0.0.1:8199', origin: 'null' }, true],
    [{ host: 'localhost', origin: 'http://localhost:1234' }, false],
    [{ host: '[::1]:8199', origin: 'http://[::1]:8199' }, false],
    [{ host: 'worker.example:8199', origin: 'https://other.example' }, false],
    [{ host: '127.0.0.1.evil.example', origin: 'https://evil.example' }, false],
  ])('%o → %s', (headers, expected) => {
    expect(isForbidden(headers)).toBe(expected);
  });

  it('refuses every host name but loopback when it is bound to loopback, which prevents DNS rebinding', () => {
    expect(isForbidden({ host: 'evil.example:8199' }, true)).toBe(true);
    expect(isForbidden({ host: '127.0.0.1.evil.example' }, true)).toBe(true);
    expect(isForbidden({ host: 'localhost:8199' }, true)).toBe(false);
  });
});

describe('isLoopbackAddress', () => {
  it('knows IPv4, IPv6 and IPv4 inside IPv6', () => {
    expect(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'].every(isLoopbackAddress)).toBe(true);
    expect(['10.0.0.1', '::', '0.0.0.0', '::ffff:10.0.0.1', undefined].some(isLoopbackAddress)).toBe(false);
  });
});
