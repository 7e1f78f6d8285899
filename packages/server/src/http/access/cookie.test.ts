import { expect, test } from 'vitest';
import { expiredSessionCookies, readCookies, sessionCookies } from './cookie.ts';

test('reads the two cookies among others', () => {
  expect(readCookies('theme=dark; access_token=a.b.c; csrf_token=v')).toEqual({
    session: 'a.b.c',
    csrf: 'v',
  });
});

test('reads nothing from an absent, an empty or an endless header', () => {
  expect(readCookies(undefined)).toEqual({});
  expect(readCookies('access_token=; csrf_token=')).toEqual({});
  expect(readCookies(`access_token=${'a'.repeat(16_384)}`)).toEqual({});
});

test('hides the session from the page and binds both to this site', () => {
  expect(sessionCookies({ token: 't', csrf: 'c', maxAgeSeconds: 604_800, secure: true })).toEqual([
    'access_token=t; Max-Age=604800; Path=/; Secure; HttpOnly; SameSite=Lax',
    'csrf_token=c; Max-Age=604800; Path=/; Secure; SameSite=Strict',
  ]);
});

test('omits Secure on plain http, and Max-Age when the browser should not remember the session', () => {
  expect(sessionCookies({ token: 't', csrf: 'c', maxAgeSeconds: undefined, secure: false })).toEqual([
    'access_token=t; Path=/; HttpOnly; SameSite=Lax',
    'csrf_token=c; Path=/; SameSite=Strict',
  ]);
});

test('expires both cookies', () => {
  expect(expiredSessionCookies(false)).toEqual([
    'access_token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
    'csrf_token=; Max-Age=0; Path=/; SameSite=Strict',
  ]);
});
