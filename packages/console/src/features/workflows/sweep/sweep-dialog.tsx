import { randomId } from '@switchyard/client/random-id';
import {
  createSweep,
  type NewSweep,
  type SweepOutlook,
  sweepLimits,
} from '@switchyard/contract/dispatch/sweep';
import type { SavedWorkflowDetail, WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import type { FormState } from '../../../kit/fields/use-form-state.ts';
import { useAct } from '../../../kit/forms/use-act.ts';
import { ErrorState } from '../../../kit/states/error-state.tsx';
import { StatusWord } from '../../../kit/status-word.tsx';
import { Switch } from '../../../kit/switch.tsx';
import { setQuery } from '../../../lib/address.ts';
import { keys } from '../../../lib/data/keys.ts';
import { sweepOutlookQuery, sweepsQuery } from '../../../lib/data/sweeps.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import { labelOf } from '../form/form-label.ts';
import { useSettled } from '../run/outlook-facts.tsx';
import { type AxisDraft, axisOf, canVary, newAxis } from './axis-draft.ts';
import { AxisEditor } from './axis-editor.tsx';

interface SweepDialogProps {
  workflow: SavedWorkflowDetail;
  form: FormState;
  onClose: () => void;
}

const settleMs = 400;

/** Chooses what varies, says what that means, and starts it. */
export function SweepDialog({ workflow, form, onClose }: SweepDialogProps) {
  const text = useText('sweep');
  const { act, isBusy } = useAct();
  const draft = useSweepDraft(workflow, form);
  const { body } = draft;
  const settled = useSettled(body, settleMs);
  const outlook = useQuery({ ...sweepOutlookQuery(settled ?? emptySweep), enabled: settled !== null });
  const isKnown = body !== null && JSON.stringify(body) === JSON.stringify(settled);
  const known = isKnown && !outlook.isPlaceholderData && !outlook.error ? outlook.data : undefined;
  const keyOf = useKeyOf();
  const parts = useRef<HTMLDivElement>(null);
  /** An axis that comes takes the focus, and one that goes leaves it to the button that adds another. */
  const focusOn = (control: string) =>
    requestAnimationFrame(() => parts.current?.querySelector<HTMLElement>(`:scope > ${control}`)?.focus());
  const start = async () => {
    if (body === null) return;
    const headers = { 'idempotency-key': keyOf(body) };
    await act(() => gateway.call(createSweep, { body, headers }), {
      refresh: [keys.sweeps],
      onDone: ({ id }) => {
        onClose();
        setQuery({ sweep: id, cell: null }, { push: true });
      },
    });
  };
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={text('title')}
      actions={
        <Button variant="solid" disabled={isBusy || known === undefined} onClick={() => void start()}>
          {text('start', { count: known?.total ?? 0 })}
        </Button>
      }
    >
      <div ref={parts} className="flex flex-col gap-4">
        <p className="text-body text-text-2">{text('lead')}</p>
        {draft.varied.length === 0 ? <p className="text-body">{text('axis.none')}</p> : null}
        {draft.axes.map((axis, index) => (
          <AxisEditor
            // biome-ignore lint/suspicious/noArrayIndexKey: an axis that varies something else keeps its place and the focus
            key={index}
            number={index + 1}
            axis={axis}
            parameters={draft.varied.filter(
              ({ name }) => name === axis.param || !draft.axes.some(({ param }) => param === name),
            )}
            labelOf={(parameter) => labelOf(parameter, draft.varied)}
            onParam={(name) => draft.replace(index, name)}
            onChange={(next) => draft.change(index, next)}
            onRemove={
              draft.axes.length > 1
                ? () => {
                    draft.remove(index);
                    focusOn('button');
                  }
                : undefined
            }
          />
        ))}
        {draft.axes.length < Math.min(sweepLimits.axes, draft.varied.length) ? (
          <Button
            size="s"
            className="self-start"
            icon={<Plus size={16} strokeWidth={1.75} aria-hidden />}
            onClick={() => {
              draft.add();
              focusOn('fieldset:last-of-type [role="combobox"]');
            }}
          >
            {text('axis.add')}
          </Button>
        ) : null}
        <Wildcards draft={draft} />
        <div aria-live="polite" className="min-h-20">
          {body === null ? (
            <p className="text-body text-text-2">{text('outlook.unready', { max: sweepLimits.runs })}</p>
          ) : outlook.error ? (
            <ErrorState error={outlook.error} retry={outlook.refetch} busy={outlook.isFetching} />
          ) : outlook.data ? (
            <OutlookOfSweep outlook={outlook.data} />
          ) : null}
        </div>
        <Earlier workflowId={workflow.id} onClose={onClose} />
      </div>
    </Dialog>
  );
}

const emptySweep: NewSweep = { workflowId: '', axes: [] };

type SweepDraft = ReturnType<typeof useSweepDraft>;

function useSweepDraft(workflow: SavedWorkflowDetail, form: FormState) {
  const varied = workflow.parameters.filter(canVary);
  const present = ({ name, default: value }: WorkflowParameter) => form.params[name] ?? value;
  const axisFor = (parameter: WorkflowParameter) => newAxis(parameter, present(parameter));
  const [axes, setAxes] = useState<AxisDraft[]>(() => varied.slice(0, 1).map(axisFor));
  const [wildcards, setWildcards] = useState<readonly string[]>([]);
  const named = (name: string) => varied.find((parameter) => parameter.name === name);
  const read = axes.map((axis) => {
    const parameter = named(axis.param);
    return parameter ? axisOf(axis, parameter) : null;
  });
  const isReady = axes.length > 0 && read.every((axis) => axis !== null);
  const body: NewSweep | null = isReady
    ? {
        workflowId: workflow.id,
        version: workflow.version,
        params: form.params,
        axes: read,
        ...(wildcards.length > 0 && { wildcards: [...wildcards] }),
      }
    : null;
  const hasGroup = (parameter: WorkflowParameter) => {
    const axis = axes.find(({ param }) => param === parameter.name);
    const shown = axis ? axis.lines + axis.values : String(present(parameter));
    return parameter.type === 'string' && shown.includes('{');
  };
  const change = (index: number, next: AxisDraft) => setAxes(axes.with(index, next));
  return {
    varied,
    axes,
    body,
    wildcards,
    /** The texts in which a run could pick. */
    pickable: varied.filter((parameter) => hasGroup(parameter) || wildcards.includes(parameter.name)),
    change,
    replace: (index: number, name: string) => {
      const parameter = named(name);
      if (parameter) change(index, axisFor(parameter));
    },
    remove: (index: number) => setAxes(axes.toSpliced(index, 1)),
    add: () => {
      const free = varied.find(({ name }) => !axes.some(({ param }) => param === name));
      if (free) setAxes([...axes, axisFor(free)]);
    },
    pick: (name: string, isOn: boolean) =>
      setWildcards(isOn ? [...wildcards, name] : wildcards.filter((each) => each !== name)),
  };
}

/** Another body is another sweep; the same one that is sent again is not. */
function useKeyOf(): (body: NewSweep) => string {
  const last = useRef({ text: '', key: '' });
  return (body) => {
    const text = JSON.stringify(body);
    if (last.current.text !== text) last.current = { text, key: `sweep-${randomId()}` };
    return last.current.key;
  };
}

function Wildcards({ draft }: { draft: SweepDraft }) {
  const text = useText('sweep');
  if (draft.pickable.length === 0) return null;
  return (
    <div className="flex flex-col gap-1">
      {draft.pickable.map((parameter) => (
        <Switch
          key={parameter.name}
          label={text('wildcards.label', { name: labelOf(parameter, draft.varied) })}
          checked={draft.wildcards.includes(parameter.name)}
          onChange={(isOn) => draft.pick(parameter.name, isOn)}
        />
      ))}
      <p className="text-table text-text-2">{text('wildcards.hint')}</p>
    </div>
  );
}

function OutlookOfSweep({ outlook: { total, maxRuns, totals, seconds, cost } }: { outlook: SweepOutlook }) {
  const text = useText('sweep');
  const format = useFormat();
  const money = cost && [cost.low, cost.high].map((each) => format.money(each, cost.currency));
  return (
    <div className="flex flex-col gap-1 text-body">
      <p className="font-medium tabular-nums">{text('outlook.runs', { count: total, max: maxRuns })}</p>
      <StatusWord kind={totals.couldRun > 0 ? 'done' : 'failed'}>
        {text('outlook.places', { able: totals.couldRun, count: totals.instances })}
      </StatusWord>
      <p className="text-text-2">
        {text('outlook.time')}:{' '}
        <span className="text-text tabular-nums">
          {seconds ? format.range(seconds.low * 1_000, seconds.high * 1_000) : text('outlook.unknown')}
        </span>
        {money ? (
          <>
            {' · '}
            {text('outlook.cost')}:{' '}
            <span className="text-text tabular-nums">{[...new Set(money)].join(' – ')}</span>
          </>
        ) : null}
      </p>
    </div>
  );
}

/** The sweeps of this workflow, the newest first. */
function Earlier({ workflowId, onClose }: { workflowId: string; onClose: () => void }) {
  const text = useText('sweep');
  const format = useFormat();
  const { data } = useQuery(sweepsQuery(workflowId));
  if (!data || data.items.length === 0) return null;
  return (
    <section aria-label={text('earlier')} className="flex flex-col gap-1 border-t border-border pt-3">
      <h3 className="text-table font-medium">{text('earlier')}</h3>
      <ul className="flex flex-col">
        {data.items.map(({ id, name, total, createdAt }) => (
          <li key={id}>
            <Link
              href={`/workflows/${workflowId}?sweep=${id}`}
              onClick={onClose}
              className="inline-block py-1 text-body text-accent hover:underline"
            >
              {text('earlierItem', { name, count: total, at: format.dateTime(new Date(createdAt)) })}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
