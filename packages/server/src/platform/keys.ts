import type { KeyObject } from 'node:crypto';

/** The keys for one purpose. They change while the gateway runs, so nothing keeps one. */
export interface Keys {
  /** Returns the key that signs now. */
  signing(): KeyObject;
  /** Returns the keys whose signatures are valid now. */
  accepted(): readonly KeyObject[];
}

/** For a key that is never rotated. */
export function fixedKeys(key: KeyObject): Keys {
  return { signing: () => key, accepted: () => [key] };
}
