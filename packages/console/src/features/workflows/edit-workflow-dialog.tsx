import {
  type SavedWorkflowDetail,
  updateWorkflow,
  type WorkflowParameter,
} from '@switchyard/contract/dispatch/workflow';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/forms/form-dialog.tsx';
import { Switch } from '../../kit/switch.tsx';
import { TextArea } from '../../kit/text-area.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { editsOf, type Shown } from './parameter-edits.ts';

/** The name of a workflow, what is said of it, and which inputs of its graph a run may set. */
export function EditWorkflowDialog({
  workflow,
  onClose,
}: {
  workflow: SavedWorkflowDetail;
  onClose: () => void;
}) {
  const text = useText('workflows');
  const queries = useQueryClient();
  const [name, setName] = useState(workflow.name);
  const [description, setDescription] = useState(workflow.description);
  const [shown, setShown] = useState<ReadonlyMap<string, Shown>>(new Map());
  const parameters = workflow.parameters.map((parameter) => ({ ...parameter, ...shown.get(parameter.name) }));
  const change = (parameter: WorkflowParameter, changed: Partial<Shown>) => {
    const { label, hidden } = parameter;
    setShown(new Map(shown).set(parameter.name, { label, hidden, ...changed }));
  };
  const save = async () => {
    const edits = editsOf(workflow.parameters, shown);
    const body = {
      name: name.trim(),
      description: description.trim(),
      version: workflow.version,
      ...(edits.length > 0 && { parameters: edits }),
    };
    await gateway.call(updateWorkflow, { params: { workflowId: workflow.id }, body });
    await queries.invalidateQueries({ queryKey: keys.workflows });
  };
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={text('edit.title', { name: workflow.name })}
      submit={text('edit.submit')}
      onSubmit={save}
      disabled={name.trim() === '' || parameters.some(({ label }) => label.trim() === '')}
    >
      <Field label={text('edit.name')}>
        <TextInput value={name} required maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={text('edit.description')} hint={text('edit.descriptionHint')}>
        <TextArea
          value={description}
          maxLength={1_000}
          onChange={(event) => setDescription(event.target.value)}
        />
      </Field>
      <fieldset className="flex min-w-0 flex-col gap-2">
        <legend className="text-table font-medium">{text('edit.parameters')}</legend>
        <p className="text-meta text-text-2">{text('edit.parametersHint')}</p>
        <ul className="flex max-h-80 flex-col gap-2 overflow-y-auto">
          {parameters.map((parameter) => (
            <li key={parameter.name} className="flex items-center gap-3">
              <Switch
                hideLabel
                label={text('edit.shown', { parameter: parameter.name })}
                checked={!parameter.hidden}
                disabled={parameter.required}
                onChange={(isShown) => change(parameter, { hidden: !isShown })}
              />
              <TextInput
                aria-label={text('edit.label', { parameter: parameter.name })}
                value={parameter.label}
                maxLength={200}
                onChange={(event) => change(parameter, { label: event.target.value })}
              />
              <span className="w-40 shrink-0 truncate font-mono text-meta text-text-2">{parameter.name}</span>
            </li>
          ))}
        </ul>
      </fieldset>
    </FormDialog>
  );
}
