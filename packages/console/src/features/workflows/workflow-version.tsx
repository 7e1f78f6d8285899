import { type SavedWorkflowDetail, updateWorkflow } from '@switchyard/contract/dispatch/workflow';
import { useQuery } from '@tanstack/react-query';
import { Button } from '../../kit/button.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { Select } from '../../kit/select.tsx';
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
  const { act, isBusy } = useAct();
  const [, choose] = useQueryState('version');
  const { id, version, workflow: graph } = workflow;
  const restore = async () => {
    const isDone = await act(
      () =>
        gateway.call(updateWorkflow, {
          params: { workflowId: id },
          body: { workflow: graph, version: newest },
        }),
      {
        done: (made) => ({ text: text('version.restored', { version, newest: made.version }) }),
        refresh: [keys.workflows],
      },
    );
    if (isDone) choose(null);
  };
  return (
    <Button disabled={isBusy} onClick={() => void restore()}>
      {text('version.restore', { version })}
    </Button>
  );
}
