import type { FileRecipe, RecipeChanges, RecipeValue } from '@switchyard/contract/dispatch/recipe';
import type { Task } from '@switchyard/contract/dispatch/task';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Field } from '../../../kit/field.tsx';
import { useRecipeWords } from '../../../kit/results/use-recipe-words.ts';
import { Select } from '../../../kit/select.tsx';
import { TextArea } from '../../../kit/text-area.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import { instancesQuery } from '../../../lib/data/instances.ts';
import { useGatewayWords } from '../../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../../lib/i18n.ts';
import { changedValue } from './changed-value.ts';

const anywhere = 'anywhere';
const firstShown = 30;

/** The settings of a file, ready to be changed before it is made again. */
export function AgainDialog({
  recipe,
  again,
  onClose,
  onStarted,
}: {
  recipe: FileRecipe;
  again: (changes: RecipeChanges) => Promise<Task>;
  onClose: () => void;
  onStarted: (task: Task) => void;
}) {
  const text = useText('gallery');
  const words = useGatewayWords();
  const [seed, setSeed] = useState<'same' | 'random'>('random');
  const [place, setPlace] = useState(anywhere);
  const [typed, setTyped] = useState<Record<string, string>>({});
  const [shown, setShown] = useState(firstShown);
  const { nameOf } = useRecipeWords();
  const { values } = recipe;
  const { data: instances = [] } = useQuery(instancesQuery());
  const { mutate, isPending, error } = useMutation({ mutationFn: again, onSuccess: onStarted });
  const submit = () => {
    const params = paramsOf(values, typed);
    mutate({
      ...(recipe.seeds.length > 0 && { seed }),
      ...(Object.keys(params).length > 0 && { params }),
      ...(place !== anywhere && { targetInstanceId: place }),
    });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={text('again.with')}
      wide
      actions={
        <Button variant="solid" isBusy={isPending} onClick={submit}>
          {text('again.submit')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        {error ? (
          <p role="alert" className="text-body break-words text-failed">
            {words.error(error)}
          </p>
        ) : null}
        <div className="grid gap-4 sm:grid-cols-2">
          {recipe.seeds.length > 0 ? (
            <Field label={text('recipe.seed')}>
              <Select
                label={text('recipe.seed')}
                value={seed}
                options={(['random', 'same'] as const).map((value) => ({
                  value,
                  label: text(`again.${value}Seed`),
                }))}
                onChange={setSeed}
              />
            </Field>
          ) : null}
          <Field label={text('again.place')}>
            <Select
              label={text('again.place')}
              value={place}
              options={[
                { value: anywhere, label: text('again.anywhere') },
                ...instances.map(({ id, serverName }) => ({ value: id, label: `${serverName} · ${id}` })),
              ]}
              onChange={setPlace}
            />
          </Field>
        </div>
        {values.slice(0, shown).map(({ param, value, ...names }) => (
          <Field key={param} label={nameOf(names)}>
            <Value
              value={value}
              typed={typed[param]}
              onChange={(next) => setTyped({ ...typed, [param]: next })}
            />
          </Field>
        ))}
        {values.length > shown ? (
          <Button onClick={() => setShown(values.length)}>
            {text('again.more', { count: values.length - shown })}
          </Button>
        ) : null}
      </div>
    </Dialog>
  );
}

function Value({
  value,
  typed,
  onChange,
}: {
  value: RecipeValue['value'];
  typed: string | undefined;
  onChange: (typed: string) => void;
}) {
  const shown = typed ?? String(value);
  const isLong = typeof value === 'string' && value.length > 60;
  if (isLong) return <TextArea value={shown} onChange={(event) => onChange(event.target.value)} />;
  return (
    <TextInput
      value={shown}
      inputMode={typeof value === 'number' ? 'decimal' : 'text'}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function paramsOf(values: readonly RecipeValue[], typed: Record<string, string>): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const { param, value } of values) {
    const text = typed[param];
    const next = text === undefined ? undefined : changedValue(value, text);
    if (next !== undefined) params[param] = next;
  }
  return params;
}
