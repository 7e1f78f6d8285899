import type { SavedWorkflowDetail } from '@switchyard/contract/dispatch/workflow';
import type { WorkflowOutlook } from '@switchyard/contract/dispatch/workflow-outlook';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { reasonSentences } from '../../../kit/obstacles/obstacle-sentences.ts';
import { ReasonTexts } from '../../../kit/obstacles/reason-text.tsx';
import { ErrorState } from '../../../kit/states/error-state.tsx';
import { StatusWord } from '../../../kit/status-word.tsx';
import { workflowOutlookQuery } from '../../../lib/data/workflow-outlook.ts';
import { blank } from '../../../lib/format/format.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';

/** A question for each letter that is typed would be too many. */
const settleMs = 400;

export function useOutlook({ id, version }: SavedWorkflowDetail, params: Record<string, unknown>) {
  const settled = useSettled(params, settleMs);
  return useQuery(workflowOutlookQuery(id, version, settled));
}

/** The instances that could run it or not, the time and the cost: shown before the click. */
export function OutlookFacts({ query, count }: { query: ReturnType<typeof useOutlook>; count: number }) {
  const text = useText('workflows');
  const outlook = query.data;
  if (query.error && !outlook) {
    return <ErrorState error={query.error} retry={query.refetch} busy={query.isFetching} />;
  }
  return (
    <div className="flex min-h-[5.5rem] flex-col gap-3" aria-busy={query.isFetching}>
      {outlook ? (
        <>
          <Places outlook={outlook} />
          <dl className="grid grid-cols-2 gap-3">
            <Fact name={text('outlook.time', { count })} value={<Time outlook={outlook} count={count} />} />
            <Fact name={text('outlook.cost', { count })} value={<Cost outlook={outlook} count={count} />} />
          </dl>
        </>
      ) : null}
    </div>
  );
}

/**
 * Returns a value once it has stayed the same for a while, so that the gateway is not asked for every letter. Values are compared
 * by their JSON.
 */
function useSettled<Value>(value: Value, afterMs: number): Value {
  const [settled, setSettled] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(key) as Value), afterMs);
    return () => clearTimeout(timer);
  }, [key, afterMs]);
  return settled;
}

function Places({ outlook: { totals, instances } }: { outlook: WorkflowOutlook }) {
  const text = useText('workflows');
  const others = instances.filter(({ couldRun }) => !couldRun);
  return (
    <div className="flex flex-col gap-1">
      <StatusWord kind={totals.couldRun > 0 ? 'done' : 'failed'}>
        {text('outlook.places', { able: totals.couldRun, count: totals.instances })}
      </StatusWord>
      {others.length > 0 ? (
        <ul className="flex max-h-40 flex-col gap-1 overflow-y-auto text-table text-text-2">
          {others.map((instance) => (
            <li key={instance.instanceId} className="break-words">
              <ReasonTexts reasons={reasonSentences(instance)} />
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

function Fact({ name, value }: { name: string; value: ReactNode }) {
  return (
    <div>
      <dt className="text-meta text-text-2">{name}</dt>
      <dd className="text-body font-medium tabular-nums">{value}</dd>
    </div>
  );
}

interface TotalProps {
  outlook: WorkflowOutlook;
  count: number;
}

/** The work of all runs together; how long they wait depends on the queue. */
function Time({ outlook: { seconds }, count }: TotalProps) {
  const text = useText('workflows');
  const format = useFormat();
  if (seconds === null) return <span className="font-normal text-text-2">{text('outlook.unknown')}</span>;
  return format.range(seconds.low * 1_000 * count, seconds.high * 1_000 * count);
}

function Cost({ outlook: { cost }, count }: TotalProps) {
  const format = useFormat();
  if (cost === null) return blank;
  const [low, high] = [cost.low, cost.high].map((each) => format.money(each * count, cost.currency));
  return low === high ? low : `${low} – ${high}`;
}
