import { changeEmail } from '@switchyard/contract/accounts/session';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Field } from '../../kit/field.tsx';
import { FormError } from '../../kit/forms/form-error.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { useToast } from '../../kit/toast.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { sessionQuery } from '../../lib/session-query.ts';
import { Part } from './part.tsx';

export function ChangeEmail() {
  const text = useText('account');
  const toast = useToast();
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const change = useMutation({
    mutationFn: () =>
      gateway.call(changeEmail, { body: { new_email: email.trim(), current_password: password } }),
    onSuccess: async (account) => {
      queries.setQueryData(sessionQuery.queryKey, (known) => known && { ...known, ...account });
      setEmail('');
      setPassword('');
      toast({ text: text('email.done', { email: account.email }) });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <Part title={text('email.title')} lead={text('email.lead')}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label={text('email.new')}>
          <TextInput
            type="email"
            autoComplete="email"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <Field label={text('password.current')}>
          <TextInput
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
        {change.error && <FormError error={change.error} />}
        <Button
          type="submit"
          className="self-start"
          disabled={change.isPending || email === '' || password === ''}
        >
          {text('email.submit')}
        </Button>
      </form>
    </Part>
  );
}
