import { randomId } from '@switchyard/client/random-id';
import type { FileLineage, LineageFile } from '@switchyard/contract/dispatch/lineage';
import { type FileRecipe, makeFileAgain, type RecipeChanges } from '@switchyard/contract/dispatch/recipe';
import type { Task } from '@switchyard/contract/dispatch/task';
import { useQuery } from '@tanstack/react-query';
import { ChevronRight, RefreshCw, SlidersHorizontal } from 'lucide-react';
import { Fragment, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { Button } from '../../../kit/button.tsx';
import { useCommandHint } from '../../../kit/command-hint.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { LongText } from '../../../kit/long-text.tsx';
import type { Picture } from '../../../kit/pictures/picture.ts';
import { Thumb } from '../../../kit/pictures/thumb.tsx';
import { QueryView } from '../../../kit/query-view.tsx';
import { useToast } from '../../../kit/toast.tsx';
import { fileLineageQuery, fileRecipeQuery } from '../../../lib/data/files.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import { AgainDialog } from './again-dialog.tsx';
import { graphTexts } from './graph-texts.ts';

const thumbSize = 56;
const maxInLevel = 12;

/** A recipe shows so many characters of a prompt at first. */
const firstLength = 600;

/** How the open file was made, where it came from, and how to make it again. */
export function RecipePanel({ file }: { file: Picture }) {
  const text = useText('gallery');
  const query = useQuery(fileRecipeQuery(file.fileId));
  return (
    <div className="flex flex-col gap-4 p-4">
      <h2 className="text-lead font-semibold">{text('recipe.title')}</h2>
      <QueryView query={query}>{(recipe) => <Recipe recipe={recipe} file={file} />}</QueryView>
    </div>
  );
}

function Recipe({ recipe, file }: { recipe: FileRecipe; file: Picture }) {
  const text = useText('gallery');
  const format = useFormat();
  const { task, worker, savedWorkflow, seeds, inputs } = recipe;
  const texts = recipe.workflow ? graphTexts(recipe.workflow, recipe.params ?? {}) : [];
  const size = file.width !== null && file.height !== null ? `${file.width} × ${file.height}` : null;
  return (
    <div className="flex flex-col gap-4">
      {task ? (
        <AgainActions recipe={recipe} />
      ) : (
        <p className="text-body text-text-2">{text('recipe.upload')}</p>
      )}
      {texts.map(({ key, title, value }) => (
        <section key={key}>
          <h3 className="text-meta text-text-2">{title}</h3>
          <LongText text={value} firstLength={firstLength} />
        </section>
      ))}
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-table">
        {seeds.map(({ nodeId, input, title, value }) => (
          <Fact
            key={`${nodeId}.${input}`}
            name={seeds.length === 1 ? text('recipe.seed') : `${title}: ${input}`}
          >
            <span className="tabular-nums">{String(value)}</span>
          </Fact>
        ))}
        <Fact name={text('recipe.made')}>{format.dateTime(new Date(recipe.createdAt))}</Fact>
        {size === null ? null : <Fact name={text('recipe.pixels')}>{size}</Fact>}
        <Fact name={text('recipe.bytes')}>{format.bytes(recipe.size)}</Fact>
        {worker ? (
          <Fact name={text('recipe.worker')}>
            {worker.name ?? worker.instanceId}
            {worker.version === null ? '' : ` · ${worker.version}`}
          </Fact>
        ) : null}
        {savedWorkflow ? (
          <Fact name={text('recipe.workflow')}>
            <PageLink href={`/workflows/${savedWorkflow.workflowId}`}>
              {text('recipe.version', { version: savedWorkflow.version })}
            </PageLink>
          </Fact>
        ) : null}
        {task ? (
          <Fact name={text('recipe.task')}>
            <PageLink href={`/tasks/${task.taskId}`}>{task.name ?? task.taskId.slice(-8)}</PageLink>
          </Fact>
        ) : null}
        {task?.conversation ? (
          <Fact name={text('recipe.conversation')}>
            <PageLink href={`/chat/${task.conversation.threadId}`}>{text('recipe.openThread')}</PageLink>
          </Fact>
        ) : null}
      </dl>
      {inputs.length > 0 ? (
        <section className="flex flex-col gap-2">
          <h3 className="text-meta text-text-2">{text('recipe.inputs')}</h3>
          <ul className="flex flex-wrap gap-2">
            {inputs.map(({ fileId, filename, presentFileId }) => (
              <li key={fileId} className="flex items-center gap-2 text-table">
                {presentFileId === null ? null : <Thumb fileId={presentFileId} alt="" size={40} />}
                <span className="max-w-[12rem] truncate">
                  {presentFileId === null ? text('recipe.inputGone', { name: filename }) : filename}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <LineageStrip fileId={file.fileId} />
    </div>
  );
}

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** Makes the file again, as it was or with other values. */
function AgainActions({ recipe }: { recipe: FileRecipe }) {
  const text = useText('gallery');
  const toast = useToast();
  const { act, isBusy } = useAct();
  const [isChanging, setChanging] = useState(false);
  const hint = useCommandHint(`switchyard files again ${recipe.fileId} --wait`);
  const again = (changes: RecipeChanges) =>
    gateway.call(makeFileAgain, {
      params: { fileId: recipe.fileId },
      body: changes,
      headers: { 'idempotency-key': randomId() },
    });
  const started = ({ id }: Task) => ({
    text: text('again.started'),
    action: { label: text('again.open'), run: () => navigate(`/tasks/${id}`) },
  });
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        variant="solid"
        size="s"
        icon={<RefreshCw {...icon} />}
        disabled={isBusy}
        onClick={() => void act(() => again({}), { done: started })}
        {...hint}
      >
        {text('again.same')}
      </Button>
      <Button size="s" icon={<SlidersHorizontal {...icon} />} onClick={() => setChanging(true)}>
        {text('again.with')}
      </Button>
      {isChanging ? (
        <AgainDialog
          recipe={recipe}
          again={again}
          onClose={() => setChanging(false)}
          onStarted={(task) => {
            setChanging(false);
            toast(started(task));
          }}
        />
      ) : null}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-text-2">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

function PageLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} className="text-accent underline-offset-2 hover:underline">
      {children}
    </Link>
  );
}

/** The sources of the file, on the left, and the files that were made from it, on the right. */
function LineageStrip({ fileId }: { fileId: string }) {
  const text = useText('gallery');
  const { data } = useQuery(fileLineageQuery(fileId));
  const levels = data ? lineageLevels(data) : [];
  if (levels.length < 2) return null;
  return (
    <section className="flex flex-col gap-2" aria-label={text('lineage.label')}>
      <h3 className="text-meta text-text-2">{text('lineage.label')}</h3>
      <ol className="flex items-center gap-1 overflow-x-auto pb-1">
        {levels.map(({ level, files }, index) => (
          <Fragment key={level}>
            {index > 0 ? (
              <ChevronRight size={16} strokeWidth={1.75} aria-hidden className="shrink-0 text-text-3" />
            ) : null}
            <li className="flex shrink-0 gap-1" aria-current={level === 0 ? 'true' : undefined}>
              {files.slice(0, maxInLevel).map((file) => (
                <LineageThumb key={file.id} file={file} isCurrent={file.fileId === fileId} />
              ))}
              {files.length > maxInLevel ? (
                <span className="self-center text-table text-text-2">+{files.length - maxInLevel}</span>
              ) : null}
            </li>
          </Fragment>
        ))}
      </ol>
      {data?.cut ? <p className="text-meta text-text-2">{text('lineage.cut')}</p> : null}
    </section>
  );
}

/** The files of a lineage by generation, the oldest first. */
function lineageLevels({ files }: Pick<FileLineage, 'files'>): { level: number; files: LineageFile[] }[] {
  const levels = new Map<number, LineageFile[]>();
  for (const file of files) {
    const present = levels.get(file.level);
    if (present) present.push(file);
    else levels.set(file.level, [file]);
  }
  return [...levels].sort(([a], [b]) => a - b).map(([level, ofLevel]) => ({ level, files: ofLevel }));
}

function LineageThumb({ file, isCurrent }: { file: LineageFile; isCurrent: boolean }) {
  const text = useText('gallery');
  const { fileId, filename, contentType } = file;
  if (fileId === null) {
    return (
      <span
        title={text('lineage.gone', { name: filename })}
        className="flex size-14 items-center justify-center rounded-control border border-dashed border-control p-1 text-center text-meta text-text-3"
      >
        <span className="line-clamp-3 break-all">{text('lineage.gone', { name: filename })}</span>
      </span>
    );
  }
  return (
    <Link
      href={`/gallery?kind=all&source=all&file=${fileId}`}
      aria-label={filename}
      title={filename}
      className={`rounded-control outline-accent focus-visible:outline-2 ${isCurrent ? 'ring-2 ring-accent' : ''}`}
    >
      <Thumb fileId={fileId} alt="" size={thumbSize} contentType={contentType ?? undefined} />
    </Link>
  );
}
