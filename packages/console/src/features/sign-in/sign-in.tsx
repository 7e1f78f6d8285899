import { initialize, readSetupStatus, register } from '@switchyard/contract/accounts/session';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useMemo, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Field } from '../../kit/field.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { sessionQuery } from '../../lib/session-query.ts';
import { Entrance } from './entrance.tsx';
import { FaultText } from './fault-text.tsx';
import { NewPassword } from './new-password.tsx';
import { PasswordInput } from './password-input.tsx';
import { isAllowed } from './password-strength.ts';
import { signInFault } from './sign-in-fault.ts';
import { useSecondsLeft } from './use-seconds-left.ts';

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

function NewAccount({
  kind,
  onSignedIn,
  onBack,
}: {
  /** The first administrator of a gateway that has none, or an account that its user makes. */
  kind: 'first' | 'own';
  onSignedIn: () => Promise<unknown>;
  onBack?: () => void;
}) {
  const text = useText('sign-in');
  const [password, setPassword] = useState('');
  const create = useMutation({
    mutationFn: async (email: string) => {
      await gateway.call(kind === 'first' ? initialize : register, { body: { email, password } });
      await onSignedIn();
    },
  });
  const fault = useMemo(() => create.error && signInFault(create.error), [create.error]);
  const secondsLeft = useSecondsLeft(fault);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    create.mutate(String(new FormData(event.currentTarget).get('username')).trim());
  };
  return (
    <Entrance title={text(`${kind}.title`)} lead={text(`${kind}.lead`)}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label={text('email')}>
          <TextInput name="username" type="email" autoComplete="username" required autoFocus />
        </Field>
        <NewPassword value={password} onChange={setPassword} />
        <FaultText fault={fault} secondsLeft={secondsLeft} />
        <Button
          type="submit"
          variant="solid"
          isBusy={create.isPending || secondsLeft > 0}
          disabled={!isAllowed(password)}
        >
          {text(`${kind}.submit`)}
        </Button>
      </form>
      {onBack && (
        <Button variant="plain" onClick={onBack}>
          {text('own.back')}
        </Button>
      )}
    </Entrance>
  );
}

function LoginForm({
  ended,
  isForeign,
  onSignedIn,
  onRegister,
}: {
  /** The address of the account whose session has just ended under an open page. */
  ended: string | null;
  /** The browser brought the session cookie of another gateway on this host. */
  isForeign: boolean;
  /** Receives the password, so that the form for a new one does not ask for it again. */
  onSignedIn: (password: string) => Promise<unknown>;
  onRegister?: (() => void) | undefined;
}) {
  const text = useText('sign-in');
  const login = useMutation({
    mutationFn: async (fields: { username: string; password: string }) => {
      await gateway.session.loginWithCookies(fields);
      await onSignedIn(fields.password);
    },
  });
  const fault = useMemo(() => login.error && signInFault(login.error), [login.error]);
  const secondsLeft = useSecondsLeft(fault);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    login.mutate({
      username: String(fields.get('username')).trim(),
      password: String(fields.get('password')),
    });
  };
  return (
    <Entrance title={text('login.title')} lead={ended === null ? undefined : text('login.ended')}>
      {isForeign && <p className="text-body text-text-2">{text('login.foreign')}</p>}
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label={text('email')}>
          <TextInput
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            required
            defaultValue={ended ?? ''}
            autoFocus={ended === null}
          />
        </Field>
        <Field label={text('password.label')}>
          <PasswordInput
            name="password"
            autoComplete="current-password"
            required
            autoFocus={ended !== null}
          />
        </Field>
        <FaultText fault={fault} secondsLeft={secondsLeft} />
        <Button type="submit" variant="solid" isBusy={login.isPending || secondsLeft > 0}>
          {text(login.isPending ? 'login.busy' : 'login.submit')}
        </Button>
      </form>
      <p className="text-meta text-text-2">{text('login.help')}</p>
      {onRegister && (
        <Button variant="plain" onClick={onRegister}>
          {text('login.register')}
        </Button>
      )}
    </Entrance>
  );
}
