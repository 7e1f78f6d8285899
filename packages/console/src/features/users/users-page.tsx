import { type Role, roles } from '@switchyard/contract/accounts/account';
import { createUser, type User } from '@switchyard/contract/accounts/user';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useCallback, useState } from 'react';
import { DataTable } from '../../kit/data-table.tsx';
import { Field } from '../../kit/field.tsx';
import { FilterEmpty } from '../../kit/forms/filter-empty.tsx';
import { FormDialog } from '../../kit/forms/form-dialog.tsx';
import { PageButton } from '../../kit/forms/page-button.tsx';
import { SearchInput } from '../../kit/forms/search-input.tsx';
import { SecretDialog } from '../../kit/forms/secret-dialog.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { MoreRows } from '../../kit/rows/more-rows.tsx';
import { Select } from '../../kit/select.tsx';
import { StatusWord } from '../../kit/status-word.tsx';
import type { Column } from '../../kit/table/column.ts';
import { TextInput } from '../../kit/text-input.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { useQueryState } from '../../lib/address.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import type { OneTimePassword } from './one-time-password.ts';
import { UserMenu } from './user-menu.tsx';
import { usersKey, usersQuery } from './users-query.ts';

export function UsersPage() {
  const text = useText('users');
  const [q, setQ] = useQueryState('q');
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<OneTimePassword | null>(null);
  const users = useInfiniteQuery(usersQuery(q ?? ''));
  const search = useCallback((value: string) => setQ(value), [setQ]);
  return (
    <Page
      title={text('title')}
      lead={text('lead')}
      actions={
        <PageButton
          id="add-user"
          label={text('add.open')}
          icon={UserPlus}
          command="switchyard users add second@studio.example --role user"
          onClick={() => setAdding(true)}
        />
      }
    >
      <SearchInput label={text('search')} value={q ?? ''} onChange={search} />
      <QueryView
        query={users}
        isEmpty={({ pages }) => pages[0]?.total === 0}
        filtered={q ? <FilterEmpty title={text('none', { q })} onClear={() => setQ(null)} /> : undefined}
      >
        {({ pages }) => <UserTable users={pages.flatMap(({ items }) => items)} onPassword={setSecret} />}
      </QueryView>
      <MoreRows query={users} />
      <AddUser open={isAdding} onClose={() => setAdding(false)} onPassword={setSecret} />
      <SecretDialog
        secret={secret?.password ?? null}
        title={text('password.title', { email: secret?.email ?? '' })}
        lead={text('password.lead')}
        onClose={() => setSecret(null)}
      />
    </Page>
  );
}

function UserTable({
  users,
  onPassword,
}: {
  users: readonly User[];
  onPassword: (password: OneTimePassword) => void;
}) {
  const text = useText('users');
  const columns: Column<User>[] = [
    {
      id: 'email',
      header: text('column.email'),
      cell: ({ email }) => (
        <span title={email} className="truncate">
          {email}
        </span>
      ),
    },
    {
      id: 'role',
      header: text('column.role'),
      width: '11rem',
      cell: (user) => text(`role.${user.system_role}`),
    },
    { id: 'state', header: text('column.state'), width: '13rem', cell: (user) => <State user={user} /> },
    {
      id: 'created',
      header: text('column.created'),
      width: '9rem',
      wideOnly: true,
      cell: ({ created_at }) => <TimeAgo at={created_at} />,
    },
    {
      id: 'actions',
      nameless: true,
      header: text('column.actions'),
      width: '6rem',
      align: 'end',
      cell: (user) => <UserMenu user={user} onPassword={onPassword} />,
    },
  ];
  return <DataTable label={text('title')} columns={columns} rows={users} rowKey={({ id }) => id} />;
}

/** Makes an account; its one-time password is shown once. */
function AddUser({
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

function State({ user: { disabled, needs_setup } }: { user: User }) {
  const text = useText('users');
  if (disabled) return <StatusWord kind="off">{text('state.disabled')}</StatusWord>;
  if (needs_setup) return <StatusWord kind="waiting">{text('state.setup')}</StatusWord>;
  return <StatusWord kind="done">{text('state.enabled')}</StatusWord>;
}
