/** The contract sets these names, so a `__Host-` prefix is not possible. */
const sessionCookie = 'access_token';
const csrfCookie = 'csrf_token';

/** More than any honest browser sends. Nothing is read from a longer header. */
const maxHeaderLength = 16_384;

/** Our values are tokens in URL-safe text, so nothing is ever encoded or quoted in a cookie. */
export function readCookies(header: string | undefined): {
  session: string | undefined;
  csrf: string | undefined;
} {
  const known = header !== undefined && header.length <= maxHeaderLength ? header : '';
  return { session: readCookie(known, sessionCookie), csrf: readCookie(known, csrfCookie) };
}

interface SessionCookies {
  token: string;
  csrf: string;
  /** Undefined means that the cookies end with the browser. */
  maxAgeSeconds: number | undefined;
  secure: boolean;
}

/** Returns the two `Set-Cookie` values of a new session. The page reads the CSRF cookie, so it cannot be HttpOnly. */
export function sessionCookies({ token, csrf, maxAgeSeconds, secure }: SessionCookies): string[] {
  const shared = `${maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`}; Path=/${secure ? '; Secure' : ''}`;
  return [
    `${sessionCookie}=${token}${shared}; HttpOnly; SameSite=Lax`,
    `${csrfCookie}=${csrf}${shared}; SameSite=Strict`,
  ];
}

export function expiredSessionCookies(secure: boolean): string[] {
  return sessionCookies({ token: '', csrf: '', maxAgeSeconds: 0, secure });
}

/** Returns the first cookie of that name, which is the one with the longest path. */
function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const separator = pair.indexOf('=');
    if (separator > 0 && pair.slice(0, separator).trim() === name)
      return pair.slice(separator + 1).trim() || undefined;
  }
  return undefined;
}

/**
 * Cookies know no ports, so the page on another port of this host has a cookie of another name, and reads no other. On https the prefix
 * keeps a neighbouring host from setting one.
 */
function pageCookieName(secure: boolean): string {
  return secure ? '__Host-comfyui_page' : 'comfyui_page';
}

export function readPageCookie(header: string | undefined, secure: boolean): string | undefined {
  if (header === undefined || header.length > maxHeaderLength) return undefined;
  return readCookie(header, pageCookieName(secure));
}

/** The console opens the page from another site where the page has a host name of its own, so the cookie is not `Strict`. */
export function pageCookie({
  token,
  maxAgeSeconds,
  secure,
}: Pick<SessionCookies, 'token' | 'secure'> & { maxAgeSeconds: number }): string {
  return `${pageCookieName(secure)}=${token}; Max-Age=${maxAgeSeconds}; Path=/${secure ? '; Secure' : ''}; HttpOnly; SameSite=Lax`;
}
