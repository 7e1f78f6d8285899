import { Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { routes } from '../routes.tsx';
import { Rail } from './rail.tsx';
import { UnknownAddress } from './unknown-address.tsx';
import { useVisiblePages } from './visible-pages.ts';

/** What stands around every page. */
export function Frame() {
  const first = useVisiblePages()[0]?.[0]?.name;
  return (
    <div className="flex min-h-dvh">
      <Rail />
      <main className="min-w-0 flex-1">
        <Suspense>
          <Switch>
            {routes.map(({ path, Page }) => (
              <Route key={path} path={path}>
                <Page />
              </Route>
            ))}
            {first && (
              <Route path="/">
                <Redirect to={`/${first}`} replace />
              </Route>
            )}
            <Route>
              <UnknownAddress />
            </Route>
          </Switch>
        </Suspense>
      </main>
    </div>
  );
}
