import type { User } from '@switchyard/contract/accounts/user';
import { useInfiniteQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useCallback, useState } from 'react';
import { DataTable } from '../../kit/data-table.tsx';
import { FilterEmpty } from '../../kit/forms/filter-empty.tsx';
import { PageButton } from '../../kit/forms/page-button.tsx';
import { SearchInput } from '../../kit/forms/search-input.tsx';
import { SecretDialog } from '../../kit/forms/secret-dialog.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { MoreRows } from '../../kit/rows/more-rows.tsx';
import { StatusWord } from '../../kit/status-word.tsx';
import type { Column } from '../../kit/table/column.ts';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { useQueryState } from '../../lib/address.ts';
import { useText } from '../../lib/i18n.ts';
import { AddUser } from './add-user.tsx';
import type { OneTimePassword } from './one-time-password.ts';
import { UserMenu } from './user-menu.tsx';
import { usersQuery } from './users-query.ts';

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

function State({ user: { disabled, needs_setup } }: { user: User }) {
  const text = useText('users');
  if (disabled) return <StatusWord kind="off">{text('state.disabled')}</StatusWord>;
  if (needs_setup) return <StatusWord kind="waiting">{text('state.setup')}</StatusWord>;
  return <StatusWord kind="done">{text('state.enabled')}</StatusWord>;
}
