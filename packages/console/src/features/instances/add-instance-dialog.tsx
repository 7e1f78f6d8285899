import {
  changeSettings,
  type InstanceRefusal,
  type NewInstance,
  refusalOf,
  withInstance,
  withoutInstance,
} from '@switchyard/client/settings-change';
import { type InstanceTest, testInstance } from '@switchyard/contract/dispatch/instance';
import {
  basicAuthorization,
  instanceIdOf,
  parseWorkerAddress,
  type WorkerAddress,
  workerUrl,
} from '@switchyard/contract/dispatch/worker-address';
import { shellWord } from '@switchyard/contract/shell-word';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { CommandLine } from '../../kit/command-line.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field } from '../../kit/field.tsx';
import { GatewayText } from '../../kit/gateway-text.tsx';
import { StatusWord } from '../../kit/status-word.tsx';
import { Switch } from '../../kit/switch.tsx';
import { TextArea } from '../../kit/text-area.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { parseLines } from '../../lib/secret-lines.ts';

const emptyDraft = {
  address: '',
  name: '',
  tags: '',
  user: '',
  password: '',
  headers: '',
  anyCertificate: false,
};
type Draft = typeof emptyDraft;

/** Adds a worker by its address and tests it at once, so that a wrong address is seen here and not in a log. */
export function AddInstanceDialog({ onClose }: { onClose: () => void }) {
  const text = useText('instances');
  const words = useGatewayWords();
  const cache = useQueryClient();
  const [draft, setDraft] = useState(emptyDraft);
  const [fault, setFault] = useState<string | null>(null);
  const parsed = parseWorkerAddress(draft.address);
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const { faults } = parseLines(draft.headers);
  const add = useMutation({
    mutationFn: async () => {
      if (parsed === null) throw new Error(text('add.noAddress'));
      const added = instanceOf(draft, parsed);
      await changeSettings(gateway, (settings) => {
        const refusal = refusalOf(settings, added);
        if (refusal) throw new Error(describeRefusal(refusal));
        return withInstance(settings, added);
      });
      const instanceId = instanceIdOf(parsed);
      return { instanceId, test: await gateway.call(testInstance, { params: { instanceId } }) };
    },
    onError: (error) => setFault(words.error(error)),
    onSettled: () => cache.invalidateQueries({ queryKey: keys.instances }),
  });
  const undo = useMutation({
    mutationFn: (instanceId: string) =>
      changeSettings(gateway, (settings) => withoutInstance(settings, instanceId)),
    onSuccess: () => add.reset(),
    onSettled: () => cache.invalidateQueries({ queryKey: keys.instances }),
  });
  const describeRefusal = (refusal: InstanceRefusal) =>
    refusal.why === 'other_path' ? text('add.otherPath', { path: refusal.path }) : text('add.there');
  const submit = () => {
    setFault(parsed === null ? text('add.noAddress') : null);
    if (parsed !== null) add.mutate();
  };
  const added = add.data;
  return (
    <Dialog
      open
      onClose={onClose}
      title={text('add.title')}
      actions={
        added ? (
          <>
            <Button variant={added.test.ok ? 'solid' : 'quiet'} onClick={onClose}>
              {text(added.test.ok ? 'add.close' : 'add.keep')}
            </Button>
            {added.test.ok ? null : (
              <Button variant="solid" isBusy={undo.isPending} onClick={() => undo.mutate(added.instanceId)}>
                {text('add.removeAgain')}
              </Button>
            )}
          </>
        ) : (
          <Button variant="solid" isBusy={add.isPending} disabled={faults.length > 0} onClick={submit}>
            {text(add.isPending ? 'add.testing' : 'add.confirm')}
          </Button>
        )
      }
    >
      {added ? (
        <TestResult test={added.test} />
      ) : (
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <Field label={text('add.address')} hint={text('add.addressHint')} error={fault}>
            <TextInput
              value={draft.address}
              onChange={(event) => {
                set({ address: event.target.value });
                setFault(null);
              }}
              placeholder="192.168.1.20:8188"
              autoComplete="off"
              spellCheck={false}
            />
          </Field>
          <NameFields draft={draft} onChange={set} />
          <AccessFields draft={draft} faults={faults} hasTls={parsed?.tls === true} onChange={set} />
          <CommandLine
            command={`switchyard instances add ${parsed ? shellWord(shortAddress(parsed)) : '192.168.1.20:8188'}`}
          />
          <button type="submit" hidden aria-hidden tabIndex={-1} />
        </form>
      )}
    </Dialog>
  );
}

function NameFields({ draft, onChange }: { draft: Draft; onChange: (change: Partial<Draft>) => void }) {
  const text = useText('instances');
  return (
    <>
      <Field label={text('add.name')} hint={text('add.nameHint')}>
        <TextInput
          value={draft.name}
          maxLength={200}
          onChange={(event) => onChange({ name: event.target.value })}
          autoComplete="off"
        />
      </Field>
      <Field label={text('add.tags')} hint={text('add.tagsHint')}>
        <TextInput
          value={draft.tags}
          onChange={(event) => onChange({ tags: event.target.value })}
          autoComplete="off"
        />
      </Field>
    </>
  );
}

/** The fields for a worker behind a proxy: a password, headers, a certificate that is not known. */
function AccessFields({
  draft,
  faults,
  hasTls,
  onChange,
}: {
  draft: Draft;
  faults: readonly number[];
  hasTls: boolean;
  onChange: (change: Partial<Draft>) => void;
}) {
  const text = useText('instances');
  return (
    <details>
      <summary className="cursor-pointer text-table font-medium">{text('add.access')}</summary>
      <div className="flex flex-col gap-4 pt-3">
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label={text('add.user')}>
            <TextInput
              value={draft.user}
              onChange={(event) => onChange({ user: event.target.value })}
              autoComplete="off"
              spellCheck={false}
            />
          </Field>
          <Field label={text('add.password')}>
            <TextInput
              type="password"
              value={draft.password}
              onChange={(event) => onChange({ password: event.target.value })}
              autoComplete="new-password"
            />
          </Field>
        </div>
        <Field
          label={text('add.headers')}
          hint={text('add.headersHint')}
          error={faults.length > 0 ? text('add.headersFault', { lines: faults.join(', ') }) : undefined}
        >
          <TextArea
            value={draft.headers}
            onChange={(event) => onChange({ headers: event.target.value })}
            autoComplete="off"
            spellCheck={false}
            className="font-mono"
          />
        </Field>
        {hasTls ? (
          <Switch
            label={text('add.anyCertificate')}
            checked={draft.anyCertificate}
            onChange={(anyCertificate) => onChange({ anyCertificate })}
          />
        ) : null}
      </div>
    </details>
  );
}

function instanceOf(draft: Draft, address: WorkerAddress): NewInstance {
  const { user, password, anyCertificate } = draft;
  const name = draft.name.trim();
  const tags = draft.tags
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
  const headers = {
    ...(user !== '' && { Authorization: basicAuthorization(`${user}:${password}`) }),
    ...parseLines(draft.headers).secrets,
  };
  return {
    address,
    server: { ...(name && { name }), ...(tags.length > 0 && { tags }), headers },
    anyCertificate: address.tls && anyCertificate,
  };
}

/** The address as the command takes it, without the password. */
function shortAddress(address: WorkerAddress): string {
  const isPlain = !address.tls && address.basePath === '';
  return isPlain ? instanceIdOf(address) : workerUrl(address, address);
}

function TestResult({ test }: { test: InstanceTest }) {
  const text = useText('instances');
  return (
    <div role="status" className="flex flex-col items-start gap-2">
      <StatusWord kind={test.ok ? 'done' : 'unreachable'} tinted>
        {text(test.ok ? 'add.works' : 'add.failed')}
      </StatusWord>
      <p className="break-words">
        <GatewayText message={test.message} sentences={test.sentences} />
      </p>
      {test.ok || test.cause === null ? null : <p className="text-text-2">{text(`cause.${test.cause}`)}</p>}
    </div>
  );
}
