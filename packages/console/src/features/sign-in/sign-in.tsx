import { readSetupStatus } from '@switchyard/contract/accounts/session';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { gateway } from '../../lib/gateway.ts';
import { sessionQuery } from '../../lib/session-query.ts';
import { LoginForm } from './login-form.tsx';
import { NewAccount } from './new-account.tsx';

/** The form that begins a session; on a gateway without an administrator the one that makes the first. */
export function SignIn({
  ended,
  onPassword,
}: {
  /** The address of the account whose session has just ended under an open page. */
  ended: string | null;
  onPassword: (password: string) => void;
}) {
  const queries = useQueryClient();
  const setup = useQuery({
    queryKey: ['setup-status'],
    queryFn: ({ signal }) => gateway.call(readSetupStatus, { signal }),
  });
  const [registers, setRegisters] = useState(false);
  const readSession = () => queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  if (setup.isPending) return null;
  if (setup.data?.needs_setup) return <NewAccount kind="first" onSignedIn={readSession} />;
  if (registers) return <NewAccount kind="own" onSignedIn={readSession} onBack={() => setRegisters(false)} />;
  return (
    <LoginForm
      ended={ended}
      isForeign={setup.data?.foreign_session ?? false}
      onSignedIn={(password) => {
        onPassword(password);
        return readSession();
      }}
      onRegister={setup.data?.registration_enabled ? () => setRegisters(true) : undefined}
    />
  );
}
