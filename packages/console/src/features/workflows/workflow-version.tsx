import { type SavedWorkflowDetail, updateWorkflow } from '@switchyard/contract/dispatch/workflow';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from '../../kit/button.tsx';
import { Select } from '../../kit/select.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useQueryState } from '../../lib/address.ts';
import { keys } from '../../lib/data/keys.ts';
import { workflowVersionsQuery } from '../../lib/data/workflows.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';

/** Chooses the version that is shown and run. An older one can become the newest again. */
export function WorkflowVersion({ workflow }: { workflow: SavedWorkflowDetail }) {
  const text = useText('workflows');
  const format = useFormat();
  const [, choose] = useQueryState('version');
  const versions = useQuery(workflowVersionsQuery(workflow.id)).data ?? [];
  const [newest] = versions;
  if (newest === undefined || versions.length < 2) return null;
  const isOlder = workflow.version < newest.version;
  return (
    <>
      {isOlder ? <RestoreVersion workflow={workflow} newest={newest.version} /> : null}
      <Select
        label={text('version.label')}
        value={String(workflow.version)}
        options={versions.map(({ version, createdAt }) => ({
          value: String(version),
          label: text(version === newest.version ? 'version.newest' : 'version.older', {
            version,
            at: format.dateTime(new Date(createdAt)),
          }),
        }))}
        onChange={(next) => choose(next === String(newest.version) ? null : next, { push: true })}
      />
    </>
  );
}

function RestoreVersion({ workflow, newest }: { workflow: SavedWorkflowDetail; newest: number }) {
  const text = useText('workflows');
  const toast = useToast();
  const queries = useQueryClient();
  const [, choose] = useQueryState('version');
  const { id, version, workflow: graph } = workflow;
  const restore = useMutation({
    mutationFn: () =>
      gateway.call(updateWorkflow, {
        params: { workflowId: id },
        body: { workflow: graph, version: newest },
      }),
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: keys.workflows });
      choose(null);
      toast({ text: text('version.restored', { version, newest: made.version }) });
    },
    onError: (error) => toast({ error }),
  });
  return (
    <Button disabled={restore.isPending} onClick={() => restore.mutate()}>
      {text('version.restore', { version })}
    </Button>
  );
}
