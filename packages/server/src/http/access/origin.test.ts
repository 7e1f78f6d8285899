import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { isForeignName, isHttps, isLoopbackHost, isOriginAllowed, ownOrigin } from './origin.ts';

function through(headers: IncomingHttpHeaders, viaTrustedProxy = true) {
  return { headers: { host: 'gateway:7300', ...headers }, encrypted: false, viaTrustedProxy };
}

describe('own origin', () => {
  test('is scheme and Host when no proxy forwarded the request', () => {
    expect(ownOrigin(through({}))).toBe('http://gateway:7300');
    expect(ownOrigin({ headers: { host: 'gateway' }, encrypted: true, viaTrustedProxy: false })).toBe(
      'https://gateway',
    );
  });

  test('takes host, port and scheme from a trusted proxy', () => {
    const headers = {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'switchyard.example',
      'x-forwarded-port': '8443',
    };
    expect(ownOrigin(through(headers))).toBe('https://switchyard.example:8443');
    expect(isHttps(through(headers))).toBe(true);
  });

  test('ignores the same headers from any other peer', () => {
    const headers = {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'evil.example',
      forwarded: 'proto=https',
    };
    expect(ownOrigin(through(headers, false))).toBe('http://gateway:7300');
    expect(isHttps(through(headers, false))).toBe(false);
  });

  test('prefers Forwarded, and its first hop', () => {
    const headers = {
      forwarded: 'for=1.2.3.4;host="a.example:8443";proto=HTTPS, host=b.example',
      'x-forwarded-host': 'c.example',
    };
    expect(ownOrigin(through(headers))).toBe('https://a.example:8443');
  });

  test('drops default ports, and does not add a second port', () => {
    expect(ownOrigin(through({ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'a.example:443' }))).toBe(
      'https://a.example',
    );
    expect(ownOrigin(through({ 'x-forwarded-host': 'a.example:8080', 'x-forwarded-port': '9000' }))).toBe(
      'http://a.example:8080',
    );
    expect(ownOrigin(through({ 'x-forwarded-host': '[::1]', 'x-forwarded-port': '9000' }))).toBe(
      'http://[::1]:9000',
    );
  });

  test('is unknown without a usable Host', () => {
    expect(ownOrigin({ headers: {}, encrypted: false, viaTrustedProxy: false })).toBeUndefined();
    expect(ownOrigin(through({ host: 'a b' }, false))).toBeUndefined();
  });
});

describe('origin check', () => {
  const policy = { own: 'https://switchyard.example', listed: ['http://localhost:5173'] };

  test.each([
    undefined,
    'https://switchyard.example',
    'https://SWITCHYARD.example:443',
    'http://localhost:5173',
  ])('lets %s through', (origin) => {
    expect(isOriginAllowed(origin, policy)).toBe(true);
  });

  test.each([
    'https://evil.example',
    'http://switchyard.example',
    'https://switchyard.example.evil.example',
    'https://switchyard.example/',
    'https://switchyard.example/path',
    'https://user@switchyard.example',
    'https://switchyard.example:99999',
    'null',
    '*',
    '',
  ])('denies %j', (origin) => {
    expect(isOriginAllowed(origin, policy)).toBe(false);
  });

  test('denies every named origin when that of the gateway is unknown', () => {
    expect(isOriginAllowed('https://switchyard.example', { own: undefined, listed: [] })).toBe(false);
  });
});

describe('a name over loopback', () => {
  const known = ['https://switchyard.example'];

  test.each([
    ['localhost:7300', '127.0.0.1'],
    ['LOCALHOST', '::1'],
    ['localhost.:7300', '::1'],
    ['desk.localhost:7300', '127.0.0.1'],
    ['127.0.0.1:7300', '127.0.0.1'],
    ['[::1]:7300', '::1'],
    ['192.168.1.5:7300', '127.0.0.1'],
    ['switchyard.example', '127.0.0.1'],
    ['evil.example', '192.168.1.7'],
  ])('accepts %s from %s', (host, peer) => {
    expect(isForeignName({ host, peer, known })).toBe(false);
  });

  test.each([
    'evil.example:7300',
    'localhost.evil.example',
    'evil-localhost',
    '127.0.0.1.evil.example',
    'a b',
    undefined,
  ])('treats %s as a name that a page may have pointed here', (host) => {
    expect(isForeignName({ host, peer: '127.0.0.1', known })).toBe(true);
  });
});

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.3.2.1', true],
  ['::1', true],
  ['127.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['10.0.0.1', false],
])('%s is reachable by this machine alone: %s', (host, isLoopback) => {
  expect(isLoopbackHost(host)).toBe(isLoopback);
});
