import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useMemo } from 'react';
import { Button } from '../../kit/button.tsx';
import { Field } from '../../kit/field.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { Entrance } from './entrance.tsx';
import { FaultText } from './fault-text.tsx';
import { PasswordInput } from './password-input.tsx';
import { signInFault } from './sign-in-fault.ts';
import { useSecondsLeft } from './use-seconds-left.ts';

export function LoginForm({
  ended,
  isForeign,
  onSignedIn,
  onRegister,
}: {
  /** The address of the account whose session has just ended under an open page. */
  ended: string | null;
  /** The browser brought the session cookie of another gateway on this host. */
  isForeign: boolean;
  /** Gets the password, so that the form that asks for a new one need not ask for this one again. */
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
        <Button type="submit" variant="solid" disabled={login.isPending || secondsLeft > 0}>
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
