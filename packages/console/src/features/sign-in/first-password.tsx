import { changePassword } from '@switchyard/contract/accounts/session';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useMemo, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Field } from '../../kit/field.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { Entrance } from './entrance.tsx';
import { FaultText } from './fault-text.tsx';
import { NewPassword } from './new-password.tsx';
import { PasswordInput } from './password-input.tsx';
import { isAllowed } from './password-strength.ts';
import { signInFault } from './sign-in-fault.ts';
import { useSecondsLeft } from './use-seconds-left.ts';

/** An account whose password somebody else has made gets one that its owner alone knows. */
export function FirstPassword({
  email,
  current,
  onChanged,
  onSignOut,
}: {
  email: string;
  /** The password that somebody else has made, when it was typed a moment ago. */
  current: string | null;
  onChanged: () => Promise<unknown>;
  onSignOut: () => void;
}) {
  const text = useText('sign-in');
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  const change = useMutation({
    mutationFn: async () => {
      const body = { current_password: current ?? typed, new_password: password };
      await gateway.call(changePassword, { body });
      await onChanged();
    },
  });
  const fault = useMemo(() => change.error && signInFault(change.error), [change.error]);
  const secondsLeft = useSecondsLeft(fault);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <Entrance title={text('change.title')} lead={text('change.lead')}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {/* Password managers read here which account the new password belongs to. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        {current === null && (
          <Field label={text('change.current')}>
            <PasswordInput
              name="password"
              autoComplete="current-password"
              required
              autoFocus
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </Field>
        )}
        <NewPassword value={password} onChange={setPassword} autoFocus={current !== null} />
        <FaultText fault={fault} secondsLeft={secondsLeft} />
        <Button
          type="submit"
          variant="solid"
          isBusy={change.isPending || secondsLeft > 0}
          disabled={!isAllowed(password)}
        >
          {text('change.submit')}
        </Button>
      </form>
      <Button variant="plain" onClick={onSignOut}>
        {text('change.signOut', { email })}
      </Button>
    </Entrance>
  );
}
