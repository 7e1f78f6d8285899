import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/forms/form-dialog.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { SavedView } from './saved-view.ts';
import { maxViewName, maxViews, saveView, viewsKey } from './saved-views.ts';

/** Keeps the filters under a name. A name that is taken gets the new filters, and the form says so before. */
export function SaveView({
  search,
  views,
  onClose,
}: {
  search: string;
  views: readonly SavedView[];
  onClose: () => void;
}) {
  const text = useText('tasks');
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const wanted = name.trim();
  const isTaken = views.some((view) => view.name === wanted);
  const isFull = !isTaken && views.length >= maxViews;
  const save = async () => {
    await saveView({ name: wanted, search });
    await queries.invalidateQueries({ queryKey: viewsKey });
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      title={text('view.saveTitle')}
      submit={text(isTaken ? 'view.replace' : 'view.submit')}
      onSubmit={save}
      disabled={wanted === '' || isFull}
    >
      <Field
        label={text('view.name')}
        hint={text(isTaken ? 'view.taken' : 'view.where')}
        error={isFull ? text('view.full', { count: maxViews }) : undefined}
      >
        <TextInput
          required
          autoComplete="off"
          maxLength={maxViewName}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
