/** Where the cookies of a session live: in the browser, or, where there is none, with us (`CookieJar`). */
export interface Cookies {
  /** The `Cookie` header to send; undefined where the browser writes it. */
  header(): string | undefined;
  /** What `X-CSRF-Token` must repeat on requests that change something. */
  csrfToken(): string | undefined;
  /** Takes what the answer sets. */
  note(response: Response): void;
}

export const csrfCookie = 'csrf_token';

/** The page's own cookies. The one of the session cannot be read by scripts; the browser sends it. */
export function browserCookies(): Cookies {
  return {
    header: () => undefined,
    csrfToken: () => {
      const page = (globalThis as { document?: { cookie: string } }).document;
      const pair = page?.cookie.split('; ').find((cookie) => cookie.startsWith(`${csrfCookie}=`));
      return pair?.slice(csrfCookie.length + 1) || undefined;
    },
    note: () => undefined,
  };
}
