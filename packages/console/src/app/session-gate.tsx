import type { Account } from '@switchyard/contract/accounts/account';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { FirstPassword } from '../features/sign-in/first-password.tsx';
import { SignIn } from '../features/sign-in/sign-in.tsx';
import { type Session, SessionContext } from '../lib/session.ts';
import { sessionQuery } from '../lib/session-query.ts';
import { GatewayAway } from './gateway-away.tsx';
import { signOut } from './sign-out.ts';

/**
 * Shows the pages to a user who is signed in, and the sign-in form otherwise. When a session ends under an open page,
 * the page stays mounted behind the form, so that drafts and the place are there after the next sign-in.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const session = useQuery(sessionQuery);
  const password = useRef<string | null>(null);
  const [last, setLast] = useState<Account | null>(null);
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
  if (last === null) return <SignIn ended={null} onPassword={keepPassword} />;
  if (account?.needs_setup) {
    return (
      <FirstPassword
        email={account.email}
        current={password.current}
        onChanged={openPages}
        onSignOut={() => void signOut()}
      />
    );
  }
  return (
    <SessionContext value={sessionOf(last)}>
      {account === null && <SignIn ended={last.email} onPassword={keepPassword} />}
      <div className={account === null ? 'hidden' : 'contents'}>{children}</div>
    </SessionContext>
  );
}

function sessionOf({ id, email, system_role: role }: Account): Session {
  return { id, email, role, isAdmin: role === 'admin' };
}
