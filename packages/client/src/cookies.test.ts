import { afterEach, describe, expect, it, vi } from 'vitest';
import { CookieJar } from './cookie-jar.ts';
import { browserCookies } from './cookies.ts';

function setting(...cookies: string[]): Response {
  const headers = new Headers();
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { headers });
}

describe('a cookie jar', () => {
  it('sends back what was set, and knows the CSRF token', () => {
    const jar = new CookieJar();
    jar.note(setting('access_token=a.b; Path=/; HttpOnly', 'csrf_token=c=d; Max-Age=60; Path=/'));
    expect(jar.header()).toBe('access_token=a.b; csrf_token=c=d');
    expect(jar.csrfToken()).toBe('c=d');
  });

  it('replaces a cookie, and drops one that is taken back', () => {
    const jar = new CookieJar();
    jar.note(setting('access_token=1', 'csrf_token=2', 'other=3'));
    jar.note(setting('access_token=4', 'csrf_token=; Max-Age=0', 'other=3; max-age=-1'));
    expect(jar.header()).toBe('access_token=4');
    expect(jar.csrfToken()).toBeUndefined();
  });

  it('sends nothing while it is empty', () => {
    expect(new CookieJar().header()).toBeUndefined();
  });

  it('does not grow without end', () => {
    const jar = new CookieJar();
    jar.note(setting(...Array.from({ length: 50 }, (_, index) => `c${index}=x`)));
    expect(jar.header()?.split('; ')).toHaveLength(20);
  });
});

describe('the cookies of a page', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('are sent by the browser; the CSRF token is read from them', () => {
    vi.stubGlobal('document', { cookie: 'theme=dark; csrf_token=abc; x=y' });
    expect(browserCookies().csrfToken()).toBe('abc');
    expect(browserCookies().header()).toBeUndefined();
  });

  it('have no CSRF token before anyone has signed in', () => {
    vi.stubGlobal('document', { cookie: 'theme=dark' });
    expect(browserCookies().csrfToken()).toBeUndefined();
  });
});
