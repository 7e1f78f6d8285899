import { createAccessToken } from '@switchyard/contract/accounts/access-token';
import { comfyuiAddress } from '@switchyard/contract/doors/comfyui-address';
import { doorScope, type Scope, scopes } from '@switchyard/contract/endpoint';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Checkbox } from '../../kit/checkbox.tsx';
import { Field } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/forms/form-dialog.tsx';
import { Select } from '../../kit/select.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { tokensQuery } from '../../lib/data/tokens.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';

const lifetimes = ['7', '30', '90', '365', 'never'] as const;
/** The token, or the address that contains it. */
export interface MadeToken {
  kind: 'token' | 'address';
  secret: string;
}

/** Makes a token for programs; it is shown once. */
export function CreateToken({
  open,
  onClose,
  onToken,
}: {
  open: boolean;
  onClose: () => void;
  onToken: (made: MadeToken) => void;
}) {
  const text = useText('tokens');
  const queries = useQueryClient();
  const { isAdmin } = useSession();
  const [name, setName] = useState('');
  const [lifetime, setLifetime] = useState<(typeof lifetimes)[number]>('90');
  const [chosen, setChosen] = useState<readonly Scope[]>(['dispatch:read', 'dispatch:write']);
  const offered = scopes.filter((scope) => isAdmin || scope !== 'admin');
  const toggle = (scope: Scope, on: boolean) =>
    setChosen(
      offered.filter((other) => {
        if (other === scope) return on;
        return chosen.includes(other) && !(on && [scope, other].includes(doorScope));
      }),
    );
  const create = async () => {
    const expires_in_days = lifetime === 'never' ? null : Number(lifetime);
    const body = { name: name.trim(), scopes: [...chosen], expires_in_days };
    const { token } = await gateway.call(createAccessToken, { body });
    onToken(
      chosen.includes(doorScope)
        ? { kind: 'address', secret: comfyuiAddress(location.origin, token) }
        : { kind: 'token', secret: token },
    );
    setName('');
    await queries.invalidateQueries({ queryKey: tokensQuery.queryKey });
  };
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={text('create.open')}
      submit={text('create.submit')}
      onSubmit={create}
      disabled={name.trim() === '' || chosen.length === 0}
    >
      <Field label={text('create.name')} hint={text('create.nameHint')}>
        <TextInput required maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <fieldset className="flex flex-col gap-1">
        <legend className="pb-1 text-table font-medium">{text('create.scopes')}</legend>
        {offered.map((scope) => (
          <div key={scope} className="flex flex-wrap items-center gap-x-2">
            <Checkbox
              label={text(`scope.${scope.replace(':', '-')}`)}
              checked={chosen.includes(scope)}
              onChange={(on) => toggle(scope, on)}
            />
            <code className="font-mono text-meta text-text-2">{scope}</code>
          </div>
        ))}
      </fieldset>
      <Field label={text('create.lifetime')}>
        <Select
          label={text('create.lifetime')}
          value={lifetime}
          options={lifetimes.map((value) => ({
            value,
            label: value === 'never' ? text('lasting') : text('create.days', { days: Number(value) }),
          }))}
          onChange={setLifetime}
        />
      </Field>
    </FormDialog>
  );
}
