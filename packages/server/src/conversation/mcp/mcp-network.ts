import type { Wording } from '@switchyard/contract/sentences/sentences';
import type { Fetch } from '../../lib/bounded-fetch.ts';

/** The way to servers over HTTP. */
export interface McpNetwork {
  /** Returns what is wrong with an address, as a sentence; null when it may be called. */
  whyDenied(url: string): Wording | null;
  /** Follows no redirect, and connects to no forbidden address, whatever the name resolves to at that time. */
  fetch: Fetch;
}
