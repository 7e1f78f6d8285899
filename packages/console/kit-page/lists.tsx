import { useState } from 'react';
import { DataTable } from '../src/kit/data-table.tsx';
import { NewRows } from '../src/kit/new-rows.tsx';
import { MoreRows } from '../src/kit/rows/more-rows.tsx';
import { RowLink } from '../src/kit/rows/row-link.tsx';
import { useRowKeys } from '../src/kit/rows/use-row-keys.ts';
import { StatusWord } from '../src/kit/status-word.tsx';
import type { Column } from '../src/kit/table/column.ts';
import { TimeAgo } from '../src/kit/time-ago.tsx';
import { VirtualList } from '../src/kit/virtual-list.tsx';
import { Full, Part, State } from './specimen.tsx';

interface Row {
  id: string;
  name: string;
  isDone: boolean;
  files: number;
}

const rows: Row[] = [
  { id: '1', name: 'Portrait of a lighthouse keeper', isDone: true, files: 4 },
  { id: '2', name: 'A name that is far too long for its column, so that it is cut', isDone: false, files: 0 },
  { id: '3', name: 'Batch of 12', isDone: true, files: 12 },
];

const columns: Column<Row>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ id, name }) => (
      <RowLink href={`#task-${id}`} command={`switchyard tasks show ${id}`} className="truncate text-accent">
        {name}
      </RowLink>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: '8rem',
    nameless: true,
    cell: ({ isDone }) => (
      <StatusWord kind={isDone ? 'done' : 'running'}>{isDone ? 'Done' : 'Running'}</StatusWord>
    ),
  },
  { id: 'files', header: 'Files', width: '6rem', align: 'end', cell: ({ files }) => files },
  {
    id: 'created',
    header: 'Created',
    width: '9rem',
    wideOnly: true,
    cell: () => <TimeAgo at="2026-01-31T12:00:00Z" />,
  },
];

const pages = { hasNextPage: true, isFetchingNextPage: false, fetchNextPage: () => undefined };

/** Rows: of tables, cards and lists, and where they end. */
export function Lists() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(['1']));
  useRowKeys();
  return (
    <>
      <Part name="DataTable">
        <State name="Rows that can be chosen; one is current. Below 640 pixels they are cards" isWide>
          <Full>
            <DataTable
              label="Tasks"
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              current="2"
              selection={{
                chosen,
                onChoose: (key, isChosen) =>
                  setChosen(new Set(isChosen ? [...chosen, key] : [...chosen].filter((id) => id !== key))),
                onChooseAll: (isChosen) => setChosen(new Set(isChosen ? rows.map(({ id }) => id) : [])),
                nameOf: (key) => rows.find(({ id }) => id === key)?.name ?? key,
              }}
            />
          </Full>
        </State>
      </Part>
      <Part name="MoreRows and NewRows">
        <State name="MoreRows">
          <MoreRows query={pages} />
        </State>
        <State name="MoreRows while the next page loads">
          <MoreRows query={{ ...pages, isFetchingNextPage: true }} />
        </State>
        <State name="NewRows" isWide>
          <div className="h-9 w-full">
            <NewRows count={3} onShow={() => undefined} />
          </div>
        </State>
      </Part>
      <Part name="VirtualList">
        <State name="Only what is near the window is in the page" isWide>
          <Full>
            <VirtualList rows={rows} rowKey={({ id }) => id} rowHeight={32} label="Names">
              {({ name }) => <p className="truncate py-1.5">{name}</p>}
            </VirtualList>
          </Full>
        </State>
      </Part>
    </>
  );
}
