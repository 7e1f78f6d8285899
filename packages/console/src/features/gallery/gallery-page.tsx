import { type FileList, markLimits, type StoredFile } from '@switchyard/contract/dispatch/file';
import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { Download, SlidersHorizontal, X } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { Button, LinkButton } from '../../kit/button.tsx';
import { FilterEmpty } from '../../kit/forms/filter-empty.tsx';
import { SearchInput } from '../../kit/forms/search-input.tsx';
import { NewRows } from '../../kit/new-rows.tsx';
import { Page } from '../../kit/page.tsx';
import { useMedia } from '../../kit/parts/use-media.ts';
import { JustifiedGrid } from '../../kit/pictures/justified-grid.tsx';
import { useDeletions } from '../../kit/pictures/use-deletions.ts';
import { useMarks } from '../../kit/pictures/use-marks.ts';
import { QueryView } from '../../kit/query-view.tsx';
import { MoreRows } from '../../kit/rows/more-rows.tsx';
import { Select } from '../../kit/select.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { isMissing } from '../../kit/states/error-text.ts';
import { GoneState } from '../../kit/states/gone-state.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { useToast } from '../../kit/toast.tsx';
import { setQuery, useQueryState } from '../../lib/address.ts';
import {
  collectionQuery,
  collectionsQuery,
  fileModelsQuery,
  filePagesQuery,
  fileTagsQuery,
  newFilesQuery,
} from '../../lib/data/files.ts';
import { keys } from '../../lib/data/keys.ts';
import { accountsQuery } from '../../lib/data/owner-names.ts';
import { workflowsQuery } from '../../lib/data/workflows.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { CollectionActions } from './collections/collection-actions.tsx';
import { CollectionsStrip } from './collections/collections-strip.tsx';
import { followerAfter } from './collections/follower.ts';
import { MarkActions } from './collections/mark-actions.tsx';
import { useCollections } from './collections/use-collections.ts';
import {
  countSet,
  filterNames,
  type GalleryFilter,
  isFiltered,
  queryOf,
  readFilter,
  sizes,
} from './gallery-filter.ts';
import { chosenAfter } from './selection/choose.ts';
import { type SelectAll, SelectionBar } from './selection/selection-bar.tsx';

const kinds = ['image', 'video', 'audio', 'text', 'other', 'all'] as const;
const sources = ['output', 'upload', 'all'] as const;
const maxZipped = 5_000;
const any = 'any';
const keptChoices = ['any', 'starred', 'soon'] as const;

const OpenPicture = lazy(async () => ({ default: (await import('./open-picture.tsx')).OpenPicture }));
const ComparePictures = lazy(async () => ({
  default: (await import('./compare-pictures.tsx')).ComparePictures,
}));

const DownloadDialog = lazy(async () => ({
  default: (await import('./selection/download-dialog.tsx')).DownloadDialog,
}));

/** The pictures and other files that workers made and users uploaded: all of them, or those of a collection. */
export function GalleryPage() {
  const [collectionId] = useQueryState('collection');
  return collectionId === null ? <AllFiles /> : <OpenCollection key={collectionId} id={collectionId} />;
}

function AllFiles() {
  const text = useText('gallery');
  const filter = readFilter(useSearch());
  const query = useInfiniteQuery(filePagesQuery(queryOf(filter)));
  return (
    <Page title={text('title')}>
      <CollectionsStrip current={null} />
      <GalleryFilters filter={filter} first={query.data?.pages[0]} />
      <NewFiles known={filesIn(query.data)} isAtTop={!isFiltered(filter)} />
      <Files
        query={query}
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
            <FilterEmpty
              title={text(filter.q === null ? 'filtered.title' : 'filtered.words')}
              onClear={clearFilter}
            />
          ) : undefined
        }
      />
    </Page>
  );
}

/** A collection of the user, or one that its owner shares with them. */
function OpenCollection({ id }: { id: string }) {
  const text = useText('gallery');
  const query = useInfiniteQuery(filePagesQuery({}, id));
  const { data: collections } = useQuery(collectionsQuery());
  const own = collections?.items.find((each) => each.id === id);
  const isShared = collections !== undefined && own === undefined;
  const { data: shared } = useQuery({ ...collectionQuery(id), enabled: isShared });
  const { name, sharedBy = null } = own ?? shared ?? {};
  return (
    <Page
      title={name === undefined || isMissing(query.error) ? text('collections.one') : name}
      lead={
        <>
          <Link
            href={isShared ? '/shared' : '/gallery'}
            className="text-accent underline underline-offset-2 outline-accent focus-visible:outline-2"
          >
            {text(isShared ? 'share.received' : 'collections.all')}
          </Link>
          {sharedBy === null ? null : ` · ${text('share.from', { from: sharedBy })}`}
        </>
      }
      actions={own ? <CollectionActions collection={own} /> : undefined}
    >
      {isShared ? null : <CollectionsStrip current={id} />}
      <Files
        query={query}
        collectionId={id}
        isShared={isShared}
        first={<EmptyState title={text('collections.empty')}>{text('collections.emptyText')}</EmptyState>}
        gone={<GoneState kind="collection" />}
      />
    </Page>
  );
}

interface FilesProps extends Pick<Parameters<typeof QueryView>[0], 'first' | 'filtered' | 'gone'> {
  query: UseInfiniteQueryResult<FilePages>;
  collectionId?: string | null;
  /** True for files of another user: they are looked at, and nothing else. */
  isShared?: boolean;
}

function Files({ query, collectionId = null, isShared = false, ...states }: FilesProps) {
  const { hidden, remove } = useDeletions();
  const files = filesIn(query.data).filter(({ fileId }) => !hidden.has(fileId));
  return (
    <>
      <QueryView query={query} isEmpty={() => files.length === 0} {...states}>
        {() =>
          isShared ? (
            <SharedPictures files={files} />
          ) : (
            <Pictures files={files} query={query} collectionId={collectionId} onDelete={remove} />
          )
        }
      </QueryView>
      <MoreRows query={query} isEarly />
      <Suspense>
        <OpenPicture files={files} areShared={isShared} onDelete={(id) => remove([id])} />
        <ComparePictures files={files} />
      </Suspense>
    </>
  );
}

type FilePages = InfiniteData<FileList, unknown>;

function filesIn(data: FilePages | undefined): StoredFile[] {
  return data?.pages.flatMap(({ items }) => items) ?? [];
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

function SharedPictures({ files }: { files: readonly StoredFile[] }) {
  const text = useText('gallery');
  return (
    <JustifiedGrid
      items={files}
      label={text('grid')}
      altOf={({ filename }) => filename}
      commandOf={({ fileId }) => `switchyard files recipe ${fileId}`}
      onOpen={({ fileId }) => setQuery({ file: fileId }, { push: true })}
    />
  );
}

function Pictures({
  files,
  query,
  collectionId,
  onDelete,
}: {
  files: readonly StoredFile[];
  query: UseInfiniteQueryResult<FilePages>;
  collectionId: string | null;
  onDelete: (ids: readonly string[]) => void;
}) {
  const text = useText('gallery');
  const [isDownloading, setDownloading] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string | null>(null);
  const { mark } = useMarks();
  const { move } = useCollections();
  const order = files.map(({ fileId }) => fileId);
  const ids = order.filter((id) => chosen.has(id));
  const choose = ({ fileId }: StoredFile, { range }: { range: boolean }) => {
    setChosen(chosenAfter(chosen, { id: fileId, last: range ? last.current : null, order }));
    last.current = fileId;
  };
  const all = useChooseAll(query, (found) => setChosen(new Set(found.map(({ fileId }) => fileId))));
  const isMoreToChoose = ids.length < markLimits.files && (query.hasNextPage || ids.length < files.length);
  const draggedWith = ({ fileId }: StoredFile) => (chosen.has(fileId) ? ids : [fileId]);
  return (
    <>
      <JustifiedGrid
        items={files}
        label={text(collectionId === null ? 'grid' : 'collections.grid')}
        isStarred={({ starred }) => starred}
        onStar={({ fileId, starred }) => void mark([fileId], { starred: !starred })}
        draggedWith={draggedWith}
        {...(collectionId !== null && {
          onDropBefore: ({ fileId }: StoredFile, moved: readonly string[]) => {
            if (!moved.includes(fileId)) void move(collectionId, moved, fileId);
          },
          onShift: ({ fileId }: StoredFile, to: 'earlier' | 'later') => {
            const before = followerAfter(to, { ids: [fileId], order });
            if (before !== undefined) void move(collectionId, [fileId], before);
          },
        })}
        altOf={({ filename }) => filename}
        commandOf={({ fileId }) => `switchyard files recipe ${fileId}`}
        chosen={chosen}
        onChoose={choose}
        onOpen={({ fileId }) => setQuery({ file: fileId }, { push: true })}
      />
      <SelectionBar
        ids={ids}
        all={isMoreToChoose ? all : null}
        onDownload={() => setDownloading(true)}
        onCompare={() => setQuery({ compare: ids.join(',') }, { push: true })}
        onDelete={() => {
          onDelete(ids);
          setChosen(new Set());
        }}
        onClear={() => setChosen(new Set())}
      >
        <MarkActions
          files={files.filter(({ fileId }) => chosen.has(fileId))}
          order={order}
          collectionId={collectionId}
        />
      </SelectionBar>
      {isDownloading && ids.length > 0 ? (
        <Suspense>
          <DownloadDialog of={{ fileIds: ids }} count={ids.length} onClose={() => setDownloading(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

/** Loads and chooses everything that the list has, up to the number of files that one request can mark. */
function useChooseAll(
  query: UseInfiniteQueryResult<FilePages>,
  onChoose: (files: readonly StoredFile[]) => void,
): SelectAll {
  const text = useText('gallery');
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const { total = 0, totalIsMinimum = false } = query.data?.pages[0] ?? {};
  const isBounded = totalIsMinimum || total > markLimits.files;
  const choose = async () => {
    setBusy(true);
    let last: UseInfiniteQueryResult<FilePages> = query;
    while (last.hasNextPage && !last.isFetchNextPageError && filesIn(last.data).length < markLimits.files)
      last = await query.fetchNextPage();
    setBusy(false);
    const found = filesIn(last.data).slice(0, markLimits.files);
    onChoose(found);
    if (last.hasNextPage) toast({ text: text('selection.bounded', { count: found.length }) });
  };
  return {
    label: text(isBounded ? 'selection.newest' : 'selection.all', {
      count: isBounded ? markLimits.files : total,
    }),
    isBusy,
    onSelect: () => void choose(),
  };
}

/**
 * The filters of the gallery. They stand in the address, so that a view can be sent to a colleague. On a phone they would fill half of
 * the window, so they open at a button that counts those that are set, and scroll below it.
 */
function GalleryFilters({ filter, first }: { filter: GalleryFilter; first: FileList | undefined }) {
  const text = useText('gallery');
  const { isAdmin } = useSession();
  const isWide = useMedia('(min-width: 40rem)');
  const [isOpen, setOpen] = useState(false);
  const count = countSet({ ...filter, q: null });
  const zip = <AllAsZip filter={filter} total={first?.totalIsMinimum ? undefined : first?.total} />;
  return (
    <search className="flex flex-wrap items-end gap-2" aria-label={text('filter.label')}>
      <SearchInput
        label={text('filter.q')}
        value={filter.q ?? ''}
        onChange={(q) => setQuery({ q: q.trim() === '' ? null : q })}
      />
      {isWide ? null : (
        <Button
          icon={<SlidersHorizontal size={16} strokeWidth={1.75} aria-hidden />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {count === 0 ? text('filter.label') : text('filter.set', { count })}
        </Button>
      )}
      {isWide ? null : zip}
      {isWide || isOpen ? (
        <div className="flex flex-wrap items-end gap-2 max-sm:max-h-44 max-sm:w-full max-sm:scroll-py-2 max-sm:overflow-y-auto max-sm:p-1 sm:contents">
          <Select
            label={text('filter.kind')}
            value={filter.kind}
            options={kinds.map((value) => ({ value, label: text(`kind.${value}`) }))}
            onChange={(kind) => setQuery({ kind: kind === 'image' ? null : kind })}
          />
          <Select
            label={text('filter.source')}
            value={filter.source}
            options={sources.map((value) => ({ value, label: text(`source.${value}`) }))}
            onChange={(source) => setQuery({ source: source === 'output' ? null : source })}
          />
          <Select
            label={text('kept.label')}
            value={filter.kept ?? any}
            options={keptChoices.map((value) => ({ value, label: text(`kept.${value}`) }))}
            onChange={(kept) => setQuery({ kept: kept === any ? null : kept })}
          />
          <Select
            label={text('filter.size')}
            value={filter.size ?? any}
            options={[any, ...sizes].map((value) => ({
              value,
              label:
                value === any ? text('filter.anySize') : text('filter.minSize', { count: Number(value) }),
            }))}
            onChange={(size) => setQuery({ size: size === any ? null : size })}
          />
          <TagFilter value={filter.tag} />
          <ModelFilter value={filter.model} />
          <WorkflowFilter value={filter.workflow} />
          {isAdmin ? <OwnerFilter value={filter.owner} /> : null}
          <Day name="from" value={filter.from} />
          <Day name="to" value={filter.to} />
          {filter.task === null ? null : (
            <Button
              size="m"
              icon={<X size={16} strokeWidth={1.75} aria-hidden />}
              onClick={() => setQuery({ task: null })}
            >
              {text('filter.task', { id: filter.task.slice(-6) })}
            </Button>
          )}
        </div>
      ) : null}
      {isWide ? zip : null}
    </search>
  );
}

function TagFilter({ value }: { value: string | null }) {
  const text = useText('gallery');
  const { data } = useQuery(fileTagsQuery());
  const items = data?.items ?? [];
  if (items.length === 0 && value === null) return null;
  const known = items.some(({ tag }) => tag === value) || value === null ? items : [{ tag: value }, ...items];
  return (
    <Select
      label={text('kept.tag')}
      value={value ?? ''}
      options={[
        { value: '', label: text('kept.anyTag') },
        ...known.map(({ tag }) => ({ value: tag, label: tag })),
      ]}
      onChange={(next) => setQuery({ tag: next === '' ? null : next })}
      className="max-w-[14rem]"
    />
  );
}

function ModelFilter({ value }: { value: string | null }) {
  const text = useText('gallery');
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery({ ...fileModelsQuery(), enabled: isOpen || value !== null });
  const names = (data?.items ?? []).map(({ model }) => model);
  // In an address it may have any case, and it may be one of many more.
  const chosen = names.find((name) => name.toLowerCase() === value?.toLowerCase()) ?? value;
  const known = chosen === null || names.includes(chosen) ? names : [chosen, ...names];
  return (
    <Select
      label={text('filter.model')}
      value={chosen ?? ''}
      options={[
        { value: '', label: text('filter.anyModel') },
        ...known.map((name) => ({ value: name, label: name })),
      ]}
      onChange={(next) => setQuery({ model: next === '' ? null : next })}
      onOpenChange={setOpen}
      className="max-w-[14rem]"
    />
  );
}

function WorkflowFilter({ value }: { value: string | null }) {
  const text = useText('gallery');
  const { data } = useQuery(workflowsQuery());
  const items = data?.items ?? [];
  if (items.length === 0 && value === null) return null;
  return (
    <Select
      label={text('filter.workflow')}
      value={value ?? any}
      options={[
        { value: any, label: text('filter.anyWorkflow') },
        ...items.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={(next) => setQuery({ workflow: next === any ? null : next })}
      className="max-w-[14rem]"
    />
  );
}

function OwnerFilter({ value }: { value: string | null }) {
  const text = useText('gallery');
  const { data } = useQuery(accountsQuery);
  const items = data?.items ?? [];
  if (items.length < 2 && value === null) return null;
  return (
    <Select
      label={text('filter.owner')}
      value={value ?? any}
      options={[
        { value: any, label: text('filter.anyOwner') },
        ...items.map(({ id, email }) => ({ value: id, label: email })),
      ]}
      onChange={(next) => setQuery({ owner: next === any ? null : next })}
      className="max-w-[14rem]"
    />
  );
}

function Day({ name, value }: { name: 'from' | 'to'; value: string | null }) {
  const text = useText('gallery');
  return (
    <div className="flex items-center gap-1.5 text-table text-text-2">
      <span aria-hidden>{text(`filter.${name}`)}</span>
      <TextInput
        aria-label={text(`filter.${name}`)}
        type="date"
        value={value ?? ''}
        onChange={(event) => setQuery({ [name]: event.target.value === '' ? null : event.target.value })}
        className="w-[9.5rem]!"
      />
    </div>
  );
}

function AllAsZip({ filter, total }: { filter: GalleryFilter; total: number | undefined }) {
  const text = useText('gallery');
  const [isDownloading, setDownloading] = useState(false);
  if (total === undefined || total === 0 || total > maxZipped) return null;
  return (
    <>
      <Button
        variant="plain"
        className="sm:ml-auto"
        icon={<Download size={16} strokeWidth={1.75} aria-hidden />}
        onClick={() => setDownloading(true)}
      >
        {text('filter.zip', { count: total })}
      </Button>
      {isDownloading ? (
        <Suspense>
          <DownloadDialog
            of={{ filter: queryOf(filter) }}
            count={total}
            onClose={() => setDownloading(false)}
          />
        </Suspense>
      ) : null}
    </>
  );
}
