import { useSession } from '../../lib/session.ts';
import { startChoiceOf } from '../../lib/start-choice.ts';
import { routes } from '../routes.ts';
import { type NavigationEntry, navigation } from './navigation.ts';

/** Returns the groups of pages that exist and that the user may see, without empty groups. */
export function useVisiblePages(): NavigationEntry[][] {
  const names = useAllowedNames();
  const isStartShown = startChoiceOf(useSession().id).use() === 'shown';
  return navigation
    .map((group) => group.filter(({ name }) => names.has(name) && (name !== 'start' || isStartShown)))
    .filter((group) => group.length > 0);
}

/** Returns whether the page exists and the user may see it, in the rail or not. */
export function useHasPage(name: string): boolean {
  return useAllowedNames().has(name);
}

function useAllowedNames(): Set<string> {
  const { isAdmin } = useSession();
  return new Set(routes.filter(({ adminOnly }) => isAdmin || !adminOnly).map(({ name }) => name));
}
