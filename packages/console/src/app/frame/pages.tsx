import type { ReactNode } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { Boundary } from '../../kit/boundary.tsx';
import { Button, LinkButton } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { useText } from '../../lib/i18n.ts';
import { useLazyPart } from '../../lib/lazy-part.ts';
import { useSession } from '../../lib/session.ts';
import { type Route as ConsoleRoute, routes } from '../routes.ts';
import { useVisiblePages } from './visible-pages.ts';

/** The page of the address. A page that fails shows the error in its place and leaves the frame alone. */
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

/** Catches what a page throws, such as a file of the console that a newer gateway no longer has. */
function PageFailure({ children }: { children: ReactNode }) {
  const [path] = useLocation();
  const [, name = ''] = path.split('/');
  // Another page gets a new try.
  return (
    <Boundary key={name} fallback={(error) => <Failed error={error} />}>
      {children}
    </Boundary>
  );
}

function Failed({ error }: { error: Error }) {
  const text = useText('app');
  return (
    <Page title={text('failure.title')}>
      <p className="max-w-[40rem] text-body text-text-2">{text('failure.cause')}</p>
      <p className="max-w-[40rem] font-mono text-table break-words">{error.message}</p>
      <div>
        <Button variant="solid" onClick={() => window.location.reload()}>
          {text('failure.reload')}
        </Button>
      </div>
    </Page>
  );
}

/** The page of a route, which appears as soon as its file has been loaded. */
function PageSlot({ route }: { route: ConsoleRoute }) {
  const loaded = useLazyPart(route.page);
  return loaded === null ? null : <loaded.Page />;
}

/** In the place of a page that administrators alone have. */
function AdminPage() {
  const text = useText('app');
  return (
    <Page title={text('adminOnly.title')}>
      <p className="text-body text-text-2">{text('adminOnly.cause')}</p>
    </Page>
  );
}

/** An address that the console does not know. */
function UnknownAddress() {
  const text = useText('app');
  return (
    <Page title={text('unknown.title')}>
      <p className="text-body break-words text-text-2">
        {text('unknown.cause', { address: window.location.pathname })}
      </p>
      <div>
        <LinkButton href="/">{text('unknown.home')}</LinkButton>
      </div>
    </Page>
  );
}
