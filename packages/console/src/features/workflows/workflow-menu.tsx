import {
  deleteWorkflow,
  exportWorkflow,
  type SavedWorkflowDetail,
  updateWorkflow,
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
import { TextArea } from '../../kit/text-area.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { setQuery } from '../../lib/address.ts';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { lazyPart, useLazyPart } from '../../lib/lazy-part.ts';
import { saveFile } from '../../lib/save-file.ts';
import { lastValuesOf } from './last-values.ts';

const versionsDialog = lazyPart(async () => (await import('./versions/versions-dialog.tsx')).VersionsDialog);
const coverDialog = lazyPart(async () => (await import('./versions/cover-dialog.tsx')).CoverDialog);

/** The actions on a workflow besides running it. */
export function WorkflowMenu({ workflow }: { workflow: SavedWorkflowDetail }) {
  const text = useText('workflows');
  const { act, isBusy } = useAct();
  const [isAsking, setAsking] = useState(false);
  const [opened, setOpened] = useState<'edit' | 'versions' | 'cover' | null>(null);
  const close = () => setOpened(null);
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
  const save = () =>
    act(() => gateway.call(exportWorkflow, { params, query: {} }), {
      onDone: (file) =>
        saveFile(`${workflow.name}.workflow.json`, JSON.stringify(file, null, 2), 'application/json'),
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
          { label: text('menu.edit'), onSelect: () => setOpened('edit') },
          { label: text('menu.editForm'), onSelect: () => setQuery({ edit: 'form' }) },
          {
            label: text('menu.versions'),
            command: `switchyard workflows versions ${name}`,
            onSelect: () => setOpened('versions'),
          },
          { label: text('menu.cover'), onSelect: () => setOpened('cover') },
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
            label: text('menu.export'),
            command: `switchyard workflows export ${name}`,
            onSelect: () => void save(),
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
      {opened === 'edit' ? <EditWorkflowDialog workflow={workflow} onClose={close} /> : null}
      {opened === 'versions' ? (
        <LazyDialog part={versionsDialog} workflow={workflow} onClose={close} />
      ) : null}
      {opened === 'cover' ? <LazyDialog part={coverDialog} workflow={workflow} onClose={close} /> : null}
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

interface WorkflowDialogProps {
  workflow: SavedWorkflowDetail;
  onClose: () => void;
}

/** A dialog whose code is loaded when it is first opened. */
function LazyDialog({ part, ...props }: WorkflowDialogProps & { part: typeof versionsDialog }) {
  const Opened = useLazyPart(part);
  return Opened === null ? null : <Opened {...props} />;
}

/** The dialog for the name of a workflow and its description. */
function EditWorkflowDialog({ workflow, onClose }: WorkflowDialogProps) {
  const text = useText('workflows');
  const queries = useQueryClient();
  const [name, setName] = useState(workflow.name);
  const [description, setDescription] = useState(workflow.description);
  const save = async () => {
    const body = { name: name.trim(), description: description.trim(), version: workflow.version };
    await gateway.call(updateWorkflow, { params: { workflowId: workflow.id }, body });
    await queries.invalidateQueries({ queryKey: keys.workflows });
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      title={text('edit.title', { name: workflow.name })}
      submit={text('edit.submit')}
      onSubmit={save}
      disabled={name.trim() === ''}
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
    </FormDialog>
  );
}
