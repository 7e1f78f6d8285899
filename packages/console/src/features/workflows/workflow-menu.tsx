import {
  deleteWorkflow,
  type SavedWorkflowDetail,
  updateWorkflow,
} from '@switchyard/contract/dispatch/workflow';
import { shellWord } from '@switchyard/contract/shell-word';
import { useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { Menu } from '../../kit/menu.tsx';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { saveFile } from '../../lib/save-file.ts';
import { EditWorkflowDialog } from './edit-workflow-dialog.tsx';
import { lastValuesOf } from './last-values.ts';

/** What can be done with a workflow besides running it. */
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
