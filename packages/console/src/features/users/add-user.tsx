import { type Role, roles } from '@switchyard/contract/accounts/account';
import { createUser } from '@switchyard/contract/accounts/user';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/forms/form-dialog.tsx';
import { Select } from '../../kit/select.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import type { OneTimePassword } from './one-time-password.ts';
import { usersKey } from './users-query.ts';

/** Makes an account; its one-time password is shown once. */
export function AddUser({
  open,
  onClose,
  onPassword,
}: {
  open: boolean;
  onClose: () => void;
  onPassword: (password: OneTimePassword) => void;
}) {
  const text = useText('users');
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('user');
  const add = async () => {
    const made = await gateway.call(createUser, { body: { email: email.trim(), system_role: role } });
    onPassword({ email: made.email, password: made.one_time_password });
    setEmail('');
    await queries.invalidateQueries({ queryKey: usersKey });
  };
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={text('add.open')}
      submit={text('add.submit')}
      onSubmit={add}
      disabled={email.trim() === ''}
    >
      <Field label={text('add.email')}>
        <TextInput
          type="email"
          autoComplete="off"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <Field label={text('column.role')} hint={text(`roleHint.${role}`)}>
        <Select
          label={text('column.role')}
          value={role}
          options={roles.map((value) => ({ value, label: text(`role.${value}`) }))}
          onChange={setRole}
        />
      </Field>
    </FormDialog>
  );
}
