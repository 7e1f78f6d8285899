import { deleteUser, resetUserPassword, type User, updateUser } from '@switchyard/contract/accounts/user';
import { shellWord } from '@switchyard/contract/shell-word';
import { useState } from 'react';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { Menu } from '../../kit/menu.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import type { OneTimePassword } from './one-time-password.ts';
import { usersKey } from './users-query.ts';

/** The actions of an administrator on an account. */
export function UserMenu({
  user,
  onPassword,
}: {
  user: User;
  onPassword: (password: OneTimePassword) => void;
}) {
  const text = useText('users');
  const { act } = useAct();
  const { id: ownId } = useSession();
  const [asks, setAsks] = useState<'reset' | 'delete' | null>(null);
  const { id, email, disabled, system_role: role } = user;
  const params = { userId: id };
  const isOwn = id === ownId;
  const change = (body: { disabled?: boolean; system_role?: User['system_role'] }) =>
    gateway.call(updateUser, { params, body });
  const turn = () =>
    act(() => change({ disabled: !disabled }), {
      done: text(disabled ? 'done.enabled' : 'done.disabled', { email }),
      undo: () => change({ disabled }),
      refresh: [usersKey],
    });
  const otherRole = role === 'admin' ? 'user' : 'admin';
  const switchRole = () =>
    act(() => change({ system_role: otherRole }), {
      done: text(`done.${otherRole}`, { email }),
      undo: () => change({ system_role: role }),
      refresh: [usersKey],
    });
  const reset = async () => {
    setAsks(null);
    await act(
      async () => {
        const made = await gateway.call(resetUserPassword, { params });
        onPassword({ email, password: made.one_time_password });
      },
      { refresh: [usersKey] },
    );
  };
  const remove = async () => {
    setAsks(null);
    await act(() => gateway.call(deleteUser, { params }), {
      done: text('done.deleted', { email }),
      refresh: [usersKey],
    });
  };
  const items = [
    ...(isOwn
      ? []
      : [
          {
            label: text(disabled ? 'action.enable' : 'action.disable'),
            command: disabled ? `switchyard users enable ${email}` : `switchyard users disable ${email}`,
            onSelect: () => void turn(),
          },
          {
            label: text(`action.${otherRole}`),
            command: `switchyard users set-role ${email} ${otherRole}`,
            onSelect: () => void switchRole(),
          },
        ]),
    {
      label: text('action.reset'),
      command: `switchyard users reset-password ${email}`,
      onSelect: () => setAsks('reset'),
    },
    ...(isOwn
      ? []
      : [
          {
            label: text('action.delete'),
            command: `switchyard users delete ${email}`,
            danger: true,
            separated: true,
            onSelect: () => setAsks('delete'),
          },
        ]),
  ];
  return (
    <>
      <Menu
        opensRow
        label={text('actionsOf', { email })}
        items={items}
        command={`switchyard users list --search ${shellWord(email)}`}
      />
      <Questions
        asks={asks}
        email={email}
        onClose={() => setAsks(null)}
        onReset={() => void reset()}
        onDelete={() => void remove()}
      />
    </>
  );
}

function Questions({
  asks,
  email,
  onClose,
  onReset,
  onDelete,
}: {
  asks: 'reset' | 'delete' | null;
  email: string;
  onClose: () => void;
  onReset: () => void;
  onDelete: () => void;
}) {
  const text = useText('users');
  return (
    <>
      <ConfirmDialog
        open={asks === 'reset'}
        onClose={onClose}
        title={text('reset.title', { email })}
        confirm={text('reset.confirm')}
        onConfirm={onReset}
      >
        <p>{text('reset.effect')}</p>
      </ConfirmDialog>
      <ConfirmDialog
        open={asks === 'delete'}
        onClose={onClose}
        title={text('delete.title', { email })}
        confirm={text('delete.confirm')}
        typed={email}
        onConfirm={onDelete}
      >
        <p>{text('delete.effect')}</p>
      </ConfirmDialog>
    </>
  );
}
