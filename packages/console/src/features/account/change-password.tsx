import { changePassword } from '@switchyard/contract/accounts/session';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Field } from '../../kit/field.tsx';
import { FormError } from '../../kit/forms/form-error.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { useToast } from '../../kit/toast.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { Part } from './part.tsx';

const minLength = 8;

export function ChangePassword() {
  const text = useText('account');
  const toast = useToast();
  const { email } = useSession();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    mutationFn: () =>
      gateway.call(changePassword, { body: { current_password: current, new_password: next } }),
    onSuccess: () => {
      setCurrent('');
      setNext('');
      toast({ text: text('password.done') });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <Part title={text('password.title')} lead={text('password.lead')}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <Field label={text('password.current')}>
          <TextInput
            type="password"
            autoComplete="current-password"
            required
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
          />
        </Field>
        <Field label={text('password.new')} hint={text('password.rules')}>
          <TextInput
            type="password"
            autoComplete="new-password"
            required
            minLength={minLength}
            value={next}
            onChange={(event) => setNext(event.target.value)}
          />
        </Field>
        {change.error && <FormError error={change.error} />}
        <Button
          type="submit"
          className="self-start"
          disabled={change.isPending || current === '' || next === ''}
        >
          {text('password.submit')}
        </Button>
      </form>
    </Part>
  );
}
