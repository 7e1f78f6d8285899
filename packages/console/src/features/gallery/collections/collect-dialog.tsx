import { collectionLimits } from '@switchyard/contract/dispatch/collection';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/forms/form-dialog.tsx';
import { Select } from '../../../kit/select.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import { collectionsQuery } from '../../../lib/data/files.ts';
import { useText } from '../../../lib/i18n.ts';
import { useCollections } from './use-collections.ts';

const another = 'new';

/** Asks for the collection that files are added to: one that there is, or a new one. */
export function CollectDialog({
  open,
  fileIds,
  onClose,
}: {
  open: boolean;
  fileIds: readonly string[];
  onClose: () => void;
}) {
  const text = useText('gallery');
  const { add, create } = useCollections();
  const { data } = useQuery({ ...collectionsQuery(), enabled: open });
  const items = data?.items ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState('');
  const target = items.find(({ id }) => id === (chosen ?? items[0]?.id));
  const isNew = chosen === another || target === undefined;
  const submit = async () => {
    if (!isNew) await add(target, fileIds);
    else await create(name, fileIds);
    setName('');
    setChosen(null);
  };
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={text(fileIds.length === 0 ? 'collections.new' : 'collections.addTitle')}
      submit={text(isNew ? 'collections.create' : 'collections.addFiles', { count: fileIds.length })}
      onSubmit={submit}
      disabled={isNew && name.trim() === ''}
    >
      {items.length > 0 && fileIds.length > 0 ? (
        <Field label={text('collections.one')}>
          <Select
            label={text('collections.one')}
            value={isNew ? another : target.id}
            options={[
              ...items.map(({ id, name: label }) => ({ value: id, label })),
              { value: another, label: text('collections.new') },
            ]}
            onChange={setChosen}
          />
        </Field>
      ) : null}
      {isNew ? (
        <Field label={text('collections.name')}>
          <TextInput
            value={name}
            maxLength={collectionLimits.name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      ) : null}
    </FormDialog>
  );
}
