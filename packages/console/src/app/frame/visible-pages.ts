import { useSession } from '../../lib/session.ts';
import { routes } from '../routes.tsx';
import { type NavigationEntry, navigation } from './navigation.ts';

/** The groups of pages that exist and that the user may see, without empty groups. */
export function useVisiblePages(): NavigationEntry[][] {
  const { isAdmin } = useSession();
  const names = new Set(routes.filter(({ adminOnly }) => isAdmin || !adminOnly).map(({ name }) => name));
  return navigation
    .map((group) => group.filter(({ name }) => names.has(name)))
    .filter((group) => group.length > 0);
}
