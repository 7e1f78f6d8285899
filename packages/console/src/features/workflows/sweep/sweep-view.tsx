import {
  cancelSweep,
  renameSweep,
  retrySweep,
  type SweepCell,
  type SweepDetail,
} from '@switchyard/contract/dispatch/sweep';
import type { SavedWorkflowDetail } from '@switchyard/contract/dispatch/workflow';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowLeft, Pencil } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { Button, IconButton, LinkButton } from '../../../kit/button.tsx';
import { useFailure } from '../../../kit/failures/use-failure.ts';
import { Field } from '../../../kit/field.tsx';
import type { Draft, FileDraft } from '../../../kit/fields/field-draft.ts';
import type { FormState } from '../../../kit/fields/use-form-state.ts';
import { FormDialog } from '../../../kit/forms/form-dialog.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { GatewayText } from '../../../kit/gateway-text.tsx';
import { fileAddress, mediaKindOf } from '../../../kit/pictures/picture.ts';
import { QueryView } from '../../../kit/query-view.tsx';
import { isMissing } from '../../../kit/states/error-text.ts';
import { TextInput } from '../../../kit/text-input.tsx';
import { useShortcuts } from '../../../kit/use-shortcuts.ts';
import { setQuery, useQueryState } from '../../../lib/address.ts';
import { fileRecipeQuery } from '../../../lib/data/files.ts';
import { keys } from '../../../lib/data/keys.ts';
import { sweepCellsQuery, sweepQuery } from '../../../lib/data/sweeps.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import { OwnResultMenu, takesOf } from '../bench/bench-tools.tsx';
import { Why } from '../bench/stage-status.tsx';
import { useLabelOf } from '../form/form-label.ts';
import { fileIn } from './axis-draft.ts';
import { DeleteSweep } from './sweep-dialog.tsx';
import { CellState, HeadValue, nextCell, outputOf, SweepGrid } from './sweep-grid.tsx';
import type { SweepBeginning } from './use-sweep-draft.ts';

interface SweepViewProps {
  sweepId: string;
  workflow: SavedWorkflowDetail;
  form: FormState;
  onRun: (options: { newSeed: boolean }) => void;
  /** Opens the panel in which a sweep is begun. */
  onVary: (begin: SweepBeginning) => void;
}

/** A grid that fills as its tasks end, in the place of the results. */
export function SweepView({ sweepId, onRun, ...rest }: SweepViewProps) {
  const text = useText('sweep');
  const sweep = useQuery(sweepQuery(sweepId));
  const cells = useQuery(sweepCellsQuery(sweepId));
  const shown = useFocusWhileShown();
  useShortcuts({ r: () => onRun({ newSeed: false }), R: () => onRun({ newSeed: true }) });
  return (
    <section
      ref={shown}
      tabIndex={-1}
      aria-label={text('title')}
      className="flex min-h-0 min-w-0 flex-1 flex-col gap-2 outline-none"
    >
      <Button
        size="s"
        variant="plain"
        className="self-start"
        icon={<ArrowLeft size={16} strokeWidth={1.75} aria-hidden />}
        onClick={leave}
      >
        {text('back')}
      </Button>
      <QueryView query={sweep} fills>
        {(found) => (
          <QueryView query={cells} fills>
            {(filled) => <OpenSweep sweep={found} cells={filled} {...rest} />}
          </QueryView>
        )}
      </QueryView>
    </section>
  );
}

/** Takes the focus, and on a phone scrolls to what stands below the form. */
function useFocusWhileShown(after?: () => HTMLElement | null) {
  const shown = useRef<HTMLElement>(null);
  const last = useRef(after);
  last.current = after;
  useEffect(() => {
    // A dialog that has closed gives the focus back first.
    const frame = requestAnimationFrame(() => {
      shown.current?.focus({ preventScroll: true });
      shown.current?.scrollIntoView({ block: 'nearest' });
    });
    return () => {
      cancelAnimationFrame(frame);
      requestAnimationFrame(() => last.current?.()?.focus());
    };
  }, []);
  return (element: HTMLElement | null) => {
    shown.current = element;
  };
}

function leave(): void {
  setQuery({ sweep: null, cell: null }, { push: true });
}

interface OpenSweepProps extends Pick<SweepViewProps, 'workflow' | 'form' | 'onVary'> {
  sweep: SweepDetail;
  cells: readonly SweepCell[];
}

function OpenSweep({ sweep, cells, workflow, form, onVary }: OpenSweepProps) {
  const [chosen, choose] = useQueryState('cell');
  const cell = chosen === null ? undefined : cells[Number(chosen)];
  const labelIn = useLabelIn(sweep, workflow);
  const axes = sweep.axes.map((axis) => ({ ...axis, label: labelIn(axis.param) }));
  return (
    <>
      <SweepHead {...{ sweep, cells, workflow, form, onVary }} />
      <div className="relative flex h-[70dvh] min-h-72 min-w-0 flex-col overflow-hidden rounded-card border border-border bg-sunken lg:h-auto lg:min-h-0 lg:flex-1">
        <SweepGrid
          sweep={{ ...sweep, axes }}
          cells={cells}
          isCovered={cell !== undefined}
          onOpen={(number) => choose(String(number), { push: true })}
        />
        {cell ? <OpenCell sweep={sweep} cell={cell} workflow={workflow} form={form} /> : null}
      </div>
    </>
  );
}

function SweepHead({ sweep, cells, workflow, form, onVary }: OpenSweepProps) {
  const text = useText('sweep');
  const { act, isBusy } = useAct();
  const cache = useQueryClient();
  const among = (...states: SweepCell['state'][]) => cells.filter(({ state }) => states.includes(state));
  const open = among('waiting', 'pending', 'running');
  const toCome = open.filter(({ cancelRequested }) => !cancelRequested).length;
  const stopping = open.length - toCome;
  const [done, lost, rest] = [
    among('completed').length,
    among('failed', 'refused').length,
    among('cancelled', 'stopped').length,
  ];
  const params = { sweepId: sweep.id };
  const refresh = [keys.sweep(sweep.id), keys.sweepCells(sweep.id)];
  const retry = (states: ('failed' | 'refused' | 'cancelled' | 'stopped')[], done: string) =>
    void act(() => gateway.call(retrySweep, { params, body: { states } }), { done, refresh });
  const facts = [
    text('counts', { done, count: cells.length }),
    ...(toCome > 0 ? [text('toCome', { count: toCome })] : []),
    ...(stopping > 0 ? [text('stopping', { count: stopping })] : []),
    ...(lost > 0 ? [text('lost', { count: lost })] : []),
    ...(rest > 0 ? [text('left', { count: rest })] : []),
    ...(sweep.version === workflow.version ? [] : [text('version', { version: sweep.version })]),
  ];
  const again = () =>
    act(() => draftsOf(workflow, sweep.params, cache), {
      onDone: (values) => {
        form.setValues(values);
        onVary({ sweep });
      },
    });
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-table">
      <h2 className="min-w-0 font-medium break-words">{sweep.name}</h2>
      <Rename sweep={sweep} />
      <p role="status" className="min-w-0 flex-1 basis-56 text-text-2 tabular-nums">
        {facts.join(' · ')}
        {sweep.waitsFor === null ? null : (
          <span className="block">
            <GatewayText message={sweep.waitsFor} sentences={sweep.waitsForSentences} />
          </span>
        )}
      </p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {open.length > 0 ? (
          <Button
            size="s"
            isBusy={isBusy || toCome === 0}
            onClick={() =>
              void act(() => gateway.call(cancelSweep, { params }), { done: text('cancelled'), refresh })
            }
          >
            {text('cancelRest')}
          </Button>
        ) : null}
        {lost > 0 ? (
          <Button size="s" isBusy={isBusy} onClick={() => retry(['failed', 'refused'], text('retried'))}>
            {text('retry')}
          </Button>
        ) : null}
        {rest > 0 ? (
          <Button size="s" isBusy={isBusy} onClick={() => retry(['cancelled', 'stopped'], text('resumed'))}>
            {text('resume')}
          </Button>
        ) : null}
        <Button size="s" isBusy={isBusy} onClick={() => void again()}>
          {text('again')}
        </Button>
        <DeleteSweep sweepId={sweep.id} name={sweep.name} onDone={leave} />
      </div>
    </div>
  );
}

function Rename({ sweep: { id: sweepId, name } }: Pick<OpenSweepProps, 'sweep'>) {
  const text = useText('sweep');
  const cache = useQueryClient();
  const [typed, setTyped] = useState<string | null>(null);
  const rename = async () => {
    await gateway.call(renameSweep, { params: { sweepId }, body: { name: typed ?? name } });
    await cache.invalidateQueries({ queryKey: keys.sweeps });
  };
  return (
    <>
      <IconButton
        label={text('rename')}
        icon={<Pencil size={14} strokeWidth={1.75} aria-hidden />}
        onClick={() => setTyped(name)}
      />
      <FormDialog
        open={typed !== null}
        onClose={() => setTyped(null)}
        title={text('rename')}
        submit={text('renameSubmit')}
        onSubmit={rename}
        disabled={typed?.trim() === ''}
      >
        <Field label={text('more.name')}>
          <TextInput maxLength={200} value={typed ?? ''} onChange={(event) => setTyped(event.target.value)} />
        </Field>
      </FormDialog>
    </>
  );
}

/** One cell as large as its place, with its values. */
function OpenCell({
  sweep,
  cell,
  workflow,
  form,
}: Omit<OpenSweepProps, 'cells' | 'onVary'> & { cell: SweepCell }) {
  const text = useText('sweep');
  const [used, setUsed] = useState<number | null>(null);
  const { act, isBusy } = useAct();
  const cache = useQueryClient();
  const labelIn = useLabelIn(sweep, workflow);
  const columns = sweep.axes[0]?.count ?? 1;
  const close = () => setQuery({ cell: null });
  const go = (next: number | null) => {
    if (next !== null && next >= 0 && next < sweep.total) setQuery({ cell: String(next) });
  };
  const key = ({ key: pressed }: globalThis.KeyboardEvent) => go(nextCell(pressed, cell.cell, columns));
  useShortcuts({ ArrowLeft: key, ArrowRight: key, ArrowUp: key, ArrowDown: key, Escape: close });
  const use = () =>
    act(() => draftsOf(workflow, { ...sweep.params, ...cell.values }, cache), {
      onDone: (values) => {
        form.setValues(values);
        setUsed(cell.cell);
      },
    });
  const output = outputOf(cell);
  // The cell of the grid gets the focus back.
  const shown = useFocusWhileShown(() => document.querySelector(`[data-cell="${cell.cell}"]`));
  const values = useId();
  return (
    <section
      ref={shown}
      tabIndex={-1}
      aria-labelledby={values}
      className="outline-none absolute inset-0 z-30 flex flex-col bg-sunken"
    >
      <div className="flex min-h-0 flex-1 items-center justify-center p-2">
        <CellContent cell={cell} />
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-border bg-surface px-3 py-2">
        <dl
          id={values}
          className="flex max-h-24 min-w-0 flex-1 basis-60 flex-wrap gap-x-3 overflow-y-auto text-table"
        >
          {Object.entries(cell.values).map(([name, value]) => (
            <div key={name} className="flex min-w-0 gap-1">
              <dt className="shrink-0 text-text-2">{labelIn(name)}</dt>
              <dd className="min-w-0 break-words">
                <HeadValue
                  value={value}
                  index={cell.at[sweep.axes.findIndex(({ param }) => param === name)] ?? 0}
                />
              </dd>
            </div>
          ))}
        </dl>
        {/* A message at the edge of the window would lie over the buttons. */}
        <p role="status" className="text-table text-text-2">
          {used === cell.cell ? text('used') : null}
        </p>
        <div className="flex flex-wrap items-center gap-1">
          <Button size="s" variant="plain" disabled={cell.cell === 0} onClick={() => go(cell.cell - 1)}>
            {text('previous')}
          </Button>
          <Button
            size="s"
            variant="plain"
            disabled={cell.cell === sweep.total - 1}
            onClick={() => go(cell.cell + 1)}
          >
            {text('next')}
          </Button>
          {cell.taskId ? (
            <LinkButton size="s" variant="plain" href={`/tasks/${cell.taskId}`}>
              {text('task')}
            </LinkButton>
          ) : null}
          {output ? (
            <LinkButton size="s" variant="plain" href={`/gallery?task=${cell.taskId}&file=${output.fileId}`}>
              {text('gallery')}
            </LinkButton>
          ) : null}
          <Button size="s" isBusy={isBusy} onClick={() => void use()}>
            {text('use')}
          </Button>
          <Button size="s" onClick={close}>
            {text('close')}
          </Button>
          {output ? <OwnResultMenu file={output} takes={takesOf(workflow)} /> : null}
        </div>
      </div>
    </section>
  );
}

function CellContent({ cell }: { cell: SweepCell }) {
  const text = useText('sweep');
  const output = outputOf(cell);
  if (output && mediaKindOf(output.contentType) === 'picture') {
    return (
      <img src={fileAddress(output)} alt={output.filename} className="max-h-full max-w-full object-contain" />
    );
  }
  return (
    <div className="flex max-w-[48ch] flex-col items-center gap-2 text-center text-body">
      <CellState cell={cell} />
      {cell.state === 'pending' && cell.taskId ? (
        <p className="text-text-2">
          <Why taskId={cell.taskId} />
        </p>
      ) : cell.state === 'cancelled' ? null : cell.error ? (
        <CellFailure error={cell.error} isOfTask={cell.state === 'failed'} />
      ) : output ? (
        <p className="break-words text-text-2">{text('other', { name: output.filename })}</p>
      ) : cell.state === 'completed' ? (
        <p className="text-text-2">{text('noFile')}</p>
      ) : null}
    </div>
  );
}

/** Why a cell has no result, and what to try where its task has failed. */
function CellFailure({ error, isOfTask }: { error: NonNullable<SweepCell['error']>; isOfTask: boolean }) {
  const failureOf = useFailure();
  const { cause, advice } = failureOf(error);
  return (
    <>
      <p className="break-words text-text-2">{cause}</p>
      {isOfTask ? <p className="font-medium">{advice}</p> : null}
    </>
  );
}

/** Names a value as the form does, or as its axis was named when the field has another name since. */
function useLabelIn({ axes }: SweepDetail, { parameters }: SavedWorkflowDetail): (name: string) => string {
  const labelOf = useLabelOf();
  return (name) => {
    const axis = axes.find(({ param }) => param === name);
    const field = parameters.find((each) => each.name === name);
    return field && (!axis || axis.label === field.label)
      ? labelOf(field, parameters)
      : (axis?.label ?? name);
  };
}

/** Returns the values as the form has them. A field that the sweep leaves alone has the value of the workflow. */
async function draftsOf(
  { parameters }: SavedWorkflowDetail,
  params: Record<string, unknown>,
  cache: QueryClient,
): Promise<Record<string, Draft>> {
  const drafts = parameters
    .filter(({ hidden }) => !hidden)
    .map(async ({ name, default: usual }) => {
      const value = Object.hasOwn(params, name) ? params[name] : usual;
      const [file] = fileIn(value);
      return [name, file ? await withName(file, cache) : draftOf(value)] as const;
    });
  return Object.fromEntries(await Promise.all(drafts));
}

/** A sweep has the id of a file alone, and the form shows its name. A file that is gone leaves its field empty. */
async function withName({ fileId }: FileDraft, cache: QueryClient): Promise<Draft> {
  try {
    const { filename } = await cache.fetchQuery({ ...fileRecipeQuery(fileId), retry: false });
    return { fileId, filename };
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

function draftOf(value: unknown): Draft {
  if (typeof value === 'boolean') return value;
  return value === null || value === undefined ? '' : String(value);
}
