import {
  deleteWorkflow,
  type SavedWorkflowDetail,
  updateWorkflow,
  type WorkflowParameter,
} from '@switchyard/contract/dispatch/workflow';
import { shellWord } from '@switchyard/contract/shell-word';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { Field } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/forms/form-dialog.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { Menu } from '../../kit/menu.tsx';
import { Switch } from '../../kit/switch.tsx';
import { TextArea } from '../../kit/text-area.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { setQuery } from '../../lib/address.ts';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { saveFile } from '../../lib/save-file.ts';
import { lastValuesOf } from './last-values.ts';
import { editsOf, type Shown } from './parameter-edits.ts';

/** The actions on a workflow besides running it. */
export function WorkflowMenu({ workflow }: { workflow: SavedWorkflowDetail }) {
  const text = useText('workflows');
  const { act, isBusy } = useAct();
  const [isAsking, setAsking] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const params = { workflowId: workflow.id };
  const name = shellWord(workflow.name);
  const exposed = (isExposed: boolean) =>
    gateway.call(updateWorkflow, { params, body: { exposed: isExposed } });
  const expose = () =>
    act(() => exposed(!workflow.exposed), {
      done: text(workflow.exposed ? 'menu.hidden' : 'menu.exposed', { name: workflow.name }),
      undo: () => exposed(workflow.exposed),
      refresh: [keys.workflows],
    });
  const remove = () =>
    act(() => gateway.call(deleteWorkflow, { params }), {
      done: text('menu.deleted', { name: workflow.name }),
      refresh: [keys.workflows],
      onDone: () => {
        lastValuesOf(workflow.id).forget();
        navigate('/workflows');
      },
    });
  return (
    <>
      <Menu
        label={text('menu.label', { name: workflow.name })}
        items={[
          { label: text('menu.edit'), onSelect: () => setEditing(true) },
          {
            label: text('menu.share'),
            command: `switchyard share give workflow ${name} --to everyone --run`,
            onSelect: () => setQuery({ share: `workflow.${workflow.id}` }),
          },
          {
            label: text(workflow.exposed ? 'menu.hide' : 'menu.expose'),
            onSelect: () => void expose(),
          },
          {
            label: text('menu.save'),
            command: `switchyard workflows show ${name} -o json`,
            onSelect: () =>
              saveFile(
                `${workflow.name}.json`,
                JSON.stringify(workflow.workflow, null, 2),
                'application/json',
              ),
          },
          {
            label: text('menu.delete'),
            command: `switchyard workflows delete ${name}`,
            danger: true,
            separated: true,
            onSelect: () => setAsking(true),
          },
        ]}
      />
      {isEditing ? <EditWorkflowDialog workflow={workflow} onClose={() => setEditing(false)} /> : null}
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={text('menu.deleteTitle', { name: workflow.name })}
        confirm={text('menu.delete')}
        onConfirm={() => void remove()}
        busy={isBusy}
      >
        <p>{text('menu.deleteEffect', { count: workflow.version })}</p>
      </ConfirmDialog>
    </>
  );
}

/** The dialog for the name of a workflow, its description, and the inputs of its graph that a run may set. */
function EditWorkflowDialog({ workflow, onClose }: { workflow: SavedWorkflowDetail; onClose: () => void }) {
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
