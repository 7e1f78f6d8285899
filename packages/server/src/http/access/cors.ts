import type { IncomingHttpHeaders } from 'node:http';

const exposed = [
  'Content-Location',
  'Location',
  'X-Pagination-Total',
  'X-Pagination-Next',
  'X-Search-Partial',
  'X-Total-Is-Minimum',
  'ETag',
  'Retry-After',
  'X-Request-Id',
  'Link',
  'X-Ignored-Fields',
  'Deprecation',
  'Sunset',
].join(', ');

/**
 * The list of origins that may call with credentials. They are exact, because `*` with credentials would admit every
 * page.
 */
export class CorsPolicy {
  readonly #origins: ReadonlySet<string>;
  /** True when responses differ by `Origin` at all. */
  readonly isActive: boolean;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins.map(withoutSlash).filter((origin) => origin !== '*'));
    this.isActive = this.#origins.size > 0;
  }

  /** Returns the headers for a response to this origin. Undefined leaves the browser's default, which is to refuse. */
  headersFor(origin: string | undefined): Record<string, string> | undefined {
    if (origin === undefined || !this.#origins.has(origin)) return undefined;
    return {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': exposed,
      // A page of a listed origin may read the response.
      'cross-origin-resource-policy': 'cross-origin',
    };
  }

  /**
   * Returns the response to a preflight of a listed origin; undefined when the request is not one. It needs no session.
   */
  preflight(method: string | undefined, headers: IncomingHttpHeaders): Record<string, string> | undefined {
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return undefined;
    const allowed = this.headersFor(headers.origin);
    return (
      allowed && {
        ...allowed,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': requestedHeaders(headers['access-control-request-headers']),
        'access-control-max-age': '600',
        // A browser asks when a page from the internet calls a machine of this network.
        ...(headers['access-control-request-private-network'] === 'true' && {
          'access-control-allow-private-network': 'true',
        }),
      }
    );
  }
}

/** Any header may be sent. The routes decide which ones mean anything. */
function requestedHeaders(asked: string | string[] | undefined): string {
  const list = String(asked ?? '');
  return /^[\w\-, ]{1,1000}$/.test(list) ? list : 'Authorization, Content-Type, X-CSRF-Token';
}

function withoutSlash(origin: string): string {
  return origin.replace(/\/$/, '');
}
