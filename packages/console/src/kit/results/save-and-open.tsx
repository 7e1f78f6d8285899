import type { FileRecipe } from '@switchyard/contract/dispatch/recipe';
import { createWorkflow } from '@switchyard/contract/dispatch/workflow';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { Field } from '../field.tsx';
import { FormDialog } from '../forms/form-dialog.tsx';
import { TextInput } from '../text-input.tsx';

/** The graph of a file that no saved workflow has made becomes one, and the bench opens with the values of the file. */
export function SaveAndOpen({ recipe, onClose }: { recipe: FileRecipe; onClose: () => void }) {
  const text = useText('results');
  const cache = useQueryClient();
  const { fileId, filename, task, workflow } = recipe;
  const [name, setName] = useState((task?.name ?? filename.replace(/\.[^.]*$/, '')).slice(0, 100));
  const save = async () => {
    const made = await gateway.call(createWorkflow, { body: { name, workflow: workflow ?? {} } });
    await cache.invalidateQueries({ queryKey: keys.workflows });
    navigate(`/workflows/${made.id}?from=${fileId}`);
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      title={text('save.title')}
      submit={text('save.submit')}
      onSubmit={save}
      disabled={name.trim() === ''}
    >
      <p className="text-body text-text-2">{text('save.reason', { name: filename })}</p>
      <Field label={text('save.name')}>
        <TextInput value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
