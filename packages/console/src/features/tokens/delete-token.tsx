import { type AccessToken, deleteAccessToken } from '@switchyard/contract/accounts/access-token';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { ConfirmedButton } from '../../kit/forms/confirmed-button.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { tokensKey } from './tokens-key.ts';

export function revokeCommand({ id }: Pick<AccessToken, 'id'>): string {
  return `switchyard tokens revoke ${id}`;
}

/** Deletes a token, after a question: a program may be using it. */
export function DeleteToken({ token: { id, name } }: { token: AccessToken }) {
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
      refresh={tokensKey}
    >
      {text('delete.open')}
    </ConfirmedButton>
  );
}
