import { Redirect, Route, Switch } from 'wouter';
import { useSession } from '../../lib/session.ts';
import { routes } from '../routes.ts';
import { AdminPage } from './admin-page.tsx';
import { PageFailure } from './page-failure.tsx';
import { PageSlot } from './page-slot.tsx';
import { UnknownAddress } from './unknown-address.tsx';
import { useVisiblePages } from './visible-pages.ts';

/** The page of the address. A page that fails says so in its place and leaves the frame alone. */
export function Pages() {
  const { isAdmin } = useSession();
  const first = useVisiblePages()[0]?.[0]?.name;
  return (
    <PageFailure>
      <Switch>
        {routes.map((route) => (
          <Route key={route.path} path={route.path}>
            {route.adminOnly && !isAdmin ? <AdminPage /> : <PageSlot route={route} />}
          </Route>
        ))}
        {/* The sign-in form is shown at any address, so a bookmark of its own leads on. */}
        {first &&
          ['/', '/login'].map((path) => (
            <Route key={path} path={path}>
              <Redirect to={`/${first}`} replace />
            </Route>
          ))}
        <Route>
          <UnknownAddress />
        </Route>
      </Switch>
    </PageFailure>
  );
}
