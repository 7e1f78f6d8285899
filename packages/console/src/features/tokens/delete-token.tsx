import { type AccessToken, deleteAccessToken } from '@switchyard/contract/accounts/access-token';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { tokensKey } from './tokens-key.ts';

/** Deletes a token, after a question: a program may be using it. */
export function DeleteToken({ token: { id, name } }: { token: AccessToken }) {
  const text = useText('tokens');
  const act = useAct();
  const hint = useCommandHint(`switchyard tokens revoke ${id}`);
  const [asks, setAsks] = useState(false);
  const remove = async () => {
    setAsks(false);
    await act(() => gateway.call(deleteAccessToken, { params: { tokenId: id } }), {
      done: text('delete.done', { name }),
      refresh: tokensKey,
    });
  };
  return (
    <>
      <Button
        {...hint}
        size="s"
        variant="plain"
        aria-label={text('delete.of', { name })}
        onClick={() => setAsks(true)}
      >
        {text('delete.open')}
      </Button>
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={text('delete.title', { name })}
        confirm={text('delete.confirm')}
        onConfirm={() => void remove()}
      >
        <p>{text('delete.effect')}</p>
      </ConfirmDialog>
    </>
  );
}
