/** The place where the cookies of a session are kept: the browser, or, outside a browser, a `CookieJar`. */
export interface Cookies {
  /** The `Cookie` header to send; undefined when the browser writes it. */
  header(): string | undefined;
  /** Returns what `X-CSRF-Token` must repeat on requests that change something. */
  csrfToken(): string | undefined;
  /** Keeps the cookies that an answer sets. */
  note(response: Response): void;
}

export const csrfCookie = 'csrf_token';

/** The cookies of the page. Scripts cannot read the session cookie; the browser sends it. */
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
