import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Boundary } from '../../kit/boundary.tsx';
import { Button } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { useText } from '../../lib/i18n.ts';

/** Catches what a page throws, such as a file of the console that a newer gateway no longer has. */
export function PageFailure({ children }: { children: ReactNode }) {
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
