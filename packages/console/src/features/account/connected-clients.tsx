import { type AccessToken, deleteAccessToken } from '@switchyard/contract/accounts/access-token';
import { useQuery } from '@tanstack/react-query';
import { ConfirmedButton } from '../../kit/forms/confirmed-button.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { tokensQuery } from '../../lib/data/tokens.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';

/** The clients that the user lets sign in for them. */
export function ConnectedClients() {
  const text = useText('account');
  const tokens = useQuery(tokensQuery);
  return (
    <QueryView query={tokens}>
      {({ items }) => {
        const clients = items.filter(({ client }) => client !== null);
        if (clients.length === 0) return <p className="text-text-2">{text('clients.none')}</p>;
        return (
          <ul className="flex flex-col divide-y divide-border rounded-card border border-border">
            {clients.map((token) => (
              <Client key={token.id} token={token} />
            ))}
          </ul>
        );
      }}
    </QueryView>
  );
}

function Client({ token: { id, name, client, scopes, last_used_at: at } }: { token: AccessToken }) {
  const text = useText('account');
  return (
    <li className="flex flex-wrap items-center justify-between gap-2 p-3">
      <div className="min-w-0">
        <p className="font-medium break-words">
          {name} <span className="text-text-2">{client}</span>
        </p>
        <p className="font-mono text-meta break-words text-text-2">{scopes.join(' ')}</p>
        <p className="text-table text-text-2">
          {text('clients.used')} {at === null ? text('clients.never') : <TimeAgo at={at} />}
        </p>
      </div>
      <ConfirmedButton
        aria-label={text('clients.revokeOf', { name })}
        question={{
          title: text('clients.question', { name }),
          effect: text('clients.effect'),
          confirm: text('clients.confirm'),
        }}
        work={() => gateway.call(deleteAccessToken, { params: { tokenId: id } })}
        done={text('clients.done', { name })}
        refresh={tokensQuery.queryKey}
      >
        {text('clients.revoke')}
      </ConfirmedButton>
    </li>
  );
}
