import type { SavedWorkflowDetail } from '@switchyard/contract/dispatch/workflow';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { useFormState } from '../../kit/fields/use-form-state.ts';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { useQueryState } from '../../lib/address.ts';
import { workflowQuery } from '../../lib/data/workflows.ts';
import { useText } from '../../lib/i18n.ts';
import { WorkflowForm } from './form/workflow-form.tsx';
import { lastValuesOf } from './last-values.ts';
import { ProblemSummary } from './run/problem-summary.tsx';
import { RunPanel } from './run/run-panel.tsx';
import { StartedRuns } from './run/started-runs.tsx';
import { useRuns } from './run/use-runs.ts';
import { WorkflowMenu } from './workflow-menu.tsx';
import { WorkflowVersion } from './workflow-version.tsx';

/** One saved workflow: its form, what a run would mean, and what was started. */
export function WorkflowPage() {
  const { workflowId = '' } = useParams();
  const text = useText('workflows');
  const [version] = useQueryState('version');
  const query = useQuery(workflowQuery(workflowId, versionIn(version)));
  return (
    <Page
      title={query.data?.name ?? text('title')}
      lead={query.data?.description || undefined}
      actions={
        query.data ? (
          <>
            <WorkflowVersion workflow={query.data} />
            {version === null ? <WorkflowMenu workflow={query.data} /> : null}
          </>
        ) : undefined
      }
    >
      <QueryView query={query}>
        {(workflow) => <OpenWorkflow key={`${workflow.id}-${workflow.version}`} workflow={workflow} />}
      </QueryView>
    </Page>
  );
}

/** What somebody has typed into the address that is no version means the newest. */
function versionIn(typed: string | null): number | undefined {
  const version = Number(typed ?? undefined);
  return Number.isInteger(version) && version > 0 ? version : undefined;
}

function OpenWorkflow({ workflow }: { workflow: SavedWorkflowDetail }) {
  const form = useFormState(workflow.parameters, lastValuesOf(workflow.id));
  const runs = useRuns(workflow, form);
  const [batch] = useQueryState('batch');
  return (
    <div className="grid gap-6 lg:grid-cols-[minmax(0,40rem)_minmax(16rem,1fr)]">
      <form
        className="flex min-w-0 flex-col gap-4"
        id="workflow-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          runs.start();
        }}
      >
        <ProblemSummary
          form={form}
          parameters={workflow.parameters}
          others={runs.others}
          attempt={runs.attempt}
        />
        <WorkflowForm parameters={workflow.parameters} form={form} />
      </form>
      <div className="flex min-w-0 flex-col gap-6 lg:sticky lg:top-16 lg:self-start">
        <RunPanel workflow={workflow} form={form} runs={runs} />
        {batch ? <StartedRuns batch={batch} /> : null}
      </div>
    </div>
  );
}
