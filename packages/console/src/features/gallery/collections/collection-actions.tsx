import { type Collection, collectionLimits } from '@switchyard/contract/dispatch/collection';
import { useQueryClient } from '@tanstack/react-query';
import { Pencil, Share2, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { Field } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/forms/form-dialog.tsx';
import { Menu } from '../../../kit/menu.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import { setQuery } from '../../../lib/address.ts';
import { keys } from '../../../lib/data/keys.ts';
import { useText } from '../../../lib/i18n.ts';
import { useCollections } from './use-collections.ts';

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** The actions on the collection that is shown. */
export function CollectionActions({ collection }: { collection: Collection }) {
  const text = useText('gallery');
  const queries = useQueryClient();
  const collections = useCollections();
  const [open, setOpen] = useState<'rename' | 'delete' | null>(null);
  const [name, setName] = useState(collection.name);
  const close = () => setOpen(null);
  const rename = async () => {
    await collections.change(collection.id, { name });
    await queries.invalidateQueries({ queryKey: keys.collections });
  };
  return (
    <>
      <Menu
        label={text('collections.actions')}
        items={[
          {
            label: text('collections.rename'),
            icon: <Pencil {...icon} />,
            onSelect: () => {
              setName(collection.name);
              setOpen('rename');
            },
          },
          {
            label: text('share.open'),
            icon: <Share2 {...icon} />,
            command: `switchyard share give collection ${collection.id} --to everyone`,
            onSelect: () => setQuery({ share: `collection.${collection.id}` }),
          },
          {
            label: text('collections.delete'),
            icon: <Trash2 {...icon} />,
            danger: true,
            onSelect: () => setOpen('delete'),
          },
        ]}
      />
      <FormDialog
        open={open === 'rename'}
        onClose={close}
        title={text('collections.rename')}
        submit={text('collections.rename')}
        onSubmit={rename}
        disabled={name.trim() === ''}
      >
        <Field label={text('collections.name')}>
          <TextInput
            value={name}
            maxLength={collectionLimits.name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      </FormDialog>
      <ConfirmDialog
        open={open === 'delete'}
        onClose={close}
        title={text('collections.deleteTitle', { name: collection.name })}
        confirm={text('collections.delete')}
        onConfirm={() => {
          close();
          void collections.delete(collection.id).then((isDone) => {
            if (isDone) navigate('/gallery');
          });
        }}
      >
        {text('collections.deleteText')}
      </ConfirmDialog>
    </>
  );
}
