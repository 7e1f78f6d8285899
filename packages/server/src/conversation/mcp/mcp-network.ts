import type { Fetch } from '../../lib/bounded-fetch.ts';

/** How servers over HTTP are reached. */
export interface McpNetwork {
  /** What is wrong with an address, as a sentence; null when it may be called. */
  whyDenied(url: string): string | null;
  /** Follows no redirect, and connects to no address that may not be called, whatever its name leads to now. */
  fetch: Fetch;
}
