import { initialize, register } from '@switchyard/contract/accounts/session';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useMemo, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Field } from '../../kit/field.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { Entrance } from './entrance.tsx';
import { FaultText } from './fault-text.tsx';
import { NewPassword } from './new-password.tsx';
import { isAllowed } from './password-strength.ts';
import { signInFault } from './sign-in-fault.ts';
import { useSecondsLeft } from './use-seconds-left.ts';

export function NewAccount({
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
          disabled={create.isPending || !isAllowed(password) || secondsLeft > 0}
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
