import { createWorkflow, type SavedWorkflow } from '@switchyard/contract/dispatch/workflow';
import { shellWord } from '@switchyard/contract/shell-word';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Workflow } from 'lucide-react';
import { navigate } from 'wouter/use-browser-location';
import { Button } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { ThumbPicture } from '../../kit/pictures/thumb.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { RowLink } from '../../kit/rows/row-link.tsx';
import { rowMarks } from '../../kit/rows/row-marks.ts';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { ErrorState } from '../../kit/states/error-state.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { keys } from '../../lib/data/keys.ts';
import { workflowsQuery } from '../../lib/data/workflows.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { sampleGraph } from '../../lib/sample-graph.ts';
import { ImportPanel } from './import/import-panel.tsx';
import { OpenInComfyui } from './open-in-comfyui.tsx';
import { useFiguresText } from './versions/figures-text.ts';

/** The saved workflows of the user, and the place where new ones are dropped. */
export function WorkflowsPage() {
  const text = useText('workflows');
  const query = useQuery(workflowsQuery());
  return (
    <Page title={text('title')} lead={text('lead')} actions={<OpenInComfyui />}>
      <ImportPanel />
      <QueryView
        query={query}
        isEmpty={({ items }) => items.length === 0}
        first={
          <EmptyState
            title={text('first.title')}
            action={<SampleWorkflow />}
            command="switchyard workflows import examples/workflows/batch-invert.json"
          >
            {text('first.text')}
          </EmptyState>
        }
      >
        {({ items, total }) => <WorkflowCards items={items} total={total} />}
      </QueryView>
    </Page>
  );
}

/** Saves a sample, so that somebody who has no workflow at hand sees a form and a result. */
function SampleWorkflow() {
  const text = useText('workflows');
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      gateway.call(createWorkflow, { body: { name: text('first.sampleName'), workflow: sampleGraph(0) } }),
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: keys.workflows });
      navigate(`/workflows/${id}`);
    },
  });
  return (
    <>
      <Button variant="solid" isBusy={save.isPending} onClick={() => save.mutate()}>
        {text('first.sample')}
      </Button>
      {save.error ? <ErrorState error={save.error} retry={() => save.mutate()} /> : null}
    </>
  );
}

function WorkflowCards({ items, total }: { items: readonly SavedWorkflow[]; total: number }) {
  const text = useText('workflows');
  return (
    <>
      <ul
        aria-label={text('title')}
        className="grid grid-cols-[repeat(auto-fill,minmax(min(15rem,100%),1fr))] gap-4"
      >
        {items.map((workflow) => (
          <WorkflowCard key={workflow.id} workflow={workflow} />
        ))}
      </ul>
      {total > items.length ? (
        <p className="text-table text-text-2">{text('cut', { shown: items.length, total })}</p>
      ) : null}
    </>
  );
}

function WorkflowCard({ workflow }: { workflow: SavedWorkflow }) {
  const text = useText('workflows');
  const figuresText = useFiguresText();
  const { id, name, description, cover, figures, version, exposed, updatedAt } = workflow;
  return (
    <li
      {...rowMarks(id)}
      className="relative flex min-w-0 flex-col overflow-hidden rounded-card border border-border bg-surface focus-within:border-accent hover:border-control"
    >
      <div className="relative flex aspect-[3/2] items-center justify-center bg-sunken text-text-3">
        {cover ? (
          <ThumbPicture fileId={cover.fileId} alt="" cssPixels={320} contentType="image/png" />
        ) : (
          <Workflow size={32} strokeWidth={1.5} aria-hidden />
        )}
      </div>
      <div className="flex min-w-0 flex-1 flex-col gap-1 p-3">
        <h2 className="min-w-0 text-body">
          <RowLink
            href={`/workflows/${id}`}
            command={`switchyard workflows show ${shellWord(name)}`}
            className="block truncate font-medium text-accent after:absolute after:inset-0 hover:underline"
          >
            {name}
          </RowLink>
        </h2>
        {description ? (
          <p title={description} className="line-clamp-2 text-table break-words text-text-2">
            {description}
          </p>
        ) : null}
        <p className="mt-auto pt-1 text-table tabular-nums">{figuresText(figures)}</p>
        <p className="text-meta text-text-2">
          {text('card.version', { version })} · <TimeAgo at={updatedAt} />
          {exposed ? ` · ${text('tool.yes')}` : ''}
        </p>
      </div>
    </li>
  );
}
