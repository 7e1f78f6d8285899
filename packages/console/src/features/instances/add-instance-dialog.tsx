import { type InstanceTest, testInstance } from '@switchyard/contract/dispatch/instance';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { CommandLine } from '../../kit/command-line.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field } from '../../kit/field.tsx';
import { GatewayText } from '../../kit/gateway-text.tsx';
import { StatusWord } from '../../kit/status-word.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { instanceIdOf, parseAddress, withoutWorker, withWorker } from './settings-change.ts';
import { changeSettings } from './use-settings-change.ts';

/** Adds a worker by its address and tests it at once, so that a wrong address is seen here and not in a log. */
export function AddInstanceDialog({ onClose }: { onClose: () => void }) {
  const text = useText('instances');
  const words = useGatewayWords();
  const cache = useQueryClient();
  const [address, setAddress] = useState('');
  const [name, setName] = useState('');
  const [tags, setTags] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const parsed = parseAddress(address);
  const add = useMutation({
    mutationFn: async () => {
      if (parsed === null) throw new Error(text('add.noAddress'));
      const named = tags.split(',').map((tag) => tag.trim());
      const worker = { address: parsed, name: name.trim(), tags: named.filter(Boolean) };
      if ((await changeSettings((settings) => withWorker(settings, worker))) === null) {
        throw new Error(text('add.there'));
      }
      const instanceId = instanceIdOf(parsed);
      return { instanceId, test: await gateway.call(testInstance, { params: { instanceId } }) };
    },
    onError: (error) => setFault(words.error(error)),
    onSettled: () => cache.invalidateQueries({ queryKey: keys.instances }),
  });
  const undo = useMutation({
    mutationFn: (instanceId: string) => changeSettings((settings) => withoutWorker(settings, instanceId)),
    onSuccess: () => add.reset(),
    onSettled: () => cache.invalidateQueries({ queryKey: keys.instances }),
  });
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
            {added.test.ok ? null : (
              <Button disabled={undo.isPending} onClick={() => undo.mutate(added.instanceId)}>
                {text('add.removeAgain')}
              </Button>
            )}
            <Button variant="solid" onClick={onClose}>
              {text(added.test.ok ? 'add.close' : 'add.keep')}
            </Button>
          </>
        ) : (
          <Button variant="solid" disabled={add.isPending} onClick={submit}>
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
              value={address}
              onChange={(event) => {
                setAddress(event.target.value);
                setFault(null);
              }}
              placeholder="192.168.1.20:8188"
              autoComplete="off"
              spellCheck={false}
            />
          </Field>
          <Field label={text('add.name')} hint={text('add.nameHint')}>
            <TextInput
              value={name}
              maxLength={200}
              onChange={(event) => setName(event.target.value)}
              autoComplete="off"
            />
          </Field>
          <Field label={text('add.tags')} hint={text('add.tagsHint')}>
            <TextInput value={tags} onChange={(event) => setTags(event.target.value)} autoComplete="off" />
          </Field>
          <CommandLine
            command={`switchyard instances add ${parsed ? instanceIdOf(parsed) : '192.168.1.20:8188'}`}
          />
          <button type="submit" hidden aria-hidden tabIndex={-1} />
        </form>
      )}
    </Dialog>
  );
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
