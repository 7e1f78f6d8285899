import type { FileLineage, LineageFile } from '@switchyard/contract/dispatch/lineage';
import { isModelFile, modelName } from '@switchyard/contract/dispatch/model-file';
import type { FileRecipe, RecipeValue } from '@switchyard/contract/dispatch/recipe';
import { useQuery } from '@tanstack/react-query';
import { ChevronRight, Copy, RefreshCw, SlidersHorizontal } from 'lucide-react';
import { Fragment, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { Button, IconButton } from '../../../kit/button.tsx';
import { useCommandHint } from '../../../kit/command-hint.tsx';
import { useCopy } from '../../../kit/copy/use-copy.tsx';
import { LongText } from '../../../kit/long-text.tsx';
import type { Picture } from '../../../kit/pictures/picture.ts';
import { Thumb } from '../../../kit/pictures/thumb.tsx';
import { QueryView } from '../../../kit/query-view.tsx';
import { useRecipeWords } from '../../../kit/results/use-recipe-words.ts';
import { useToast } from '../../../kit/toast.tsx';
import { fileLineageQuery, fileRecipeQuery } from '../../../lib/data/files.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';
import { AgainDialog } from './again-dialog.tsx';
import { promptsIn } from './recipe-prompts.ts';
import { useAgain } from './use-again.ts';

const thumbSize = 56;
const maxInLevel = 12;
const maxUses = 8;

/** A recipe shows so many characters of a prompt, and so many values, at first. */
const firstLength = 600;
const firstValues = 14;

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
  const { task, worker, savedWorkflow, inputs } = recipe;
  const size = file.width !== null && file.height !== null ? `${file.width} × ${file.height}` : null;
  return (
    <div className="flex flex-col gap-4">
      {task ? (
        <AgainActions recipe={recipe} />
      ) : (
        <p className="text-body text-text-2">{text(recipe.isShared ? 'recipe.shared' : 'recipe.upload')}</p>
      )}
      <Values recipe={recipe} />
      {inputs.length > 0 ? (
        <section className="flex flex-col gap-2">
          <h3 className="text-meta text-text-2">{text('recipe.inputs')}</h3>
          <ul className="flex flex-wrap gap-2">
            {inputs.map((input) => (
              <li key={input.fileId} className="text-table">
                <Input {...input} />
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-table">
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
      <WholeLineage fileId={file.fileId} />
    </div>
  );
}

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** The values that made the file, by the names of the form, each to be copied. */
function Values({ recipe: { values } }: { recipe: FileRecipe }) {
  const text = useText('gallery');
  const words = useRecipeWords();
  const toast = useToast();
  const { copy, dialog } = useCopy();
  const [isWhole, setWhole] = useState(false);
  const prompts = promptsIn(values);
  const rest = values.filter((value) => !prompts.some(({ param }) => param === value.param));
  const open = rest.filter(({ hidden }) => !hidden).slice(0, firstValues);
  const shown = isWhole ? rest : open;
  const nameOf = (value: (typeof values)[number]) => {
    const namesakes = shown.filter(({ input, label }) => input === value.input && label === null);
    return words.nameOf(value, { alone: namesakes.length < 2 });
  };
  const copied = async (copiedText: string) => {
    if (await copy(copiedText)) toast({ text: text('recipe.copied') });
  };
  if (values.length === 0) return null;
  const all = [
    ...prompts.map((value) => `${words.nameOf(value)}: ${value.value}`),
    ...rest.map((value) => `${words.nameOf(value)}: ${value.value}`),
  ].join('\n');
  const copyOf = (name: string, value: string) => (
    <CopyButton label={text('recipe.copy', { name })} onClick={() => void copied(value)} />
  );
  return (
    <section aria-label={text('recipe.values')} className="flex flex-col gap-3">
      {prompts.map((prompt) => (
        <div key={prompt.param} className="group">
          <h3 className="flex items-center justify-between gap-2 text-meta text-text-2">
            {promptName(prompt, words)}
            {copyOf(promptName(prompt, words), prompt.value)}
          </h3>
          <LongText text={prompt.value} firstLength={firstLength} />
        </div>
      ))}
      <dl className="text-table">
        {shown.map((value) => (
          <div
            key={value.param}
            className="group grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] items-center gap-x-2"
          >
            <dt className="break-words text-text-2">{nameOf(value)}</dt>
            <dd className="min-w-0 break-words tabular-nums">
              <Value value={value.value} words={words.valueOf(value.value)} />
            </dd>
            <dd>{copyOf(nameOf(value), String(value.value))}</dd>
          </div>
        ))}
      </dl>
      <div className="flex flex-wrap gap-2">
        {rest.length > open.length ? (
          <Button size="s" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? text('recipe.fewer') : text('recipe.more', { count: rest.length - open.length })}
          </Button>
        ) : null}
        <Button size="s" icon={<Copy {...icon} />} onClick={() => void copied(all)}>
          {text('recipe.copyAll')}
        </Button>
      </div>
      {dialog}
    </section>
  );
}

/** A model leads to everything that was made with it. */
function Value({ value, words }: { value: RecipeValue['value']; words: string }) {
  const text = useText('gallery');
  if (typeof value !== 'string' || !isModelFile(value)) return words;
  const model = modelName(value);
  return (
    <Link
      href={`/gallery?kind=all&model=${encodeURIComponent(model)}`}
      title={text('recipe.sameModel', { model })}
      className="text-accent underline-offset-2 outline-accent hover:underline focus-visible:outline-2"
    >
      {words}
    </Link>
  );
}

/** The title of a node is the better name of a prompt: both prompts of a graph have the input "text". */
function promptName(
  prompt: ReturnType<typeof promptsIn>[number],
  words: ReturnType<typeof useRecipeWords>,
): string {
  return prompt.label ?? prompt.title ?? words.nameOf(prompt);
}

function CopyButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <IconButton
      label={label}
      icon={<Copy {...icon} size={14} />}
      onClick={onClick}
      className="size-7! text-text-2 opacity-0 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:size-11! pointer-coarse:opacity-100"
    />
  );
}

function Input({ filename, presentFileId }: FileRecipe['inputs'][number]) {
  const text = useText('gallery');
  if (presentFileId === null) return <span>{text('recipe.inputGone', { name: filename })}</span>;
  return (
    <Link
      href={fileHref(presentFileId)}
      className="flex items-center gap-2 rounded-control outline-accent hover:underline focus-visible:outline-2"
    >
      <Thumb fileId={presentFileId} alt="" size={40} />
      <span className="max-w-[12rem] truncate">{filename}</span>
    </Link>
  );
}

/** Makes the file again, as it was or with other values. */
function AgainActions({ recipe }: { recipe: FileRecipe }) {
  const text = useText('gallery');
  const toast = useToast();
  const [isChanging, setChanging] = useState(false);
  const hint = useCommandHint(`switchyard files again ${recipe.fileId} --wait`);
  const { again, isBusy, start, started } = useAgain(recipe.fileId);
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        variant="solid"
        size="s"
        icon={<RefreshCw {...icon} />}
        aria-keyshortcuts="r"
        isBusy={isBusy}
        onClick={start}
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

function WholeLineage({ fileId }: { fileId: string }) {
  const { data } = useQuery(fileLineageQuery(fileId));
  if (data === undefined) return null;
  return (
    <>
      <LineageStrip lineage={data} />
      <Uses lineage={data} />
    </>
  );
}

/** The tasks that were given the file. */
function Uses({ lineage: { tasks } }: { lineage: FileLineage }) {
  const text = useText('gallery');
  const format = useFormat();
  const uses = tasks.filter(({ level }) => level === 1);
  if (uses.length === 0) return null;
  return (
    <section className="flex flex-col gap-1">
      <h3 className="text-meta text-text-2">{text('recipe.uses', { count: uses.length })}</h3>
      <ul className="flex flex-col gap-1 text-table">
        {uses.slice(0, maxUses).map(({ id, name, createdAt }) => (
          <li key={id} className="flex justify-between gap-2">
            <PageLink href={`/tasks/${id}`}>{name ?? id.slice(-8)}</PageLink>
            <span className="shrink-0 text-text-2">{format.dateTime(new Date(createdAt))}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The sources of the file, on the left, and the files that were made from it, on the right. */
function LineageStrip({ lineage }: { lineage: FileLineage }) {
  const text = useText('gallery');
  const levels = lineageLevels(lineage);
  if (levels.length < 2) return null;
  return (
    <section className="flex flex-col gap-2" aria-label={text('lineage.label')}>
      <h3 className="text-meta text-text-2">{text('lineage.label')}</h3>
      <ol className="flex items-center gap-1 overflow-x-auto p-0.5 pb-1">
        {levels.map(({ level, files }, index) => (
          <Fragment key={level}>
            {index > 0 ? (
              <ChevronRight size={16} strokeWidth={1.75} aria-hidden className="shrink-0 text-text-3" />
            ) : null}
            <li className="flex shrink-0 gap-1" aria-current={level === 0 ? 'true' : undefined}>
              {files.slice(0, maxInLevel).map((file) => (
                <LineageThumb key={file.id} file={file} isCurrent={file.fileId === lineage.fileId} />
              ))}
              {files.length > maxInLevel ? (
                <span className="self-center text-table text-text-2">+{files.length - maxInLevel}</span>
              ) : null}
            </li>
          </Fragment>
        ))}
      </ol>
      {lineage.cut ? <p className="text-meta text-text-2">{text('lineage.cut')}</p> : null}
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
      href={fileHref(fileId)}
      aria-label={filename}
      title={filename}
      className={`rounded-control outline-accent focus-visible:outline-2 ${isCurrent ? 'ring-2 ring-accent' : ''}`}
    >
      <Thumb fileId={fileId} alt="" size={thumbSize} contentType={contentType ?? undefined} />
    </Link>
  );
}

function fileHref(fileId: string): string {
  return `/gallery?kind=all&source=all&file=${fileId}`;
}
