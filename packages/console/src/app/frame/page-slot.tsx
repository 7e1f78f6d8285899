import { useLazyPart } from '../../lib/lazy-part.ts';
import type { Route } from '../routes.ts';

/** The page of a route, which appears as soon as its file has been loaded. */
export function PageSlot({ route }: { route: Route }) {
  const loaded = useLazyPart(route.page);
  return loaded === null ? null : <loaded.Page />;
}
