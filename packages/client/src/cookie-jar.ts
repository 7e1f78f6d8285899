import { type Cookies, csrfCookie } from './cookies.ts';

/** The two cookies of a session, and room for those that a load balancer adds. */
const maxCookies = 20;

/**
 * The cookies of one gateway, for programs outside a browser. A client talks to one address only, so domains and paths
 * do not matter. A cookie is removed when the gateway takes it back.
 */
export class CookieJar implements Cookies {
  readonly #values = new Map<string, string>();

  header(): string | undefined {
    if (this.#values.size === 0) return undefined;
    return [...this.#values].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  csrfToken(): string | undefined {
    return this.#values.get(csrfCookie);
  }

  note({ headers }: Response): void {
    for (const cookie of headers.getSetCookie()) this.#take(cookie);
  }

  #take(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split(';');
    const separator = pair.indexOf('=');
    if (separator < 1) return;
    const name = pair.slice(0, separator).trim();
    const value = pair.slice(separator + 1).trim();
    const isTakenBack = value === '' || attributes.some((attribute) => /^\s*max-age=(0|-)/i.test(attribute));
    if (isTakenBack) this.#values.delete(name);
    else if (this.#values.has(name) || this.#values.size < maxCookies) this.#values.set(name, value);
  }
}
