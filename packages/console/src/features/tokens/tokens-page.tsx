import { type AccessToken, deleteAccessToken } from '@switchyard/contract/accounts/access-token';
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { ConfirmedButton } from '../../kit/forms/confirmed-button.tsx';
import { PageButton } from '../../kit/forms/page-button.tsx';
import { SecretDialog } from '../../kit/forms/secret-dialog.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { StatusWord } from '../../kit/status-word.tsx';
import type { Column } from '../../kit/table/column.ts';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { tokensQuery } from '../../lib/data/tokens.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { useNow } from '../../lib/format/use-now.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { CreateToken, type MadeToken } from './create-token.tsx';

const command = 'switchyard tokens create laptop --scope dispatch:read --days 30';

export function TokensPage() {
  const text = useText('tokens');
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<MadeToken | null>(null);
  const tokens = useQuery(tokensQuery);
  return (
    <Page
      title={text('title')}
      lead={text('lead')}
      actions={
        <PageButton
          id="create-token"
          label={text('create.open')}
          icon={KeyRound}
          command={command}
          onClick={() => setCreating(true)}
        />
      }
    >
      <QueryView
        query={tokens}
        isEmpty={({ items }) => items.length === 0}
        first={
          <EmptyState title={text('first.title')} command={command}>
            {text('first.cause')}
          </EmptyState>
        }
      >
        {({ items }) => <TokenTable tokens={items} />}
      </QueryView>
      <CreateToken open={isCreating} onClose={() => setCreating(false)} onToken={setMade} />
      <SecretDialog
        secret={made?.secret ?? null}
        title={text(made?.kind === 'address' ? 'address.title' : 'secret.title')}
        lead={text(made?.kind === 'address' ? 'address.lead' : 'secret.lead')}
        onClose={() => setMade(null)}
      />
    </Page>
  );
}

function TokenTable({ tokens }: { tokens: readonly AccessToken[] }) {
  const text = useText('tokens');
  const columns: Column<AccessToken>[] = [
    {
      id: 'name',
      header: text('column.name'),
      cell: ({ name, client }) => (
        <span className="truncate font-medium" title={name}>
          {name} {client && <span className="text-text-2">{client}</span>}
        </span>
      ),
    },
    {
      id: 'scopes',
      header: text('column.scopes'),
      cell: ({ scopes }) => (
        <span className="truncate font-mono text-meta" title={scopes.join('\n')}>
          {scopes.join(' ')}
        </span>
      ),
    },
    {
      id: 'expires',
      header: text('column.expires'),
      width: '11rem',
      cell: (token) => <Expiry token={token} />,
    },
    {
      id: 'used',
      header: text('column.used'),
      width: '9rem',
      cell: ({ last_used_at: at }) => (at === null ? text('never') : <TimeAgo at={at} />),
    },
    {
      id: 'actions',
      nameless: true,
      header: text('column.actions'),
      width: '8rem',
      align: 'end',
      cell: (token) => <DeleteToken token={token} />,
    },
  ];
  return (
    <DataTable
      label={text('title')}
      columns={columns}
      rows={tokens}
      rowKey={({ id }) => id}
      rowCommand={revokeCommand}
    />
  );
}

function Expiry({ token: { expires_at: at, client } }: { token: AccessToken }) {
  const text = useText('tokens');
  const format = useFormat();
  const now = useNow();
  if (client !== null) return <span>{text('renewed')}</span>;
  if (at === null) return <span>{text('lasting')}</span>;
  if (Date.parse(at) <= now) return <StatusWord kind="off">{text('expired')}</StatusWord>;
  return <span title={format.dateTime(new Date(at))}>{format.date(new Date(at))}</span>;
}

/** Deletes a token, after a question: a program may be using it. */
function DeleteToken({ token: { id, name } }: { token: AccessToken }) {
  const text = useText('tokens');
  const hint = useCommandHint(revokeCommand({ id }));
  return (
    <ConfirmedButton
      {...hint}
      variant="plain"
      aria-label={text('delete.of', { name })}
      question={{
        title: text('delete.title', { name }),
        effect: text('delete.effect'),
        confirm: text('delete.confirm'),
      }}
      work={() => gateway.call(deleteAccessToken, { params: { tokenId: id } })}
      done={text('delete.done', { name })}
      refresh={tokensQuery.queryKey}
    >
      {text('delete.open')}
    </ConfirmedButton>
  );
}

function revokeCommand({ id }: Pick<AccessToken, 'id'>): string {
  return `switchyard tokens revoke ${id}`;
}
