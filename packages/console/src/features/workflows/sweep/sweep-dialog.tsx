import { ApiError } from '@switchyard/client/errors';
import { randomId } from '@switchyard/client/random-id';
import {
  createSweep,
  deleteSweep,
  type NewSweep,
  type SweepOutlook,
  sweepLimits,
} from '@switchyard/contract/dispatch/sweep';
import { priorityRange } from '@switchyard/contract/dispatch/task';
import type { SavedWorkflowDetail } from '@switchyard/contract/dispatch/workflow';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { Link } from 'wouter';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Field } from '../../../kit/field.tsx';
import type { FormState } from '../../../kit/fields/use-form-state.ts';
import { ConfirmedButton } from '../../../kit/forms/confirmed-button.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { MoreRows } from '../../../kit/rows/more-rows.tsx';
import { Select } from '../../../kit/select.tsx';
import { ErrorState } from '../../../kit/states/error-state.tsx';
import { StatusWord } from '../../../kit/status-word.tsx';
import { Switch } from '../../../kit/switch.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import { setQuery } from '../../../lib/address.ts';
import { instancesQuery } from '../../../lib/data/instances.ts';
import { keys } from '../../../lib/data/keys.ts';
import { sweepOutlookQuery, sweepPagesQuery } from '../../../lib/data/sweeps.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { gateway } from '../../../lib/gateway.ts';
import { faultsOf } from '../../../lib/gateway-words/faults.ts';
import { useGatewayWords } from '../../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../../lib/i18n.ts';
import { useLabelOf } from '../form/form-label.ts';
import { useOutlook, useSettled } from '../run/outlook-facts.tsx';
import { AxisEditor } from './axis-editor.tsx';
import { type SweepBeginning, type SweepDraft, useSweepDraft } from './use-sweep-draft.ts';

interface SweepDialogProps {
  workflow: SavedWorkflowDetail;
  form: FormState;
  begin: SweepBeginning;
  onClose: () => void;
}

const settleMs = 400;

/** Chooses what varies, says what that means, and starts it. */
export function SweepDialog({ workflow, form, begin, onClose }: SweepDialogProps) {
  const text = useText('sweep');
  const labelOf = useLabelOf();
  const { act, isBusy } = useAct();
  const draft = useSweepDraft(workflow, form, begin);
  const { body } = draft;
  const settled = useSettled(body, settleMs);
  const outlook = useQuery({ ...sweepOutlookQuery(settled ?? emptySweep), enabled: settled !== null });
  const isKnown = body !== null && JSON.stringify(body) === JSON.stringify(settled);
  const known = isKnown && !outlook.isPlaceholderData && !outlook.error ? outlook.data : undefined;
  const maxPriority = useOutlook(workflow, form.params).data?.maxPriority ?? 0;
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
        <Button variant="solid" isBusy={isBusy} disabled={known === undefined} onClick={() => void start()}>
          {text('start', { count: known?.total ?? 0 })}
        </Button>
      }
    >
      <div ref={parts} className="flex flex-col gap-4">
        <p className="text-body text-text-2">{text('lead')}</p>
        {draft.lost.length > 0 ? (
          <p role="status" className="rounded-control bg-waiting-tint p-2 text-body break-words">
            {text('axis.lost', { names: draft.lost.join(', ') })}
          </p>
        ) : null}
        {draft.varied.length === 0 ? <p className="text-body">{text('axis.none')}</p> : null}
        {draft.axes.map((axis, index) => (
          <AxisEditor
            // biome-ignore lint/suspicious/noArrayIndexKey: an axis that varies something else keeps its place and the focus
            key={index}
            number={index + 1}
            axis={axis}
            problem={draft.problems[index] ?? null}
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
        <More draft={draft} name={workflow.name} maxPriority={maxPriority} />
        <div aria-live="polite" className="min-h-20">
          {body === null ? (
            <p className="text-body text-text-2">{text('outlook.unready', { max: sweepLimits.runs })}</p>
          ) : outlook.error ? (
            <Refused error={outlook.error} retry={outlook.refetch} busy={outlook.isFetching} />
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

/** Another body is another sweep; the same one that is sent again is not. */
function useKeyOf(): (body: NewSweep) => string {
  const last = useRef({ text: '', key: '' });
  return (body) => {
    const text = JSON.stringify(body);
    if (last.current.text !== text) last.current = { text, key: `sweep-${randomId()}` };
    return last.current.key;
  };
}

/** Values that the gateway does not take are changed, and not sent again. */
function Refused(props: { error: Error; retry: () => unknown; busy: boolean }) {
  const text = useText('sweep');
  const words = useGatewayWords();
  const { error } = props;
  const isRefusal = error instanceof ApiError && [404, 409, 422].includes(error.status);
  if (!isRefusal) return <ErrorState {...props} />;
  const [fault] = faultsOf(error);
  const axis = /^body\.axes\.(\d+)/.exec(fault?.path ?? '')?.[1];
  return (
    <p role="alert" className="text-body break-words text-failed">
      {axis === undefined ? null : `${text('axis.label', { number: Number(axis) + 1 })} · `}
      {fault ? words.said(fault) : words.error(error)}
    </p>
  );
}

function Wildcards({ draft }: { draft: SweepDraft }) {
  const text = useText('sweep');
  const labelOf = useLabelOf();
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

/** What is seldom changed. */
function More({ draft, name, maxPriority }: { draft: SweepDraft; name: string; maxPriority: number }) {
  const text = useText('sweep');
  const { more, setMore } = draft;
  const instances = useQuery(instancesQuery());
  const tags = new Set(instances.data?.flatMap(({ tags: each }) => each));
  if (more.pool !== '') tags.add(more.pool);
  const input = (key: 'name' | 'priority' | 'seed', rest: { hint?: ReactNode; placeholder?: string }) => (
    <Field label={text(`more.${key}`)} hint={rest.hint}>
      <TextInput
        value={more[key]}
        placeholder={rest.placeholder}
        {...(key === 'name' ? { maxLength: 200 } : { type: 'number', step: 1 })}
        onChange={(event) => setMore({ ...more, [key]: event.target.value })}
      />
    </Field>
  );
  return (
    <details className="border-t border-border pt-2">
      <summary className="cursor-pointer py-1 text-body font-medium outline-accent focus-visible:outline-2">
        {text('more.title')}
      </summary>
      <div className="grid gap-3 pt-2 sm:grid-cols-2">
        {input('name', { placeholder: name })}
        {input('priority', {
          hint: text('more.priorityHint', { min: priorityRange.minimum, max: maxPriority }),
          placeholder: '0',
        })}
        {tags.size > 0 ? (
          <Field label={text('more.pool')}>
            <Select
              label={text('more.pool')}
              value={more.pool}
              options={[
                { value: '', label: text('more.anyPool') },
                ...[...tags].sort().map((tag) => ({ value: tag, label: tag })),
              ]}
              onChange={(pool) => setMore({ ...more, pool })}
              className="w-full"
            />
          </Field>
        ) : null}
        {draft.wildcards.length > 0
          ? input('seed', { hint: text('more.seedHint'), placeholder: text('more.anySeed') })
          : null}
      </div>
    </details>
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
      {totals.couldRun > 0 ? null : <p>{text('outlook.nowhere')}</p>}
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
  const query = useInfiniteQuery(sweepPagesQuery(workflowId));
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  if (items.length === 0) return null;
  return (
    <section aria-label={text('earlier')} className="flex flex-col gap-1 border-t border-border pt-3">
      <h3 className="text-table font-medium">{text('earlier')}</h3>
      <ul className="flex max-h-72 flex-col overflow-y-auto">
        {items.map(({ id, name, total, counts, axes, createdAt }) => (
          <li key={id} className="flex items-center gap-2">
            <Link
              href={`/workflows/${workflowId}?sweep=${id}`}
              onClick={onClose}
              className="flex min-w-0 flex-1 flex-wrap gap-x-2 py-1 text-body outline-accent hover:underline focus-visible:outline-2 focus-visible:-outline-offset-2"
            >
              <span className="min-w-0 break-words text-accent">{name}</span>
              <span className="text-text-2">
                {text('earlierItem', {
                  axes: axes.map(({ label }) => label).join(' × '),
                  done: counts.completed,
                  count: total,
                  at: format.dateTime(new Date(createdAt)),
                })}
              </span>
            </Link>
            <DeleteSweep sweepId={id} name={name} />
          </li>
        ))}
      </ul>
      <MoreRows query={query} />
    </section>
  );
}

/** Asks, deletes the sweep, and says so. */
export function DeleteSweep({
  sweepId,
  name,
  onDone,
}: {
  sweepId: string;
  name: string;
  onDone?: () => void;
}) {
  const text = useText('sweep');
  return (
    <ConfirmedButton
      variant="plain"
      aria-label={text('deleteOf', { name })}
      question={{
        title: text('deleteTitle', { name }),
        effect: text('deleteEffect'),
        confirm: text('deleteConfirm'),
      }}
      work={() => gateway.call(deleteSweep, { params: { sweepId } })}
      done={text('deleted')}
      refresh={[...keys.sweeps, 'list']}
      {...(onDone && { onDone })}
    >
      {text('delete')}
    </ConfirmedButton>
  );
}
