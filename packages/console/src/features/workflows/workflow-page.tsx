import {
  type SavedWorkflowDetail,
  updateWorkflow,
  type WorkflowFigures,
} from '@switchyard/contract/dispatch/workflow';
import { useQuery } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useParams } from 'wouter';
import { Button } from '../../kit/button.tsx';
import { useFormState } from '../../kit/fields/use-form-state.ts';
import { useAct } from '../../kit/forms/use-act.ts';
import { Page } from '../../kit/page.tsx';
import { classes } from '../../kit/parts/classes.ts';
import { QueryView } from '../../kit/query-view.tsx';
import { Select } from '../../kit/select.tsx';
import { isMissing } from '../../kit/states/error-text.ts';
import { GoneState } from '../../kit/states/gone-state.tsx';
import { useQueryState } from '../../lib/address.ts';
import { keys } from '../../lib/data/keys.ts';
import { workflowQuery, workflowVersionsQuery } from '../../lib/data/workflows.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { lazyPart, useLazyPart } from '../../lib/lazy-part.ts';
import { Bench } from './bench/bench.tsx';
import { useHandedValues } from './bench/use-handed-values.ts';
import { useSitting } from './bench/use-sitting.ts';
import { WorkflowForm } from './form/workflow-form.tsx';
import { lastValuesOf } from './last-values.ts';
import { OpenInComfyui } from './open-in-comfyui.tsx';
import { ProblemSummary } from './run/problem-summary.tsx';
import { RunPanel } from './run/run-panel.tsx';
import { useRuns } from './run/use-runs.ts';
import { SharedActions, SharedLead } from './shared-actions.tsx';
import type { SweepBeginning } from './sweep/use-sweep-draft.ts';
import { useFiguresText } from './versions/figures-text.ts';
import { WorkflowMenu } from './workflow-menu.tsx';

const SweepDialog = lazy(async () => ({ default: (await import('./sweep/sweep-dialog.tsx')).SweepDialog }));
const SweepView = lazy(async () => ({ default: (await import('./sweep/sweep-view.tsx')).SweepView }));
const formEditor = lazyPart(async () => (await import('./form/form-editor.tsx')).FormEditor);

/** One saved workflow: its form, what a run would mean, and what was started. */
export function WorkflowPage() {
  const { workflowId = '' } = useParams();
  const text = useText('workflows');
  const [version] = useQueryState('version');
  const query = useQuery(workflowQuery(workflowId, versionIn(version)));
  const workflow = isMissing(query.error) ? undefined : query.data;
  return (
    <Page
      fills
      title={workflow?.name ?? text('title')}
      lead={workflow && leadOf(workflow)}
      actions={
        workflow ? (
          <>
            <WorkflowVersion workflow={workflow} />
            {version === null ? (
              <>
                <OpenInComfyui workflowId={workflow.id} />
                {workflow.share ? (
                  <SharedActions workflow={workflow} />
                ) : (
                  <WorkflowMenu workflow={workflow} />
                )}
              </>
            ) : null}
          </>
        ) : undefined
      }
    >
      <QueryView query={query} gone={<GoneState kind="workflow" />} fills>
        {(shown) => <OpenWorkflow key={`${shown.id}-${shown.version}`} workflow={shown} />}
      </QueryView>
    </Page>
  );
}

/** Who shares it, or how often it ran, how long a run takes and what it costs. */
function leadOf(workflow: SavedWorkflowDetail): ReactNode {
  const { share, figures } = workflow;
  if (share !== null) return <SharedLead workflow={workflow} />;
  return figures.runs > 0 ? <Figures figures={figures} /> : null;
}

function Figures({ figures }: { figures: WorkflowFigures }) {
  return useFiguresText()(figures);
}

/** Reads the version in the address. A text that is not a version means the newest. */
function versionIn(typed: string | null): number | undefined {
  const version = Number(typed ?? undefined);
  return Number.isInteger(version) && version > 0 ? version : undefined;
}

/** Chooses the version that is shown and run. An older one can become the newest again. */
function WorkflowVersion({ workflow }: { workflow: SavedWorkflowDetail }) {
  const text = useText('workflows');
  const format = useFormat();
  const [, choose] = useQueryState('version');
  const versions = useQuery(workflowVersionsQuery(workflow.id)).data ?? [];
  const [newest] = versions;
  if (newest === undefined || versions.length < 2) return null;
  const isOlder = workflow.version < newest.version;
  return (
    <>
      {isOlder && workflow.share === null ? (
        <RestoreVersion workflow={workflow} newest={newest.version} />
      ) : null}
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
  const { id, version } = workflow;
  const restore = async () => {
    const isDone = await act(
      () =>
        gateway.call(updateWorkflow, {
          params: { workflowId: id },
          body: { restore: version, version: newest, notes: text('versions.restoredFrom', { version }) },
        }),
      {
        done: (made) => ({ text: text('version.restored', { version, newest: made.version }) }),
        refresh: [keys.workflows],
      },
    );
    if (isDone) choose(null);
  };
  return (
    <Button isBusy={isBusy} onClick={() => void restore()}>
      {text('version.restore', { version })}
    </Button>
  );
}

/** The inputs on the left, the result and the strip beside them; on a narrow page one below the other. */
function OpenWorkflow({ workflow }: { workflow: SavedWorkflowDetail }) {
  const text = useText('workflows');
  const [edit, setEdit] = useQueryState('edit');
  const isEditing = edit === 'form' && !workflow.share;
  const isNewest = useQueryState('version')[0] === null;
  const form = useFormState(workflow.parameters, lastValuesOf(workflow.id, workflow.parameters));
  useHandedValues(workflow, form);
  const sitting = useSitting(workflow.id);
  const runs = useRuns(workflow, form, sitting);
  const [sweep] = useQueryState('sweep');
  const [begin, setBegin] = useState<SweepBeginning | null>(null);
  const mayRun = workflow.share?.may !== 'read';
  const vary = (param: string) => setBegin({ param });
  return (
    <div
      className={classes(
        'grid min-h-0 min-w-0 flex-1 gap-4',
        isEditing
          ? 'lg:grid-cols-[28rem_minmax(0,1fr)]'
          : 'lg:grid-cols-[clamp(20rem,36%,28rem)_minmax(0,1fr)]',
      )}
    >
      <div className="flex min-h-0 min-w-0 flex-col gap-3">
        {isEditing ? (
          <div className="min-h-0 min-w-0 flex-1 lg:-m-1 lg:overflow-y-auto lg:p-1">
            <FormEditing workflow={workflow} onClose={() => setEdit(null)} />
          </div>
        ) : (
          <>
            <form
              className="flex min-h-0 min-w-0 flex-1 flex-col gap-4 lg:-m-1 lg:overflow-y-auto lg:p-1"
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
              <WorkflowForm parameters={workflow.parameters} form={form} onVary={mayRun ? vary : undefined} />
              {isNewest && !workflow.share ? (
                <Button
                  id={editFormId}
                  size="s"
                  variant="plain"
                  className="self-start"
                  icon={<SlidersHorizontal size={16} strokeWidth={1.75} aria-hidden />}
                  onClick={() => setEdit('form')}
                >
                  {text('form.edit')}
                </Button>
              ) : null}
            </form>
            {mayRun ? (
              <RunPanel workflow={workflow} form={form} runs={runs} onVary={() => setBegin({})} />
            ) : null}
          </>
        )}
      </div>
      {!mayRun ? null : sweep === null ? (
        <Bench workflow={workflow} sitting={sitting} onRun={runs.start} />
      ) : (
        <Suspense>
          <SweepView
            key={sweep}
            sweepId={sweep}
            workflow={workflow}
            form={form}
            onRun={runs.start}
            onVary={setBegin}
          />
        </Suspense>
      )}
      {begin ? (
        <Suspense>
          <SweepDialog workflow={workflow} form={form} begin={begin} onClose={() => setBegin(null)} />
        </Suspense>
      ) : null}
    </div>
  );
}

const editFormId = 'edit-form';

/** The code that arranges forms is loaded when somebody first does. The button that led here gets the focus back. */
function FormEditing(props: { workflow: SavedWorkflowDetail; onClose: () => void }) {
  useEffect(() => () => void requestAnimationFrame(() => document.getElementById(editFormId)?.focus()), []);
  const FormEditor = useLazyPart(formEditor);
  return FormEditor === null ? null : <FormEditor {...props} />;
}
