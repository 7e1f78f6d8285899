import {
  deleteWorkflow,
  type SavedWorkflowDetail,
  updateWorkflow,
} from '@switchyard/contract/dispatch/workflow';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx';
import { Menu } from '../../kit/menu.tsx';
import { useToast } from '../../kit/toast.tsx';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { saveFile } from '../../lib/save-file.ts';
import { shellWord } from '../../lib/shell-word.ts';
import { EditWorkflowDialog } from './edit-workflow-dialog.tsx';
import { lastValuesOf } from './last-values.ts';

/** What can be done with a workflow besides running it. */
export function WorkflowMenu({ workflow }: { workflow: SavedWorkflowDetail }) {
  const text = useText('workflows');
  const toast = useToast();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const params = { workflowId: workflow.id };
  const name = shellWord(workflow.name);
  const renew = () => queries.invalidateQueries({ queryKey: keys.workflows });
  const failed = (error: Error) => toast({ error });
  const expose = useMutation({
    mutationFn: (exposed: boolean) => gateway.call(updateWorkflow, { params, body: { exposed } }),
    onSuccess: async ({ exposed }) => {
      await renew();
      toast({
        text: text(exposed ? 'menu.exposed' : 'menu.hidden', { name: workflow.name }),
        undo: () => expose.mutate(!exposed),
      });
    },
    onError: failed,
  });
  const remove = useMutation({
    mutationFn: () => gateway.call(deleteWorkflow, { params }),
    onSuccess: () => {
      lastValuesOf(workflow.id).forget();
      navigate('/workflows');
      void renew();
      toast({ text: text('menu.deleted', { name: workflow.name }) });
    },
    onError: failed,
  });
  return (
    <>
      <Menu
        label={text('menu.label', { name: workflow.name })}
        items={[
          { label: text('menu.edit'), onSelect: () => setEditing(true) },
          {
            label: text(workflow.exposed ? 'menu.hide' : 'menu.expose'),
            onSelect: () => expose.mutate(!workflow.exposed),
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
        onConfirm={() => remove.mutate()}
        busy={remove.isPending}
      >
        <p>{text('menu.deleteEffect', { count: workflow.version })}</p>
      </ConfirmDialog>
    </>
  );
}
