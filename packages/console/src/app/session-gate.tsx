import type { SignedInAccount } from '@switchyard/contract/accounts/account';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, type ReactNode, useRef, useState } from 'react';
import type { FirstPassword } from '../features/sign-in/first-password.tsx';
import type { SignIn } from '../features/sign-in/sign-in.tsx';
import { Button } from '../kit/button.tsx';
import { useText } from '../lib/i18n.ts';
import { lazyPart, useLazyPart } from '../lib/lazy-part.ts';
import { type Session, SessionContext } from '../lib/session.ts';
import { sessionQuery } from '../lib/session-query.ts';
import { signOut } from './sign-out.ts';

const signInPart = lazyPart(async () => (await import('../features/sign-in/sign-in.tsx')).SignIn);
const firstPasswordPart = lazyPart(
  async () => (await import('../features/sign-in/first-password.tsx')).FirstPassword,
);

/**
 * Shows the pages to a user who is signed in, and the sign-in form otherwise. When a session ends under an open page,
 * the page stays mounted behind the form, so that drafts and the place are there after the next sign-in.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const session = useQuery(sessionQuery);
  const password = useRef<string | null>(null);
  const [last, setLast] = useState<SignedInAccount | null>(null);
  const account = session.data ?? null;
  if (account !== null && account !== last) {
    setLast(account);
    // Nothing of the account before may stay in sight or in the cache.
    if (last !== null && last.id !== account.id) window.location.reload();
  }
  const keepPassword = (typed: string) => {
    password.current = typed;
  };
  const openPages = async () => {
    password.current = null;
    await queries.invalidateQueries();
  };
  if (session.isPending) return null;
  if (session.isError && last === null) return <GatewayAway retry={session.refetch} />;
  if (last === null) return <LazySignIn ended={null} onPassword={keepPassword} />;
  if (account?.needs_setup) {
    return (
      <LazyFirstPassword
        email={account.email}
        current={password.current}
        onChanged={openPages}
        onSignOut={() => void signOut()}
      />
    );
  }
  return (
    <SessionContext value={sessionOf(last)}>
      {account === null && <LazySignIn ended={last.email} onPassword={keepPassword} />}
      <div className={account === null ? 'hidden' : 'contents'}>{children}</div>
    </SessionContext>
  );
}

/** The gateway does not answer at all, so there is nothing to show but this. */
function GatewayAway({ retry }: { retry: () => unknown }) {
  const text = useText('app');
  return (
    <main className="mx-auto flex min-h-dvh max-w-96 flex-col items-start justify-center gap-4 p-4">
      <h1 className="text-title font-semibold">{text('away.title')}</h1>
      <p className="text-body text-text-2">{text('away.cause')}</p>
      <Button variant="solid" onClick={() => retry()}>
        {text('away.retry')}
      </Button>
    </main>
  );
}

/** Most visits begin signed in, so the forms are loaded when they are needed. */
function LazySignIn(props: ComponentProps<typeof SignIn>) {
  const Form = useLazyPart(signInPart);
  return Form === null ? null : <Form {...props} />;
}

function LazyFirstPassword(props: ComponentProps<typeof FirstPassword>) {
  const Form = useLazyPart(firstPasswordPart);
  return Form === null ? null : <Form {...props} />;
}

function sessionOf({ id, email, system_role: role, environment, quiet }: SignedInAccount): Session {
  return { id, email, role, isAdmin: role === 'admin', environment, isQuiet: quiet === true };
}
