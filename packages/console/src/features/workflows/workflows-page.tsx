import type { SavedWorkflow } from '@switchyard/contract/dispatch/workflow';
import { shellWord } from '@switchyard/contract/shell-word';
import { useQuery } from '@tanstack/react-query';
import { DataTable } from '../../kit/data-table.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { RowLink } from '../../kit/rows/row-link.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import type { Column } from '../../kit/table/column.ts';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { workflowsQuery } from '../../lib/data/workflows.ts';
import { blank } from '../../lib/format/format.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import { ImportPanel } from './import/import-panel.tsx';
import { OpenInComfyui } from './open-in-comfyui.tsx';

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
            command="switchyard workflows import examples/workflows/film.json"
          >
            {text('first.text')}
          </EmptyState>
        }
      >
        {({ items, total }) => <WorkflowTable items={items} total={total} />}
      </QueryView>
    </Page>
  );
}

function WorkflowTable({ items, total }: { items: readonly SavedWorkflow[]; total: number }) {
  const text = useText('workflows');
  const format = useFormat();
  const columns: Column<SavedWorkflow>[] = [
    {
      id: 'name',
      header: text('column.name'),
      cell: ({ id, name }) => (
        <RowLink
          href={`/workflows/${id}`}
          command={`switchyard workflows show ${shellWord(name)}`}
          className="font-medium text-accent hover:underline"
        >
          {name}
        </RowLink>
      ),
    },
    {
      id: 'description',
      header: text('column.description'),
      cell: ({ description }) => <span title={description}>{description || blank}</span>,
      wideOnly: true,
    },
    {
      id: 'tool',
      header: text('column.tool'),
      cell: ({ exposed }) => (exposed ? text('tool.yes') : text('tool.no')),
      width: '9rem',
    },
    {
      id: 'version',
      header: text('column.version'),
      cell: ({ version }) => format.count(version),
      align: 'end',
      width: '6rem',
    },
    {
      id: 'updated',
      header: text('column.updated'),
      cell: ({ updatedAt }) => <TimeAgo at={updatedAt} />,
      align: 'end',
      width: '9rem',
    },
  ];
  return (
    <>
      <DataTable label={text('title')} columns={columns} rows={items} rowKey={({ id }) => id} />
      {total > items.length ? (
        <p className="text-table text-text-2">{text('cut', { shown: items.length, total })}</p>
      ) : null}
    </>
  );
}
