import type { StoredFile } from '@switchyard/contract/dispatch/file';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useSearch } from 'wouter';
import { LinkButton } from '../../kit/button.tsx';
import { FilterEmpty } from '../../kit/forms/filter-empty.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { NewRows } from '../../kit/new-rows.tsx';
import { Page } from '../../kit/page.tsx';
import { JustifiedGrid } from '../../kit/pictures/justified-grid.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { MoreRows } from '../../kit/rows/more-rows.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { setQuery } from '../../lib/address.ts';
import { filePagesQuery, newFilesQuery } from '../../lib/data/files.ts';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { saveFile } from '../../lib/save-file.ts';
import { filterNames, isFiltered, queryOf, readFilter } from './gallery-filter.ts';
import { GalleryFilters } from './gallery-filters.tsx';
import { chosenAfter } from './selection/choose.ts';
import { SelectionBar } from './selection/selection-bar.tsx';
import { useDeletions } from './selection/use-deletions.ts';

const OpenPicture = lazy(async () => ({ default: (await import('./open-picture.tsx')).OpenPicture }));
const ComparePictures = lazy(async () => ({
  default: (await import('./compare-pictures.tsx')).ComparePictures,
}));

/** What workers made and users uploaded, as pictures. */
export function GalleryPage() {
  const text = useText('gallery');
  const filter = readFilter(useSearch());
  const query = useInfiniteQuery(filePagesQuery(queryOf(filter)));
  const { hidden, remove } = useDeletions();
  const loaded = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const files = loaded.filter(({ fileId }) => !hidden.has(fileId));
  return (
    <Page title={text('title')}>
      <GalleryFilters filter={filter} total={query.data?.pages[0]?.total} />
      <NewFiles known={loaded} isAtTop={!isFiltered(filter)} />
      <QueryView
        query={query}
        isEmpty={() => files.length === 0}
        first={
          <EmptyState
            title={text('first.title')}
            action={
              <LinkButton href="/workflows" variant="solid">
                {text('first.action')}
              </LinkButton>
            }
            command="switchyard run examples/workflows/batch-invert.json --wait"
          >
            {text('first.text')}
          </EmptyState>
        }
        filtered={
          isFiltered(filter) ? (
            <FilterEmpty title={text('filtered.title')} onClear={clearFilter} />
          ) : undefined
        }
      >
        {() => <Pictures files={files} onDelete={remove} />}
      </QueryView>
      <MoreRows query={query} isEarly />
      <Suspense>
        <OpenPicture files={files} onDelete={(id) => remove([id])} />
        <ComparePictures files={files} />
      </Suspense>
    </Page>
  );
}

function clearFilter(): void {
  setQuery(Object.fromEntries(filterNames.map((name) => [name, null])));
}

/** New files wait behind a button, so that nothing moves under the pointer. */
function NewFiles({ known, isAtTop }: { known: readonly StoredFile[]; isAtTop: boolean }) {
  const queries = useQueryClient();
  const { data = [] } = useQuery(newFilesQuery());
  const ids = new Set(known.map(({ fileId }) => fileId));
  const fresh = data.filter(({ fileId, source, contentType }) => {
    return !ids.has(fileId) && source === 'output' && contentType.startsWith('image/');
  });
  const show = async () => {
    await queries.invalidateQueries({ queryKey: keys.filePages });
    queries.setQueryData(keys.newFiles, []);
  };
  const isEmpty = known.length === 0 && fresh.length > 0;
  const current = useRef(show);
  useEffect(() => {
    current.current = show;
  });
  useEffect(() => {
    // In an empty gallery there is nothing that the first pictures could move.
    if (isEmpty) void current.current();
  }, [isEmpty]);
  return isAtTop ? <NewRows count={fresh.length} onShow={() => void show()} /> : null;
}

function Pictures({
  files,
  onDelete,
}: {
  files: readonly StoredFile[];
  onDelete: (ids: readonly string[]) => void;
}) {
  const text = useText('gallery');
  const { act, isBusy: isPacking } = useAct();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string | null>(null);
  const order = files.map(({ fileId }) => fileId);
  const ids = order.filter((id) => chosen.has(id));
  const choose = ({ fileId }: StoredFile, { range }: { range: boolean }) => {
    setChosen(chosenAfter(chosen, { id: fileId, last: range ? last.current : null, order }));
    last.current = fileId;
  };
  return (
    <>
      <JustifiedGrid
        items={files}
        label={text('grid')}
        altOf={({ filename }) => filename}
        commandOf={({ fileId }) => `switchyard files recipe ${fileId}`}
        chosen={chosen}
        onChoose={choose}
        onOpen={({ fileId }) => setQuery({ file: fileId }, { push: true })}
      />
      <SelectionBar
        ids={ids}
        isPacking={isPacking}
        onDownload={() => void act(() => saveZip(ids))}
        onCompare={() => setQuery({ compare: ids.join(',') }, { push: true })}
        onDelete={() => {
          onDelete(ids);
          setChosen(new Set());
        }}
        onClear={() => setChosen(new Set())}
      />
    </>
  );
}

/** Saves the chosen files as one archive under a name with the day. */
async function saveZip(fileIds: readonly string[]): Promise<void> {
  const { stream } = await gateway.downloadZip({ fileIds });
  const blob = await new Response(stream).blob();
  saveFile(`switchyard-${new Date().toISOString().slice(0, 10)}.zip`, blob);
}
